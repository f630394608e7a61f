/*
 * determined.c
 *		Columns besides the keys of groups that the server takes them to determine.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/facts/unique_keys.h"
#include "gate/read/determined.h"

typedef struct Search
{
	const DpNode *rows;
	List *keys; /* to which columns are added */
} Search;

static bool
has_one_value(const DpNode *rows, int column)
{
	const DpScan *scan = (const DpScan *) rows->facts->columns[column].source;

	return scan != NULL && scan->node.kind == DP_NODE_SCAN &&
		   dp_unique_keys_of(scan->relation) != NIL;
}

/* Looks at what it is called for, and changes nothing. */
static const DpExpr *
add_column(const DpExpr *expr, int depth, void *context)
{
	Search *search = context;
	int number = expr->column.number;

	if ((depth == 0 && expr->kind == DP_EXPR_AGGREGATE) ||
		dp_expr_number(search->keys, dp_expr_deepen(expr, -depth)) >= 0)
		return expr;
	if (expr->kind == DP_EXPR_COLUMN && expr->column.depth == depth &&
		!has_one_value(search->rows, number))
		search->keys = lappend(
			search->keys, (void *) dp_expr_column((DpColumnName){0, number},
												  expr->type, expr->location));
	return NULL;
}

List *
dp_determined_add(const DpNode *rows, List *keys, List *exprs)
{
	Search search = {rows, list_copy(keys)};

	foreach_ptr (const DpExpr, expr, exprs)
		(void) dp_expr_change(expr, add_column, &search);
	return search.keys;
}
