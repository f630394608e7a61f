/*
 * stated.c
 *		Values and bounds that conditions state.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "gate/facts/arithmetic.h"
#include "gate/facts/facts.h"
#include "gate/facts/stated.h"
#include "server/ordered_type.h"
#include "server/stack.h"

/*
 * Conditions
 */

/*
 * The rows beneath a node that alone decide about an expression, which becomes one
 * over them; NULL: there are none. is_matched: of a left join, the nullable ones, too.
 */
static const DpNode *
beneath(const DpNode *node, const DpExpr **expr, bool is_matched)
{
	Bitmapset *columns = dp_expr_columns(*expr);
	int first = bms_next_member(columns, -1);
	int last = bms_prev_member(columns, -1);
	List *exprs = node->kind == DP_NODE_GROUP ? ((const DpGroup *) node)->keys
				  : node->kind == DP_NODE_PROJECT
					  ? ((const DpProject *) node)->exprs
					  : NIL;
	int inputs =
		node->kind == DP_NODE_JOIN || is_matched ? node->ninputs
		: node->kind == DP_NODE_LEFT_JOIN || node->kind == DP_NODE_WINDOW ? 1
																		  : 0;
	int i;

	if (first >= 0 && last < list_length(exprs))
	{
		*expr = dp_expr_substitute(*expr, exprs);
		return node->inputs[0];
	}
	for (i = 0; i < inputs && first >= 0; i++)
	{
		int offset = dp_node_offset(node, i);

		if (first < offset || last >= offset + node->inputs[i]->ncolumns)
			continue;
		*expr = dp_expr_shift(*expr, -offset);
		return node->inputs[i];
	}
	return NULL;
}

/* Shows conditions on all rows, until one is enough. */
static void
visit_conditions(const DpNode *node, const DpExpr *expr,
				 bool (*learn)(const DpExpr *condition, const DpExpr *expr,
							   void *context),
				 void *context)
{
	ListCell *cell;

	for (; node != NULL; node = beneath(node, &expr, false))
	{
		foreach (cell, node->kind == DP_NODE_JOIN
						   ? ((const DpJoin *) node)->conditions
						   : NIL)
		{
			if (learn(lfirst(cell), expr, context))
				return;
		}
	}
}

static bool
are_same(const DpExpr *one, const DpExpr *other)
{
	return dp_expr_equal(dp_expr_unlabelled(one), dp_expr_unlabelled(other));
}

/*
 * Values
 */

static bool
is_text(Oid type)
{
	return type == TEXTOID || type == VARCHAROID;
}

/* Adds a value; false where it is of another type. Null is never equal. */
static bool
add_value(const DpExpr *value, const DpExpr *expr, List **values)
{
	DpType type = {expr->type.oid, -1, expr->type.collation};

	value = dp_expr_unlabelled(value);
	if (value->kind == DP_EXPR_PARAMETER && value->type.oid == type.oid)
		*values = lappend(*values, (void *) value);
	else if (value->kind != DP_EXPR_CONSTANT ||
			 (value->type.oid != type.oid &&
			  !(is_text(value->type.oid) && is_text(type.oid))))
		return false;
	else if (!value->constant.isnull)
		*values = lappend(*values, (void *) dp_expr_constant(
									   type, value->constant.value, false));
	return true;
}

/* expression = value, value = expression, expression IN (values) */
static bool
values_of_comparison(const DpExpr *comparison, const DpExpr *expr,
					 List **values)
{
	const DpExpr *other;
	int i;

	if (comparison->nargs != 2 || !OidIsValid(comparison->call.operator) ||
		lookup_type_cache(getBaseType(expr->type.oid), TYPECACHE_EQ_OPR)
				->eq_opr != comparison->call.operator)
		return false;
	other = dp_expr_unlabelled(comparison->args[1]);
	if (comparison->kind == DP_EXPR_CALL && are_same(other, expr))
		return add_value(comparison->args[0], expr, values);
	if (!are_same(comparison->args[0], expr))
		return false;
	if (comparison->kind == DP_EXPR_CALL)
		return add_value(other, expr, values);
	for (i = 0; i < other->nargs && other->kind == DP_EXPR_ARRAY; i++)
	{
		if (!add_value(other->args[i], expr, values))
			return false;
	}
	return other->kind == DP_EXPR_ARRAY;
}

/* Of an OR every arm must name values; of an AND one arm is enough. */
static bool
values_of_condition(const DpExpr *condition, const DpExpr *expr, List **values)
{
	bool is_or = condition->kind == DP_EXPR_OR;
	int i;

	dp_stack_enter();
	if (condition->kind == DP_EXPR_CALL || condition->kind == DP_EXPR_ANY)
		return values_of_comparison(condition, expr, values);
	if (!is_or && condition->kind != DP_EXPR_AND)
		return false;
	for (i = 0; i < condition->nargs; i++)
	{
		int before = list_length(*values);
		bool found = values_of_condition(condition->args[i], expr, values);

		if (!found)
			*values = list_truncate(*values, before);
		if (found != is_or)
			return found;
	}
	return is_or;
}

static bool
learn_values(const DpExpr *condition, const DpExpr *expr, void *context)
{
	List **values = context;

	*values = NIL;
	if (!values_of_condition(condition, expr, values))
		*values = NIL;
	return *values != NIL;
}

List *
dp_stated_values(const DpNode *node, const DpExpr *expr)
{
	List *values = NIL;

	visit_conditions(node, expr, learn_values, &values);
	return values;
}

/* Whether an arm requires more than a value. */
static bool
has_and(const DpExpr *condition)
{
	int i;

	dp_stack_enter();
	for (i = 0; i < condition->nargs && condition->kind == DP_EXPR_OR; i++)
	{
		if (has_and(condition->args[i]))
			return true;
	}
	return condition->kind == DP_EXPR_AND;
}

bool
dp_stated_names(const DpExpr *condition, const DpExpr *expr, List **values)
{
	bool is_not = condition->kind == DP_EXPR_NOT;

	if (are_same(is_not ? condition->args[0] : condition, expr))
	{
		*values = lappend(*values, (void *) dp_expr_boolean(!is_not));
		return true;
	}
	return !has_and(condition) && values_of_condition(condition, expr, values);
}

/*
 * Null
 */

static bool
learn_not_null(const DpExpr *condition, const DpExpr *expr, void *context)
{
	bool *is_not_null = context;

	*is_not_null = condition->kind == DP_EXPR_NULL_TEST &&
				   condition->is_negated && are_same(condition->args[0], expr);
	return *is_not_null;
}

bool
dp_stated_not_null(const DpNode *node, const DpExpr *expr)
{
	bool is_not_null = false;

	visit_conditions(node, expr, learn_not_null, &is_not_null);
	return is_not_null;
}

/*
 * Bounds
 */

bool
dp_stated_can_bound(Oid type)
{
	return dp_arithmetic_is_integer(type) ||
		   dp_ordered_type(getBaseType(type)) != NULL;
}

/* A condition that compares the column with a constant. */
static bool
learn_bounds(const DpExpr *condition, const DpExpr *column, void *context)
{
	DpStatedBounds *bounds = context;
	DpCompared compared;
	int end;

	column = dp_expr_unlabelled(column);
	if (column->kind != DP_EXPR_COLUMN ||
		!dp_stated_can_bound(getBaseType(column->type.oid)))
		return true;
	if (condition->kind != DP_EXPR_CALL)
		return false;
	compared = dp_compared_with(condition, NIL, column);
	for (end = 0; end < 2; end++)
	{
		int64 bound;

		if (!compared.has[end])
			continue;
		bound = dp_arithmetic_nearest(compared.ends[end]);
		if (bounds->has[end])
			bound = end == 1 ? Min(bound, bounds->numbers[end])
							 : Max(bound, bounds->numbers[end]);
		bounds->has[end] = true;
		bounds->numbers[end] = bound;
	}
	return false;
}

DpStatedBounds
dp_stated_bounds(const DpNode *node, const DpExpr *column)
{
	DpStatedBounds bounds = {0};

	visit_conditions(node, column, learn_bounds, &bounds);
	return bounds;
}

/*
 * Ranges
 */

/* Adds the columns that equal those among expressions, and are of the same numbers. */
static List *
with_equal(const DpEqualities *known, List *exprs)
{
	foreach_ptr (const DpExpr, expr, exprs) /* those that are added, too */
	{
		const DpExpr *column = dp_expr_column_of(expr);

		foreach_ptr (
			const DpExpr, equal,
			column == NULL ? NIL : dp_equalities_class(known, column->column))
		{
			if (equal->column.depth == 0 &&
				dp_ordered_type(getBaseType(equal->type.oid)) ==
					dp_ordered_type(getBaseType(column->type.oid)) &&
				dp_expr_number(exprs, equal) < 0)
				exprs = lappend(exprs, (void *) equal);
		}
	}
	return exprs;
}

/* What a condition leaves the one value that several expressions have. */
static DpCompared
of_condition(const DpExpr *condition, const DpEqualities *known,
			 const List *exprs)
{
	bool is_or = condition->kind == DP_EXPR_OR;
	DpCompared result = {.is_none = is_or};
	int i;

	dp_stack_enter();
	if (!is_or && condition->kind != DP_EXPR_AND)
	{
		foreach_ptr (const DpExpr, expr, exprs)
			result = dp_compared_both(result,
									  dp_compared_with(condition, known, expr));
		return result;
	}
	for (i = 0; i < condition->nargs; i++)
	{
		DpCompared one = of_condition(condition->args[i], known, exprs);

		result = is_or ? dp_compared_either(result, one)
					   : dp_compared_both(result, one);
	}
	return result;
}

/* The expressions that each of a node's inputs has alone, over that input. */
typedef struct Beneath
{
	const DpNode *input;
	List *exprs;
} Beneath;

static List *
find_beneath(const DpNode *node, const List *exprs, bool is_matched)
{
	List *found = NIL;
	ListCell *cell;

	foreach (cell, exprs)
	{
		const DpExpr *expr = lfirst(cell);
		const DpNode *input = beneath(node, &expr, is_matched);
		Beneath *of_input = NULL;

		foreach_ptr (Beneath, beneath, found)
		{
			if (beneath->input == input)
				of_input = beneath;
		}
		if (input == NULL)
			continue;
		if (of_input == NULL)
		{
			of_input = palloc0(sizeof(Beneath));
			of_input->input = input;
			found = lappend(found, of_input);
		}
		if (dp_expr_number(of_input->exprs, expr) < 0)
			of_input->exprs = lappend(of_input->exprs, (void *) expr);
	}
	return found;
}

/*
 * Whether one is a column of a left join's nullable side: it is only not null in rows
 * that are matches, where the join's conditions hold.
 */
static bool
are_matched(const DpNode *node, const List *exprs)
{
	foreach_ptr (const DpExpr, expr,
				 node->kind == DP_NODE_LEFT_JOIN ? exprs : NIL)
	{
		const DpExpr *column = dp_expr_column_of(expr);

		if (column != NULL && column->column.depth == 0 &&
			column->column.number >= dp_node_offset(node, 1))
			return true;
	}
	return false;
}

static DpCompared
of_node(const DpNode *node, const DpExpr *filter, List *exprs)
{
	bool is_matched = are_matched(node, exprs);
	DpEqualities *known =
		is_matched ? dp_equalities_of_row(node) : list_copy(node->facts->equal);
	List *conditions = node->kind == DP_NODE_JOIN || is_matched
						   ? ((const DpJoin *) node)->conditions
						   : NIL;
	DpCompared result = {0};

	dp_stack_enter();
	if (filter != NULL)
	{
		known = dp_equalities_learn(known, filter);
		conditions = lappend(list_copy(conditions), (void *) filter);
	}
	exprs = with_equal(known, exprs);
	foreach_ptr (const DpExpr, expr, conditions)
		result = dp_compared_both(result, of_condition(expr, known, exprs));
	foreach_ptr (const Beneath, of_input, find_beneath(node, exprs, is_matched))
		result = dp_compared_both(
			result, of_node(of_input->input, NULL, of_input->exprs));
	return result;
}

DpCompared
dp_stated_range(const DpNode *node, const DpExpr *filter, const DpExpr *expr)
{
	return of_node(node, filter, list_make1((void *) expr));
}
