/*
 * stated.c
 *		Values and bounds that conditions state.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "core/int128.h"
#include "gate/facts/arithmetic.h"
#include "gate/facts/stated.h"
#include "server/ordered_type.h"
#include "server/stack.h"

/*
 * Conditions
 */

/*
 * The rows beneath a node that alone decide about an expression, which becomes one
 * over them; NULL: there are none.
 */
static const DpNode *
beneath(const DpNode *node, const DpExpr **expr)
{
	Bitmapset *columns = dp_expr_columns(*expr);
	int first = bms_next_member(columns, -1);
	int last = bms_prev_member(columns, -1);
	List *exprs = node->kind == DP_NODE_GROUP ? ((const DpGroup *) node)->keys
				  : node->kind == DP_NODE_PROJECT
					  ? ((const DpProject *) node)->exprs
					  : NIL;
	int inputs =
		node->kind == DP_NODE_JOIN ? node->ninputs
		: node->kind == DP_NODE_LEFT_JOIN || node->kind == DP_NODE_WINDOW ? 1
																		  : 0;
	int i;

	if (first >= 0 && last < list_length(exprs))
	{
		const DpExpr **over = palloc(list_length(exprs) * sizeof(DpExpr *));

		for (i = 0; i < list_length(exprs); i++)
			over[i] = list_nth(exprs, i);
		*expr = dp_expr_substitute(*expr, over);
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

	for (; node != NULL; node = beneath(node, &expr))
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

/* A finite constant as an integer of its type. */
static bool
number_of(const DpExpr *constant, int64 *number)
{
	const DpOrderedType *ordered = dp_ordered_type(constant->type.oid);
	Datum numeric;

	if (constant->constant.isnull || !dp_stated_can_bound(constant->type.oid) ||
		!dp_arithmetic_number(constant->type.oid, constant->constant.value,
							  &numeric))
		return false;
	*number = DatumGetInt64(DirectFunctionCall1(numeric_int8, numeric));
	return ordered == NULL ||
		   (*number > ordered->least && *number < ordered->greatest);
}

/* What dates and timestamps are compared in: microseconds, without a time zone. */
static int64
microseconds_of(const DpOrderedType *ordered)
{
	return ordered == NULL				   ? 0
		   : ordered->type == DATEOID	   ? USECS_PER_DAY
		   : ordered->type == TIMESTAMPOID ? 1
										   : 0;
}

/*
 * The integer of a column's type that a value bounds it by, at most or at
 * least; the value itself, or not if it is strict. False where the types do not
 * compare without the session's time zone.
 */
static bool
bound_within(const DpExpr *value, Oid type, bool is_upper, bool is_strict,
			 int64 *bound)
{
	const DpOrderedType *ordered = dp_ordered_type(type);
	const DpOrderedType *of_value = dp_ordered_type(value->type.oid);
	int64 within = ordered == of_value ? 1 : microseconds_of(ordered);
	int64 scale = ordered == of_value ? 1 : microseconds_of(of_value);
	int64 number;
	dp_int128 least;

	if (within == 0 || scale == 0 || !number_of(value, &number))
		return false;
	least = (dp_int128) number * scale;
	if (is_strict)
		least += is_upper ? -1 : 1;
	if (!is_upper)
		least += within - 1; /* so that the quotient is rounded up */
	*bound = (int64) dp_int128_clamp(least / within - (least % within < 0),
									 PG_INT64_MIN, PG_INT64_MAX);
	return true;
}

/* The order's strategy of an operator of two types; 0: it is none. */
static int
strategy_of(Oid operator, Oid type)
{
	Oid family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;

	return OidIsValid(operator) && OidIsValid(family)
			   ? get_op_opfamily_strategy(operator, family)
			   : 0;
}

/* A condition that compares the column with a constant. */
static bool
learn_bounds(const DpExpr *condition, const DpExpr *column, void *context)
{
	DpStatedBounds *bounds = context;
	Oid type = getBaseType(dp_expr_unlabelled(column)->type.oid);
	bool is_turned;
	const DpExpr *value;
	int strategy;
	int end;

	if (dp_expr_unlabelled(column)->kind != DP_EXPR_COLUMN ||
		!dp_stated_can_bound(type))
		return true;
	if (condition->kind != DP_EXPR_CALL || condition->nargs != 2)
		return false;
	is_turned =
		dp_expr_unlabelled(condition->args[0])->kind == DP_EXPR_CONSTANT;
	value = dp_expr_unlabelled(condition->args[is_turned ? 0 : 1]);
	strategy = strategy_of(condition->call.operator, type);
	if (value->kind != DP_EXPR_CONSTANT || strategy == 0 ||
		!are_same(condition->args[is_turned ? 1 : 0], column))
		return false;
	if (is_turned)
		strategy = BTMaxStrategyNumber + 1 - strategy;
	for (end = 0; end < 2; end++)
	{
		bool is_upper = end == 1;
		bool is_strict = strategy == (is_upper ? BTLessStrategyNumber
											   : BTGreaterStrategyNumber);
		int64 bound;

		if ((is_upper ? strategy > BTEqualStrategyNumber
					  : strategy < BTEqualStrategyNumber) ||
			!bound_within(value, type, is_upper, is_strict, &bound))
			continue;
		if (bounds->has[end])
			bound = is_upper ? Min(bound, bounds->numbers[end])
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
