/*
 * written.c
 *		Queries and expressions over rows of a tree, written back as the server's.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteManip.h"

#include "gate/bound/written.h"
#include "server/queries.h"

/*
 * Expressions
 */

/* A column of a query around, as it is named within. */
static Node *
write_column(const DpExpr *expr, void *context)
{
	const DpWritten *written = context;
	int depth = expr->column.depth;
	int levels = 0;
	Node *column;

	while (depth > 0)
	{
		depth -= written->is_in_expr;
		levels++;
		written = written->around;
	}
	column = copyObject(written->row[expr->column.number]);
	if (levels > 0)
		IncrementVarSublevelsUp(column, levels, 0);
	return column;
}

static Node *
write_subquery(const DpExpr *expr, Node *comparison, void *context)
{
	DpWritten *around = context;
	const DpSubquery *subquery = expr->subquery;
	DpWritten within = dp_written_within(around, subquery->rows, true);
	SubLink *link = makeNode(SubLink);
	int columns =
		subquery->form == EXISTS_SUBLINK ? 0 : subquery->rows->ncolumns;
	int i;

	for (i = 0; i < columns; i++)
		(void) dp_query_add_target(within.query, copyObject(within.row[i]),
								   NULL);
	link->subLinkType = subquery->form;
	link->testexpr = comparison;
	link->subselect = (Node *) within.query;
	link->location = -1;
	around->query->hasSubLinks = true;
	return (Node *) link;
}

Node *
dp_written_expr(DpWritten *written, const DpExpr *expr)
{
	DpWriter writer = {write_column, write_subquery, written, false};

	return dp_kinds_write(expr, &writer);
}

Node *
dp_written_as_asked(DpWritten *written, const DpExpr *expr)
{
	DpWriter writer = {write_column, write_subquery, written, true};

	return dp_kinds_write(expr, &writer);
}

/*
 * Queries
 */

void
dp_written_finish(DpWritten *written)
{
	written->query->jointree = makeFromExpr(
		written->from, written->quals == NIL
						   ? NULL
						   : (Node *) make_ands_explicit(written->quals));
}

DpWritten
dp_written_within(DpWritten *around, const DpNode *rows, bool is_in_expr)
{
	DpWritten within = {.add = around->add,
						.around = around,
						.is_in_expr = is_in_expr,
						.query = dp_query_make(),
						.copied = around->copied};

	if (rows != NULL)
	{
		within.add(&within, rows);
		dp_written_finish(&within);
	}
	return within;
}

DpWritten
dp_written_query(DpWritten *around, const DpNode *node)
{
	DpWritten within = dp_written_within(around, node, false);
	int i;

	for (i = 0; i < node->ncolumns; i++)
		(void) dp_query_add_target(within.query, copyObject(within.row[i]),
								   node->columns[i].name);
	return within;
}
