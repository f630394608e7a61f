/*
 * long_values.c
 *		How many long values a row of a question may have.
 *
 * It counts what sub-queries and keys compute, calls, columns of public
 * relations, and elements of arrays, in the whole question, since the server
 * may combine any of them in one row, and keeps results of calls until the
 * next row. Stored columns of protected relations are not counted: long ones
 * are only references in a row.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "expressions/guards.h"
#include "gate/question/relations/refusal.h"
#include "gate/read/long_values.h"
#include "gate/tree/functions.h"
#include "server/stack.h"

/* So many, of 1 MB each, are half of what a row or an array may have. */
#define MOST_VALUES 500

/* Constants up to here are not counted. */
#define SHORT_CONSTANT ((Size) 1024)

static bool is_stored(const DpNode *node, const DpExpr *value);

/* Whether a column of a node's rows is one of a protected relation, as it is stored. */
static bool
is_stored_column(const DpNode *node, int number)
{
	const DpExpr *expr;
	int i;

	dp_stack_enter();
	switch (node->kind)
	{
		case DP_NODE_SCAN:
			return true;
		case DP_NODE_PUBLIC:
		case DP_NODE_RELEASE:
			return false;
		case DP_NODE_JOIN:
		case DP_NODE_LEFT_JOIN:
			for (i = 0; number >= node->inputs[i]->ncolumns; i++)
				number -= node->inputs[i]->ncolumns;
			return is_stored_column(node->inputs[i], number);
		case DP_NODE_UNION:
			for (i = 0; i < node->ninputs; i++)
			{
				if (!is_stored_column(node->inputs[i], number))
					return false;
			}
			return true;
		case DP_NODE_VIEW:
			return is_stored_column(node->inputs[0], number);
		case DP_NODE_WINDOW:
			return number < node->inputs[0]->ncolumns &&
				   is_stored_column(node->inputs[0], number);
		case DP_NODE_GROUP:
		case DP_NODE_PROJECT:
			expr = list_nth(dp_node_exprs(node), number);
			return is_stored(node, expr);
	}
	return false;
}

static const DpExpr *
without_labels(const DpExpr *value)
{
	while (value->kind == DP_EXPR_RELABEL)
		value = value->args[0];
	return value;
}

static bool
is_short_constant(const DpExpr *value)
{
	value = without_labels(value);
	return value->kind == DP_EXPR_CONSTANT &&
		   (value->constant.isnull || get_typlen(value->type.oid) != -1 ||
			dp_guard_size(value->constant.value) <= SHORT_CONSTANT);
}

/* Whether what a node with one input computes is a stored column, or short. */
static bool
is_stored(const DpNode *node, const DpExpr *value)
{
	const DpExpr *column = dp_expr_column_of(value);

	if (!dp_functions_can_be_long(value->type.oid) ||
		value->kind == DP_EXPR_AGGREGATE || is_short_constant(value))
		return true;
	return column != NULL && column->column.depth == 0 &&
		   is_stored_column(node->inputs[0], column->column.number);
}

/* A call that makes a value. */
static bool
makes_value(const DpExpr *value)
{
	value = without_labels(value);
	return dp_functions_wrapped(value) != NULL &&
		   dp_functions_can_be_long(value->type.oid);
}

static bool
is_constant_list(const DpExpr *array)
{
	int i;

	for (i = 0; i < array->nargs; i++)
	{
		if (array->args[i]->kind != DP_EXPR_CONSTANT)
			return false;
	}
	return true;
}

static bool
count_in_expr(const DpExpr *expr, void *context)
{
	int *values = context;
	int i;

	if (expr->kind != DP_EXPR_RELABEL && makes_value(expr))
		(*values)++;
	if (expr->kind != DP_EXPR_ARRAY || is_constant_list(expr) ||
		!dp_functions_can_be_long(get_element_type(expr->type.oid)))
		return false;
	for (i = 0; i < expr->nargs; i++)
	{
		if (!is_short_constant(expr->args[i]) && !makes_value(expr->args[i]))
			(*values)++;
	}
	return false;
}

/* What a node computes as columns. */
static List *
computed_by(const DpNode *node)
{
	switch (node->kind)
	{
		case DP_NODE_GROUP:
			return ((const DpGroup *) node)->keys;
		case DP_NODE_PROJECT:
			return ((const DpProject *) node)->exprs;
		case DP_NODE_WINDOW:
			return ((const DpWindow *) node)->calls;
		case DP_NODE_RELEASE:
			return ((const DpQuestion *) node)->keys;
		default:
			return NIL;
	}
}

/* Columns of what is public that are read. */
static int
count_public(const DpPublicRows *rows)
{
	int values = 0;
	ListCell *cell;

	foreach (cell, rows->statement->targetList)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);
		DpType type = dp_expr_type_of((Node *) entry->expr);
		const Const *constant = (const Const *) entry->expr;

		if (!dp_functions_can_be_long(type.oid) ||
			(IsA(constant, Const) &&
			 (constant->constisnull || constant->constlen != -1 ||
			  dp_guard_size(constant->constvalue) <= SHORT_CONSTANT)))
			continue;
		values++;
	}
	return values;
}

static bool
count_in_node(const DpNode *node, int depth, void *context)
{
	int *values = context;
	ListCell *cell;

	(void) depth;
	if (node->kind == DP_NODE_PUBLIC)
		*values += count_public((const DpPublicRows *) node);
	foreach (cell, computed_by(node))
	{
		if (!is_stored(node, lfirst(cell)) && !makes_value(lfirst(cell)))
			(*values)++;
	}
	return false;
}

void
dp_long_values_check(const DpNode *question)
{
	int values = 0;

	(void) dp_node_visit(question, count_in_node, count_in_expr, &values);
	if (values > MOST_VALUES)
		dp_gate_refuse(
			psprintf("more than %d texts, arrays or the like that are "
					 "computed, or columns of what is public,",
					 MOST_VALUES),
			"Ask for fewer of them at once.", -1);
}
