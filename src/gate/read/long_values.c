/*
 * long_values.c
 *		How many long values a question's rows may have.
 *
 * It counts what is computed to be put out, calls, columns of what is public, and
 * elements of arrays, in the whole tree, since the server may combine any of
 * them in one row, and keeps results of calls until the next row. Stored
 * columns of protected relations are not counted: long ones are only
 * references in a row.
 */
#include "postgres.h"

#include "expressions/guards.h"
#include "gate/facts/facts.h"
#include "gate/read/long_values.h"
#include "gate/relations/refusal.h"
#include "gate/tree/functions.h"

/* This many, of 1 MB each, are half of what a row or an array may have. */
#define MOST_VALUES 500

/* Constants up to here are not counted. */
#define SHORT_CONSTANT ((Size) 1024)

typedef struct Count
{
	int values;
	const DpColumnFact *row; /* that the expressions see */
	List *public_rows;		 /* of const DpNode */
	List *public_columns;	 /* beside: Bitmapset, those that were counted */
} Count;

/* A call of a wrapped function, which makes a value. */
static bool
makes_value(const DpExpr *expr)
{
	expr = dp_expr_unlabelled(expr);
	return dp_functions_wrapped(expr) != NULL &&
		   dp_functions_can_be_long(expr->type.oid);
}

static bool
is_short_constant(const DpExpr *expr)
{
	expr = dp_expr_unlabelled(expr);
	return expr->kind == DP_EXPR_CONSTANT &&
		   (expr->constant.isnull ||
			!dp_functions_can_be_long(expr->type.oid) ||
			dp_guard_size(expr->constant.value) <= SHORT_CONSTANT);
}

/* Whether a value is a column of a relation as it is, or short. */
static bool
is_stored(const DpExpr *expr, const DpColumnFact *row)
{
	const DpExpr *column = dp_expr_column_of(expr);

	return !dp_functions_can_be_long(expr->type.oid) ||
		   expr->kind == DP_EXPR_AGGREGATE || is_short_constant(expr) ||
		   (column != NULL && column->column.depth == 0 &&
			row[column->column.number].source != NULL &&
			row[column->column.number].source->kind == DP_NODE_SCAN);
}

/* Counts a column of what is public, once. */
static void
count_public(const DpColumnFact *fact, Count *count)
{
	const DpNode *source = fact->source;
	ListCell *rows;
	ListCell *columns;

	if (source == NULL || source->kind != DP_NODE_PUBLIC ||
		!dp_functions_can_be_long(
			source->columns[fact->source_column].type.oid))
		return;
	forboth (rows, count->public_rows, columns, count->public_columns)
	{
		if (lfirst(rows) != source)
			continue;
		if (!bms_is_member(fact->source_column, lfirst(columns)))
			count->values++;
		lfirst(columns) = bms_add_member(lfirst(columns), fact->source_column);
		return;
	}
	count->public_rows = lappend(count->public_rows, (void *) source);
	count->public_columns =
		lappend(count->public_columns, bms_make_singleton(fact->source_column));
	count->values++;
}

static bool
count_expr(const DpExpr *expr, void *context)
{
	Count *count = context;
	int i;

	if (makes_value(expr) && expr->kind != DP_EXPR_RELABEL)
		count->values++;
	if (dp_expr_is_own_column(expr))
		count_public(&count->row[expr->column.number], count);
	for (i = 0; expr->kind == DP_EXPR_ARRAY && i < expr->nargs; i++)
		count->values += dp_functions_can_be_long(expr->args[i]->type.oid) &&
						 !is_short_constant(expr->args[i]) &&
						 !makes_value(expr->args[i]);
	return false;
}

/* Whether a node puts out what its expressions compute. */
static bool
puts_out(const DpNode *node)
{
	return node->kind == DP_NODE_PROJECT || node->kind == DP_NODE_GROUP ||
		   node->kind == DP_NODE_RELEASE;
}

static bool
count_node(const DpNode *node, int depth, void *context)
{
	Count *count = context;

	(void) depth;
	if (node->ninputs == 0)
		return false;
	count->row = dp_range_of_row(node);
	foreach_ptr (const DpExpr, expr, dp_node_exprs(node))
	{
		(void) dp_expr_visit(expr, count_expr, count);
		if (puts_out(node) && !is_stored(expr, count->row) &&
			!makes_value(expr))
			count->values++;
	}
	return false;
}

void
dp_long_values_check(const DpQuestion *question)
{
	Count count = {0, NULL, NIL, NIL};

	(void) dp_node_visit(&question->node, count_node, NULL, &count);
	if (count.values > MOST_VALUES)
		dp_refusal_raise(
			psprintf("more than %d texts, arrays or the like that are "
					 "computed, or columns of what is public,",
					 MOST_VALUES),
			"Ask for fewer of them at once.", -1);
}
