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

#include "gate/facts/arithmetic.h"
#include "gate/facts/stated.h"
#include "server/compat.h"
#include "server/ordered_type.h"
#include "server/stack.h"

/* Without relabelling: a text is the same as any binary compatible type. */
static const DpExpr *
strip(const DpExpr *expr)
{
	while (expr->kind == DP_EXPR_RELABEL)
		expr = expr->args[0];
	return expr;
}

static bool
are_same(const DpExpr *one, const DpExpr *other)
{
	return dp_expr_equal(strip(one), strip(other));
}

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

	value = strip(value);
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

static bool
is_equality(Oid operator, const DpExpr * expr)
{
	return OidIsValid(operator) &&
		   lookup_type_cache(getBaseType(expr->type.oid), TYPECACHE_EQ_OPR)
				   ->eq_opr ==
			   operator;
}

/* expression = value */
static bool
values_of_comparison(const DpExpr *comparison, const DpExpr *expr,
					 List **values)
{
	if (comparison->nargs != 2 || !is_equality(comparison->call.operator, expr))
		return false;
	if (are_same(comparison->args[0], expr))
		return add_value(comparison->args[1], expr, values);
	return are_same(comparison->args[1], expr) &&
		   add_value(comparison->args[0], expr, values);
}

/* expression IN (values) */
static bool
values_of_list(const DpExpr *comparison, const DpExpr *expr, List **values)
{
	const DpExpr *array = strip(comparison->args[1]);
	int i;

	if (!is_equality(comparison->call.operator, expr) ||
		!are_same(comparison->args[0], expr))
		return false;
	if (array->kind != DP_EXPR_ARRAY)
		return false;
	for (i = 0; i < array->nargs; i++)
	{
		if (!add_value(array->args[i], expr, values))
			return false;
	}
	return true;
}

/* Of an OR every arm must name values; of an AND one arm is enough. */
static bool
values_of_condition(const DpExpr *condition, const DpExpr *expr, List **values)
{
	bool is_or = condition->kind == DP_EXPR_OR;
	int i;

	dp_stack_enter();
	if (condition->kind == DP_EXPR_CALL)
		return values_of_comparison(condition, expr, values);
	if (condition->kind == DP_EXPR_ANY)
		return values_of_list(condition, expr, values);
	if (!is_or && condition->kind != DP_EXPR_AND)
		return false;
	for (i = 0; i < condition->nargs; i++)
	{
		List *before = list_copy(*values);
		bool found = values_of_condition(condition->args[i], expr, values);

		if (!found)
			*values = before;
		if (found != is_or)
			return found;
	}
	return is_or;
}

/*
 * The input of a join whose rows alone decide about an expression, which then is
 * one over that; NULL: there is none.
 */
static const DpNode *
input_of(const DpNode *join, const DpExpr **expr)
{
	Bitmapset *columns = dp_expr_columns(*expr);
	int inputs = join->kind == DP_NODE_LEFT_JOIN ? 1 : join->ninputs;
	int i;

	for (i = 0; i < inputs; i++)
	{
		int offset = dp_node_offset(join, i);
		int first = bms_next_member(columns, -1);
		int last = bms_prev_member(columns, -1);

		if (first < offset || last >= offset + join->inputs[i]->ncolumns)
			continue;
		*expr = dp_expr_shift(*expr, -offset);
		return join->inputs[i];
	}
	return NULL;
}

/* An expression over what a node puts out, over the row beneath; or NULL. */
static const DpExpr *
over_row(const DpNode *node, List *exprs, const DpExpr *expr)
{
	const DpExpr **columns = palloc(node->ncolumns * sizeof(DpExpr *));
	ListCell *cell;

	if (bms_prev_member(dp_expr_columns(expr), -1) >= list_length(exprs))
		return NULL;
	foreach (cell, exprs)
		columns[foreach_current_index(cell)] = lfirst(cell);
	return dp_expr_substitute(expr, columns);
}

/*
 * The rows beneath a node that decide about an expression, as one over them; NULL
 * beneath a protected view: who asks does not name what that says.
 */
static const DpNode *
beneath(const DpNode *node, const DpExpr **expr)
{
	if (bms_is_empty(dp_expr_columns(*expr)))
		return NULL;
	switch (node->kind)
	{
		case DP_NODE_JOIN:
		case DP_NODE_LEFT_JOIN:
			return input_of(node, expr);
		case DP_NODE_WINDOW:
			if (bms_prev_member(dp_expr_columns(*expr), -1) >=
				node->inputs[0]->ncolumns)
				return NULL;
			return node->inputs[0];
		case DP_NODE_GROUP:
			*expr = over_row(node, ((const DpGroup *) node)->keys, *expr);
			return *expr == NULL ? NULL : node->inputs[0];
		case DP_NODE_PROJECT:
			*expr = over_row(node, ((const DpProject *) node)->exprs, *expr);
			return *expr == NULL ? NULL : node->inputs[0];
		default:
			return NULL;
	}
}

List *
dp_stated_values(const DpNode *node, const DpExpr *expr)
{
	while (node != NULL)
	{
		ListCell *cell;

		if (node->kind == DP_NODE_JOIN)
		{
			foreach (cell, ((const DpJoin *) node)->conditions)
			{
				List *values = NIL;

				if (values_of_condition(lfirst(cell), expr, &values) &&
					values != NIL)
					return values;
			}
		}
		node = beneath(node, &expr);
	}
	return NIL;
}

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

static int64
floor_divide(int64 number, int64 divisor)
{
	return number / divisor - (number % divisor < 0 ? 1 : 0);
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
	int64 aside = !is_strict ? 0 : is_upper ? -1 : 1;
	int64 number;

	if (!number_of(value, &number))
		return false;
	if (ordered == of_value)
	{
		*bound = number + aside;
		return !is_strict ||
			   (number > PG_INT64_MIN / 2 && number < PG_INT64_MAX / 2);
	}
	if (ordered == NULL || of_value == NULL)
		return false;
	if (ordered->type == DATEOID && of_value->type == TIMESTAMPOID)
	{
		number += aside;
		*bound = is_upper ? floor_divide(number, USECS_PER_DAY)
						  : -floor_divide(-number, USECS_PER_DAY);
		return true;
	}
	if (ordered->type == TIMESTAMPOID && of_value->type == DATEOID &&
		number > PG_INT64_MIN / USECS_PER_DAY / 2 &&
		number < PG_INT64_MAX / USECS_PER_DAY / 2)
	{
		*bound = number * USECS_PER_DAY + aside;
		return true;
	}
	return false;
}

static void
narrow(DpColumnFact *fact, const DpExpr *column, const DpExpr *value,
	   bool is_upper, bool is_strict)
{
	int end = is_upper ? 1 : 0;
	int64 bound;

	if (!bound_within(value, getBaseType(column->type.oid), is_upper, is_strict,
					  &bound))
		return;
	if (!fact->has_stated[end] ||
		(is_upper ? bound < fact->stated[end] : bound > fact->stated[end]))
		fact->stated[end] = bound;
	fact->has_stated[end] = true;
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

void
dp_stated_narrow(DpColumnFact *row, const DpExpr *condition)
{
	const DpExpr *column;
	const DpExpr *value;
	int strategy;
	DpColumnFact *fact;
	bool is_turned;

	if (condition->kind != DP_EXPR_CALL || condition->nargs != 2)
		return;
	is_turned = strip(condition->args[0])->kind == DP_EXPR_CONSTANT;
	column = strip(condition->args[is_turned ? 1 : 0]);
	value = strip(condition->args[is_turned ? 0 : 1]);
	if (column->kind != DP_EXPR_COLUMN || column->column.depth != 0 ||
		value->kind != DP_EXPR_CONSTANT ||
		!dp_stated_can_bound(column->type.oid))
		return;
	fact = &row[column->column.number];
	strategy =
		strategy_of(condition->call.operator, getBaseType(column->type.oid));
	if (is_turned && strategy != 0)
		strategy = BTMaxStrategyNumber + 1 - strategy;
	if (strategy == BTEqualStrategyNumber || strategy == BTLessStrategyNumber ||
		strategy == BTLessEqualStrategyNumber)
		narrow(fact, column, value, true, strategy == BTLessStrategyNumber);
	if (strategy == BTEqualStrategyNumber ||
		strategy == BTGreaterStrategyNumber ||
		strategy == BTGreaterEqualStrategyNumber)
		narrow(fact, column, value, false, strategy == BTGreaterStrategyNumber);
}
