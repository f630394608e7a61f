/*
 * combined.c
 *		Groups, windows and unions of rows as sub-queries.
 *
 * Equal values are brought to one form, and rows of windows that ORDER BY does not
 * tell apart are sorted by all their columns: other people's rows, between which
 * rows are read in another order, must not show in a result
 * (gate/facts/order.h).
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/bound/combined.h"
#include "gate/bound/written.h"
#include "gate/facts/order.h"
#include "gate/tree/aggregates.h"
#include "gate/tree/functions.h"
#include "server/queries.h"

/*
 * Groups
 */

Query *
dp_combined_group(DpWritten *around, const DpGroup *group)
{
	DpWritten within = dp_written_within(around, group->node.inputs[0], false);
	Query *query = within.query;
	ListCell *cell;

	foreach_ptr (const DpExpr, key, group->keys)
	{
		Node *value = dp_aggregates_one_form(
			key, dp_aggregates_byte_order(dp_written_expr(&within, key)));
		TargetEntry *entry = dp_query_add_target(
			query, value, group->node.columns[foreach_current_index(key)].name);

		query->groupClause =
			lappend(query->groupClause, dp_query_clause(entry, false));
	}
	foreach (cell, group->aggregates)
		(void) dp_query_add_target(
			query, dp_written_expr(&within, lfirst(cell)), NULL);
	query->hasAggs = group->aggregates != NIL;
	if (query->groupClause == NIL && !query->hasAggs)
		query->havingQual = makeBoolConst(true, false); /* one row */
	return query;
}

/*
 * Windows
 */

/* What tells values apart that are equal: 1.0 and 1.00, 0 and -0. */
static Node *
bytes_of(Node *value)
{
	Oid function;

	switch (getBaseType(exprType(value)))
	{
		case NUMERICOID:
			function = F_NUMERIC_SEND;
			break;
		case FLOAT4OID:
			function = F_FLOAT4SEND;
			break;
		case FLOAT8OID:
			function = F_FLOAT8SEND;
			break;
		case BPCHAROID:
			function = F_BPCHARSEND;
			break;
		default:
			return dp_aggregates_byte_order(value);
	}
	return (Node *) makeFuncExpr(function, BYTEAOID, list_make1(value),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Adds a value as a column that is not put out, to sort or part by. */
static SortGroupClause *
add_hidden(Query *query, Node *value)
{
	TargetEntry *entry = dp_query_add_target(query, value, NULL);

	entry->resjunk = true;
	return dp_query_clause(entry, true);
}

/* How many columns, the first ones, tell the input's rows apart: of groups, the keys. */
static int
columns_apart(const DpNode *input)
{
	while (input->kind == DP_NODE_JOIN && input->ninputs == 1)
		input = input->inputs[0];
	return input->kind == DP_NODE_GROUP
			   ? list_length(((const DpGroup *) input)->keys)
			   : input->ncolumns;
}

static List *
order_of(DpWritten *within, const DpWindowFrame *frame)
{
	List *clauses = NIL;
	ListCell *cell;
	ListCell *direction;

	forboth (cell, frame->order, direction, frame->directions)
	{
		SortGroupClause *clause =
			copyObject(lfirst_node(SortGroupClause, direction));

		clause->tleSortGroupRef =
			add_hidden(within->query, dp_aggregates_byte_order(dp_written_expr(
										  within, lfirst(cell))))
				->tleSortGroupRef;
		clauses = lappend(clauses, clause);
	}
	return clauses;
}

static List *
all_columns(DpWritten *within, const DpNode *input)
{
	List *clauses = NIL;
	int i;

	for (i = 0; i < columns_apart(input); i++)
	{
		Node *column = within->row[i];

		if (dp_functions_is_sortable(exprType(column)) ||
			exprType(column) == TIDOID || exprType(column) == OIDOID)
			clauses =
				lappend(clauses, add_hidden(within->query,
											bytes_of(copyObject(column))));
	}
	return clauses;
}

/* Adds a call's window. ordered: rows equal in ORDER BY are put in order by all columns. */
static Index
add_window(DpWritten *within, const DpNode *input, const DpWindowFrame *frame,
		   bool ordered)
{
	WindowClause *clause = makeNode(WindowClause);
	ListCell *cell;

	foreach (cell, frame->partition)
		clause->partitionClause = lappend(
			clause->partitionClause,
			add_hidden(within->query, dp_aggregates_byte_order(dp_written_expr(
										  within, lfirst(cell)))));
	clause->orderClause = order_of(within, frame);
	if (ordered)
		clause->orderClause =
			list_concat(clause->orderClause, all_columns(within, input));
	clause->frameOptions = frame->options;
	clause->startOffset = copyObject(frame->start);
	clause->endOffset = copyObject(frame->end);
	clause->winref = (Index) list_length(within->query->windowClause) + 1;
	within->query->windowClause = lappend(within->query->windowClause, clause);
	return clause->winref;
}

/* The windows made so far, in parallel lists: frames, whether ordered, numbers. */
typedef struct Made
{
	List *frames;
	List *ordered;
	List *numbers;
} Made;

static Index
window_of(DpWritten *within, const DpNode *input, const DpExpr *call,
		  DpWindowFrame *frame, Made *made)
{
	bool ordered = dp_order_matters_to(call, frame);
	Index number;
	ListCell *cell;

	foreach (cell, made->frames)
	{
		int i = foreach_current_index(cell);

		if (lfirst(cell) == frame && list_nth_int(made->ordered, i) == ordered)
			return (Index) list_nth_int(made->numbers, i);
	}
	number = add_window(within, input, frame, ordered);
	made->frames = lappend(made->frames, frame);
	made->ordered = lappend_int(made->ordered, ordered);
	made->numbers = lappend_int(made->numbers, (int) number);
	return number;
}

Query *
dp_combined_window(DpWritten *around, const DpWindow *window)
{
	const DpNode *input = window->node.inputs[0];
	DpWritten within = dp_written_query(around, input);
	Made made = {NIL, NIL, NIL};
	List *calls = NIL;
	ListCell *cell;
	ListCell *frame;

	foreach (cell, window->calls)
	{
		Node *call = dp_written_expr(&within, lfirst(cell));

		(void) dp_query_add_target(within.query, call, NULL);
		calls = lappend(calls, castNode(WindowFunc, call));
	}
	forboth (cell, window->calls, frame, window->frames)
	{
		lfirst_node(WindowFunc,
					list_nth_cell(calls, foreach_current_index(cell)))
			->winref =
			window_of(&within, input, lfirst(cell), lfirst(frame), &made);
	}
	within.query->hasWindowFuncs = true;
	return within.query;
}

/*
 * Unions
 */

Query *
dp_combined_union(DpWritten *around, const DpNode *node)
{
	DpWritten within = dp_written_within(around, NULL, false);
	List *parts = NIL;
	List *columns = NIL;
	int i;

	for (i = 0; i < node->ninputs; i++)
		parts =
			lappend(parts, dp_written_query(&within, node->inputs[i]).query);
	for (i = 0; i < node->ncolumns; i++)
	{
		DpType type = node->columns[i].type;

		columns = lappend(columns, makeVar(1, (AttrNumber) (i + 1), type.oid,
										   type.typmod, type.collation, 0));
	}
	return dp_query_union(parts, columns, "part");
}
