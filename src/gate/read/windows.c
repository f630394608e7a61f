/*
 * windows.c
 *		Reads window functions of sub-queries.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "gate/question/relations/locations.h"
#include "gate/question/relations/refusal.h"
#include "gate/read/windows.h"
#include "gate/tree/functions.h"

/* Calls that are taken out of expressions. */
typedef struct Calls
{
	const DpNode *rows;
	List *calls;   /* of const DpExpr */
	List *frames;  /* beside: DpWindowFrame */
	List *written; /* of DpWindowFrame: one for each WINDOW clause */
} Calls;

static bool
find_call(const DpExpr *expr, void *context)
{
	WindowFunc *sought = context;

	if (expr->kind != DP_EXPR_WINDOW_CALL ||
		expr->total->window->winref != sought->winref)
		return false;
	sought->location = expr->location;
	return true;
}

/* The first function over a window. */
static int
location_of(const DpOutputs *outputs, const WindowClause *clause)
{
	WindowFunc sought = {.winref = clause->winref};
	ListCell *cell;

	foreach (cell, outputs->exprs)
	{
		if (dp_expr_visit(lfirst(cell), find_call, &sought))
			return sought.location;
	}
	return dp_gate_location_of_query(outputs->scope->query);
}

static void
check_sortable(List *keys)
{
	ListCell *cell;

	foreach (cell, keys)
	{
		const DpExpr *key = lfirst(cell);

		if (!dp_functions_is_sortable(key->type.oid))
			dp_gate_refuse(
				"a window ordered or partitioned by values of such a type",
				"Order by numbers, texts, dates or times.", key->location);
	}
}

static DpWindowFrame *
read_frame(const DpOutputs *outputs, WindowClause *clause)
{
	DpWindowFrame *frame = palloc0(sizeof(DpWindowFrame));
	List *written = dp_outputs_of_clauses(outputs, clause->partitionClause);

	frame->partition = dp_outputs_add_unit(outputs, written, "a window",
										   location_of(outputs, clause));
	if (clause->startOffset != NULL || clause->endOffset != NULL)
		dp_gate_refuse("a window frame with an offset",
					   "Write lag or lead, or UNBOUNDED PRECEDING.",
					   exprLocation(clause->startOffset != NULL
										? clause->startOffset
										: clause->endOffset));
	frame->order = dp_outputs_of_clauses(outputs, clause->orderClause);
	check_sortable(frame->partition);
	check_sortable(frame->order);
	frame->directions = clause->orderClause;
	frame->options = clause->frameOptions;
	frame->clause = clause;
	return frame;
}

static DpWindowFrame *
frame_of(const Calls *calls, const DpExpr *call)
{
	ListCell *cell;

	foreach (cell, calls->written)
	{
		DpWindowFrame *frame = lfirst(cell);

		if (frame->clause->winref == call->total->window->winref)
			return frame;
	}
	elog(ERROR, "a window function without a window");
}

/* An expression over the rows as one over those with the results of calls. */
static const DpExpr *
take_call(const DpExpr *expr, int depth, void *context)
{
	Calls *calls = context;
	DpColumnName name = {0, calls->rows->ncolumns + list_length(calls->calls)};

	if (expr->kind != DP_EXPR_WINDOW_CALL || depth != 0)
		return NULL;
	calls->calls = lappend(calls->calls, (void *) expr);
	calls->frames = lappend(calls->frames, frame_of(calls, expr));
	return dp_expr_column(name, expr->type, expr->location);
}

void
dp_windows_make(DpOutputs *outputs)
{
	const Query *query = outputs->scope->query;
	Calls calls = {.rows = outputs->rows};
	List *exprs = NIL;
	ListCell *cell;

	if (query->windowClause == NIL)
		return;
	foreach (cell, query->windowClause)
		calls.written =
			lappend(calls.written,
					read_frame(outputs, lfirst_node(WindowClause, cell)));
	foreach (cell, outputs->exprs)
		exprs = lappend(
			exprs, (void *) dp_expr_change(lfirst(cell), take_call, &calls));
	outputs->exprs = exprs;
	if (calls.calls != NIL)
		outputs->rows = dp_outputs_add_facts(
			&dp_node_window(outputs->rows, calls.calls, calls.frames, -1)
				 ->node);
}
