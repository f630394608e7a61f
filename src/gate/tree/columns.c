/*
 * columns.c
 *		Which columns of a row expressions name.
 */
#include "postgres.h"

#include "gate/tree/node.h"

typedef struct Search
{
	Bitmapset **columns;
	int depth; /* of sub-query expressions around, and of rows in these */
} Search;

static bool add_of_expr(const DpExpr *expr, void *context);

static bool
add_of_node(const DpNode *node, int depth, void *context)
{
	Search search = *(Search *) context;

	search.depth += depth + 1;
	foreach_ptr (const DpExpr, one, dp_node_exprs(node))
		(void) dp_expr_visit(one, add_of_expr, &search);
	return false;
}

/* Sub-queries are entered from the outermost expression alone. */
static bool
add_of_expr(const DpExpr *expr, void *context)
{
	const Search *search = context;

	if (expr->kind == DP_EXPR_COLUMN && expr->column.depth == search->depth)
		*search->columns =
			bms_add_member(*search->columns, expr->column.number);
	return expr->kind == DP_EXPR_SUBQUERY && search->depth == 0 &&
		   dp_node_visit(expr->subquery->rows, add_of_node, NULL,
						 (void *) search);
}

Bitmapset *
dp_expr_columns(const DpExpr *expr)
{
	Bitmapset *columns = NULL;
	Search search = {&columns, 0};

	(void) dp_expr_visit(expr, add_of_expr, &search);
	return columns;
}

Bitmapset *
dp_expr_add_columns(Bitmapset *columns, const List *exprs)
{
	foreach_ptr (const DpExpr, expr, exprs)
		columns = bms_join(columns, dp_expr_columns(expr));
	return columns;
}
