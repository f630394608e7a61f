/*
 * matched.c
 *		Public rows LEFT JOIN owned ones, and FULL JOIN.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "gate/facts/facts.h"
#include "gate/read/matched.h"
#include "gate/read/rewrite_aggregate.h"
#include "gate/relations/refusal.h"
#include "server/stack.h"

void
dp_matched_refuse(int location)
{
	dp_refusal_raise(
		"an outer join that adds to the protected relation's rows",
		"The result would have rows without a privacy unit. In the "
		"FROM of the question itself it can stand beside aggregates "
		"that skip them, such as count(x) of a protected column; "
		"else write JOIN, which shows a group for each public value "
		"of a key anyway, or the protected relation LEFT JOIN the "
		"other.",
		location);
}

/* Whether an expression is null wherever some columns are. */
static bool
is_null_with(const DpExpr *expr, const Bitmapset *columns)
{
	int i;

	dp_stack_enter();
	switch (expr->kind)
	{
		case DP_EXPR_COLUMN:
			return expr->column.depth == 0 &&
				   bms_is_member(expr->column.number, columns);
		case DP_EXPR_RELABEL:
			break;
		case DP_EXPR_CALL:
			if (expr->call.is_variadic || !func_strict(expr->call.function))
				return false;
			break;
		default:
			return false;
	}
	for (i = 0; i < expr->nargs; i++)
	{
		if (is_null_with(expr->args[i], columns))
			return true;
	}
	return false;
}

/* Whether a condition is not true where they are null. */
static bool
is_not_true_with(const DpExpr *condition, const Bitmapset *columns)
{
	foreach_ptr (const DpExpr, arm, dp_expr_arms(condition, NIL))
	{
		if (is_null_with(arm, columns) ||
			(arm->kind == DP_EXPR_NULL_TEST && arm->is_negated &&
			 is_null_with(arm->args[0], columns)))
			return true;
	}
	return false;
}

/* Whether an aggregate has the same value without rows in which they are null. */
static bool
skips(const DpAsked *asked, const Bitmapset *columns)
{
	if (dp_rewrite_aggregate_is_of_keys(asked->aggref))
		return true; /* no value of it is shown */
	if (asked->filter != NULL && is_not_true_with(asked->filter, columns))
		return true;
	return asked->args != NIL && is_null_with(linitial(asked->args), columns);
}

/* The columns of one of a join's sides, in the row of the whole. */
static Bitmapset *
columns_of(const DpNode *join, int side, int offset)
{
	int first = offset + dp_node_offset(join, side);

	return bms_add_range(NULL, first, first + join->inputs[side]->ncolumns - 1);
}

static bool
is_full(const DpNode *node)
{
	return node->kind == DP_NODE_LEFT_JOIN && ((const DpJoin *) node)->is_full;
}

/* Adds what left joins above have nulls in where some columns are null. */
static Bitmapset *
add_joined(const DpNode *node, int offset, Bitmapset *columns)
{
	int i;

	dp_stack_enter();
	if (node->kind != DP_NODE_JOIN && node->kind != DP_NODE_LEFT_JOIN)
		return columns;
	for (i = 0; i < node->ninputs; i++)
		columns = add_joined(node->inputs[i], offset + dp_node_offset(node, i),
							 columns);
	if (node->kind == DP_NODE_JOIN || is_full(node))
		return columns;
	foreach_ptr (const DpExpr, expr, ((const DpJoin *) node)->conditions)
	{
		if (is_not_true_with(dp_expr_shift(expr, offset), columns))
			columns = bms_add_members(columns, columns_of(node, 1, offset));
	}
	return columns;
}

static void
check_aggregates(const List *aggregates, const Bitmapset *columns)
{
	foreach_ptr (const DpAsked, asked, aggregates)
	{
		if (!skips(asked, columns))
			dp_refusal_raise(
				"an aggregate that counts public rows without a "
				"match",
				"Whether there is a match depends on people. Write "
				"count(x) of a column of the protected relation in "
				"place of count(*), and aggregates of its columns "
				"alone; or write JOIN.",
				asked->aggref->location);
	}
}

static void
check_node(const DpNode *whole, const DpNode *node, int offset,
		   const List *aggregates)
{
	int i;

	dp_stack_enter();
	if (node->kind != DP_NODE_JOIN && node->kind != DP_NODE_LEFT_JOIN)
		return;
	if (dp_owner_is_matched(node) || is_full(node))
		check_aggregates(
			aggregates,
			add_joined(whole, 0,
					   columns_of(node, is_full(node) ? 0 : 1, offset)));
	for (i = 0; i < node->ninputs; i++)
		check_node(whole, node->inputs[i], offset + dp_node_offset(node, i),
				   aggregates);
}

void
dp_matched_check(const DpNode *rows, const List *aggregates)
{
	check_node(rows, rows, 0, aggregates);
}
