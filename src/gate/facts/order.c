/*
 * order.c
 *		Whether a result could depend on the order in which rows are read.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/facts/arithmetic.h"
#include "gate/facts/facts.h"
#include "gate/tree/aggregates.h"
#include "gate/tree/functions.h"
#include "server/collations.h"

static const DpOrderFact fine = {.location = -1};

static DpOrderFact
depends(const char *what, const char *hint, int location)
{
	DpOrderFact fact = {true, location, what, hint};

	return fact;
}

/*
 * Groups
 */

/*
 * True for types of which equal values can be told apart, by bytes that stand for
 * them: numeric, floating-point numbers, padded texts, and those for which there is
 * no one form.
 */
static bool
has_twins(Oid type)
{
	switch (getBaseType(type))
	{
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case BPCHAROID:
			return true;
		default:
			return !dp_aggregates_can_have_one_form(type);
	}
}

/* A column of a declared scale or length has one form. */
bool
dp_order_has_one_form(const DpExpr *expr)
{
	Oid type = getBaseType(expr->type.oid);

	if (dp_is_nondeterministic(expr->type.collation))
		return false;
	if (type == NUMERICOID || type == BPCHAROID)
		return dp_expr_column_of(expr) != NULL && expr->type.typmod >= 0;
	return !has_twins(type);
}

/* Functions of numeric whose results do not depend on how many digits are written. */
static bool
is_exact(Oid function)
{
	switch (function)
	{
		case F_NUMERIC_ADD:
		case F_NUMERIC_SUB:
		case F_NUMERIC_MUL:
		case F_NUMERIC_MOD:
		case F_MOD_NUMERIC_NUMERIC:
		case F_DIV:
		case F_NUMERIC_UMINUS:
		case F_NUMERIC_UPLUS:
		case F_NUMERIC_ABS:
		case F_ABS_NUMERIC:
		case F_SIGN_NUMERIC:
		case F_ROUND_NUMERIC:
		case F_ROUND_NUMERIC_INT4:
		case F_TRUNC_NUMERIC:
		case F_TRUNC_NUMERIC_INT4:
		case F_CEIL_NUMERIC:
		case F_CEILING_NUMERIC:
		case F_FLOOR_NUMERIC:
		case F_NUMERIC_NUMERIC_INT4:
		case F_INT2_NUMERIC:
		case F_INT4_NUMERIC:
		case F_INT8_NUMERIC:
		case F_FLOAT4_NUMERIC:
		case F_FLOAT8_NUMERIC:
			return true;
		default:
			return false;
	}
}

bool
dp_order_keeps_equality(const DpExpr *call, const DpExpr *argument)
{
	Oid function =
		call->kind == DP_EXPR_CALL ? call->call.function : InvalidOid;

	if (call->kind == DP_EXPR_GREATEST || call->kind == DP_EXPR_LEAST)
		return true;
	switch (getBaseType(argument->type.oid))
	{
		case FLOAT4OID:
		case FLOAT8OID:
			return dp_arithmetic_is_number(call->type.oid) &&
				   OidIsValid(function) && function != F_ATAN2 &&
				   function != F_ATAN2D;
		case NUMERICOID:
			return is_exact(function);
		case BPCHAROID:
			return function == F_TEXT_BPCHAR || function == F_LENGTH_BPCHAR ||
				   function == F_CHAR_LENGTH_BPCHAR ||
				   function == F_CHARACTER_LENGTH_BPCHAR;
		default:
			return dp_order_has_one_form(argument);
	}
}

/* Where a row is has one form, though it is nothing that can be asked for. */
static bool
can_have_one_form(Oid type)
{
	return type == TIDOID || type == OIDOID ||
		   dp_aggregates_can_have_one_form(type);
}

static DpOrderFact
order_of_group(const DpGroup *group)
{
	foreach_ptr (const DpExpr, key, group->keys)
	{
		if (!can_have_one_form(key->type.oid))
			return depends(
				psprintf("%s of type %s in a sub-query",
						 group->is_distinct ? "DISTINCT" : "GROUP BY",
						 format_type_be(key->type.oid)),
				"Its equal values can have several forms: use a "
				"number, a text, a date or a time made of it.",
				key->location);
	}
	return fine;
}

/*
 * Windows
 */

static bool
ignores_frame(Oid function)
{
	switch (function)
	{
		case F_ROW_NUMBER:
		case F_LAG_ANYELEMENT:
		case F_LAG_ANYELEMENT_INT4:
		case F_LAG_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE:
		case F_LEAD_ANYELEMENT:
		case F_LEAD_ANYELEMENT_INT4:
		case F_LEAD_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE:
			return true;
		default:
			return false;
	}
}

static bool
ignores_order(Oid function)
{
	switch (function)
	{
		case F_RANK_:
		case F_DENSE_RANK_:
		case F_PERCENT_RANK_:
		case F_CUME_DIST_:
			return true;
		default:
			return false;
	}
}

/* An aggregate over whole sets of equal rows does not depend on their order. */
bool
dp_order_matters_to(const DpExpr *call, const DpWindowFrame *frame)
{
	Oid function = call->total->function;

	return !ignores_order(function) &&
		   (ignores_frame(function) || function == F_FIRST_VALUE ||
			function == F_LAST_VALUE ||
			(frame->options & FRAMEOPTION_ROWS) != 0);
}

/*
 * The frame must be what it was when equal rows are told apart: it is one of
 * rows, or the end that the function looks at is the window's.
 */
static DpOrderFact
order_of_frame(const DpExpr *call, const DpWindowFrame *frame)
{
	Oid function = call->total->function;
	int options = frame->options;
	bool is_kept = (options & FRAMEOPTION_ROWS) ||
				   (function == F_FIRST_VALUE &&
					(options & FRAMEOPTION_START_UNBOUNDED_PRECEDING)) ||
				   (function == F_LAST_VALUE &&
					(options & FRAMEOPTION_END_UNBOUNDED_FOLLOWING));

	if (ignores_frame(function))
		return fine;
	if (!is_kept)
		return depends(
			"first_value or last_value of a frame that ends between equal rows",
			"Write ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING.",
			call->location);
	if (options & FRAMEOPTION_EXCLUSION)
		return depends("EXCLUDE in a window frame", "Leave it out.",
					   call->location);
	return fine;
}

static bool
same_exprs(const List *one, const List *other)
{
	bool same = list_length(one) == list_length(other);
	ListCell *left;
	ListCell *right;

	forboth (left, one, right, other)
		same = same && dp_expr_equal(lfirst(left), lfirst(right));
	return same;
}

/* The order by which a window that needs one brings rows together. */
static bool
same_order(const DpWindowFrame *one, const DpWindowFrame *other)
{
	bool same = same_exprs(one->partition, other->partition) &&
				same_exprs(one->order, other->order);
	ListCell *left;
	ListCell *right;

	forboth (left, one->directions, right, other->directions)
	{
		const SortGroupClause *first = lfirst(left);
		const SortGroupClause *second = lfirst(right);

		same = same && first->sortop == second->sortop &&
			   first->nulls_first == second->nulls_first;
	}
	return same;
}

static DpOrderFact
order_of_window(const DpWindow *window)
{
	const DpWindowFrame *first = NULL;
	ListCell *cell;
	ListCell *beside;

	foreach_ptr (const DpExpr, call, window->calls)
	{
		if (dp_functions_adds_floats(call->total->function))
			return depends("a floating-point sum or average over a window",
						   "It would depend on the order of rows: cast what is "
						   "added to numeric.",
						   call->location);
	}
	forboth (cell, window->calls, beside, window->frames)
	{
		const DpWindowFrame *frame = lfirst(beside);
		DpOrderFact fact;

		if (!dp_order_matters_to(lfirst(cell), frame))
			continue;
		fact = order_of_frame(lfirst(cell), frame);
		if (fact.depends)
			return fact;
		if (first != NULL && !same_order(first, frame))
			return depends("window functions that depend on several orders of "
						   "the rows",
						   "Compute one of them in a sub-query.", -1);
		first = frame;
	}
	return fine;
}

/* A column without an order among those that a query names; NULL: none. */
static bool
find_unsortable(const DpExpr *expr, void *context)
{
	const DpExpr **found = context;

	if (dp_expr_is_own_column(expr) &&
		!dp_functions_is_sortable(expr->type.oid) && expr->type.oid != TIDOID &&
		expr->type.oid != OIDOID)
		*found = expr;
	return *found != NULL;
}

/* Groups beneath are sorted by their keys, of which each type has an order. */
static bool
are_of_groups(const DpNode *node)
{
	while (node->kind == DP_NODE_JOIN && node->ninputs == 1)
		node = node->inputs[0];
	return node->kind == DP_NODE_GROUP;
}

/*
 * What a query computes from the rows of its windows, or of which it takes the
 * distinct values, is what they are ordered by, where their order matters.
 */
static DpOrderFact
order_above_windows(const DpNode *node)
{
	const DpNode *input = node->inputs[0];
	const DpWindow *window = (const DpWindow *) input;
	const DpExpr *found = NULL;
	bool matters = false;
	ListCell *cell;
	ListCell *beside;

	if (input->kind != DP_NODE_WINDOW || are_of_groups(input->inputs[0]))
		return fine;
	forboth (cell, window->calls, beside, window->frames)
		matters |= dp_order_matters_to(lfirst(cell), lfirst(beside));
	foreach (cell, matters
					   ? list_concat(dp_node_exprs(node), dp_node_exprs(input))
					   : NIL)
	{
		if (dp_expr_visit(lfirst(cell), find_unsortable, &found))
			return depends(
				psprintf("a value of type %s beside a window function that "
						 "depends on the order of rows",
						 format_type_be(found->type.oid)),
				"Rows that are equal to ORDER BY are ordered by all columns, "
				"and this type has no order: leave the column out.",
				found->location);
	}
	return fine;
}

DpOrderFact
dp_order_of(const DpNode *node)
{
	DpOrderFact fact = fine;

	switch (node->kind)
	{
		case DP_NODE_GROUP:
			fact = order_of_group((const DpGroup *) node);
			return fact.depends ? fact : order_above_windows(node);
		case DP_NODE_WINDOW:
			return order_of_window((const DpWindow *) node);
		case DP_NODE_PROJECT:
			return order_above_windows(node);
		default:
			return fine;
	}
}
