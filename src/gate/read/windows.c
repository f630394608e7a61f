/*
 * windows.c
 *		Reads window functions of sub-queries.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_oper.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/facts/facts.h"
#include "gate/question/relations/locations.h"
#include "gate/question/relations/refusal.h"
#include "gate/read/windows.h"
#include "gate/tree/functions.h"

/* Calls that are taken out of expressions. */
typedef struct Calls
{
	DpOutputs *outputs;
	List *calls;		   /* of const DpExpr */
	List *frames;		   /* beside: DpWindowFrame */
	List *written;		   /* of DpWindowFrame: one for each WINDOW clause */
	const DpWindowFrame *ordered; /* by whose order functions go; NULL: none */
	List *ties;			   /* that tell equal rows apart: of const DpExpr */
	List *tie_directions;  /* beside: SortGroupClause */
} Calls;

/*
 * Functions that depend on the order of equal rows
 */

static bool
ignores_frame(Oid function)
{
	switch (function)
	{
		case F_ROW_NUMBER:
		case F_LAG_ANYELEMENT:
		case F_LAG_ANYELEMENT_INT4:
		case F_LAG_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE:
		case F_LEAD_ANYELEMENT:
		case F_LEAD_ANYELEMENT_INT4:
		case F_LEAD_ANYCOMPATIBLE_INT4_ANYCOMPATIBLE:
			return true;
		default:
			return false;
	}
}

static bool
ignores_order(Oid function)
{
	switch (function)
	{
		case F_RANK_:
		case F_DENSE_RANK_:
		case F_PERCENT_RANK_:
		case F_CUME_DIST_:
			return true;
		default:
			return false;
	}
}

/* An aggregate over whole sets of equal rows does not depend on their order. */
static bool
depends_on_order(Oid function, int options)
{
	return !ignores_order(function) &&
		   (ignores_frame(function) || function == F_FIRST_VALUE ||
			function == F_LAST_VALUE || (options & FRAMEOPTION_ROWS));
}

/*
 * The frame must be what it was when equal rows are told apart: it is one of
 * rows, or the end that the function looks at is the window's.
 */
static void
check_frame(Oid function, int options, int location)
{
	bool is_kept = (options & FRAMEOPTION_ROWS) ||
				   (function == F_FIRST_VALUE &&
					(options & FRAMEOPTION_START_UNBOUNDED_PRECEDING)) ||
				   (function == F_LAST_VALUE &&
					(options & FRAMEOPTION_END_UNBOUNDED_FOLLOWING));

	if (ignores_frame(function))
		return;
	if (!is_kept)
		dp_gate_refuse(
			"first_value or last_value of a frame that ends between equal rows",
			"Write ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING.",
			location);
	if (options & FRAMEOPTION_EXCLUSION)
		dp_gate_refuse("EXCLUDE in a window frame", "Leave it out.", location);
}

/* The function that tells values apart that are equal: 1.0 and 1.00, 0 and -0. */
static Oid
bytes_function(Oid type)
{
	switch (getBaseType(type))
	{
		case NUMERICOID:
			return F_NUMERIC_SEND;
		case FLOAT4OID:
			return F_FLOAT4SEND;
		case FLOAT8OID:
			return F_FLOAT8SEND;
		case BPCHAROID:
			return F_BPCHARSEND;
		default:
			return InvalidOid;
	}
}

static const DpExpr *
bytes_of(const DpExpr *column)
{
	Oid function = bytes_function(column->type.oid);
	const DpExpr **args = palloc(sizeof(DpExpr *));
	DpExpr *result;

	if (!OidIsValid(function))
		return column;
	args[0] = column;
	result = dp_expr_make(DP_EXPR_CALL, (DpType){BYTEAOID, -1, InvalidOid}, 1,
						  args, -1);
	result->call.function = function;
	result->call.form = COERCE_EXPLICIT_CALL;
	return result;
}

static void
add_tie(Calls *calls, const DpExpr *expr)
{
	SortGroupClause *direction = makeNode(SortGroupClause);

	get_sort_group_operators(expr->type.oid, true, true, false,
							 &direction->sortop, &direction->eqop, NULL,
							 &direction->hashable);
	calls->ties = lappend(calls->ties, (void *) expr);
	calls->tie_directions = lappend(calls->tie_directions, direction);
}

static bool
add_column(const DpExpr *expr, void *context)
{
	Calls *calls = context;
	ListCell *cell;

	if (expr->kind != DP_EXPR_COLUMN || expr->column.depth != 0)
		return false;
	if (!dp_functions_is_sortable(expr->type.oid))
		dp_gate_refuse(
			psprintf("a value of type %s beside a window function that "
					 "depends on the order of rows",
					 format_type_be(expr->type.oid)),
			"Rows that are equal to ORDER BY are ordered by all columns, "
			"and this type has no order: leave the column out.",
			expr->location);
	foreach (cell, calls->ties)
	{
		if (dp_expr_equal(lfirst(cell), bytes_of(expr)))
			return false;
	}
	add_tie(calls, bytes_of(expr));
	return false;
}

/*
 * Everything that the query computes from rows, which tells apart all that differ
 * in it; of groups their keys.
 */
static void
find_ties(Calls *calls)
{
	DpOutputs *outputs = calls->outputs;
	const Query *query = outputs->scope->query;
	ListCell *cell;

	if (query->hasAggs || query->groupClause != NIL)
	{
		foreach (cell, dp_outputs_of_clauses(outputs, query->groupClause))
			add_tie(calls, lfirst(cell));
		return;
	}
	foreach (cell, outputs->exprs)
		(void) dp_expr_visit(lfirst(cell), add_column, calls);
}

/* The same frame, of rows that are all told apart. */
static DpWindowFrame *
order_frame(Calls *calls, const DpWindowFrame *frame)
{
	DpWindowFrame *result = palloc(sizeof(DpWindowFrame));
	const DpWindowFrame *first = calls->ordered;

	if (first == NULL)
		find_ties(calls);
	else if (!equal(first->clause->partitionClause,
					frame->clause->partitionClause) ||
			 !equal(first->clause->orderClause, frame->clause->orderClause))
		dp_gate_refuse("window functions that depend on several orders of "
					   "the rows",
					   "Compute one of them in a sub-query.", -1);
	calls->ordered = frame;
	*result = *frame;
	result->order = list_concat_copy(frame->order, calls->ties);
	result->directions =
		list_concat_copy(frame->directions, calls->tie_directions);
	return result;
}

/*
 * Windows
 */

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
frame_of(Calls *calls, const DpExpr *call)
{
	Oid function = call->total->function;
	ListCell *cell;

	foreach (cell, calls->written)
	{
		DpWindowFrame *frame = lfirst(cell);

		if (frame->clause->winref != call->total->window->winref)
			continue;
		if (!depends_on_order(function, frame->options))
			return frame;
		check_frame(function, frame->options, call->location);
		return order_frame(calls, frame);
	}
	elog(ERROR, "a window function without a window");
}

/* An expression over the rows as one over those with the results of calls. */
static const DpExpr *
take_call(const DpExpr *expr, int depth, void *context)
{
	Calls *calls = context;
	DpColumnName name = {0, calls->outputs->rows->ncolumns +
								list_length(calls->calls)};

	if (expr->kind != DP_EXPR_WINDOW_CALL || depth != 0)
		return NULL;
	if (dp_functions_adds_floats(expr->total->function))
		dp_gate_refuse("a floating-point sum or average over a window",
					   "It would depend on the order of rows: cast what is "
					   "added to numeric.",
					   expr->location);
	calls->calls = lappend(calls->calls, (void *) expr);
	calls->frames = lappend(calls->frames, frame_of(calls, expr));
	return dp_expr_column(name, expr->type, expr->location);
}

void
dp_windows_make(DpOutputs *outputs)
{
	const Query *query = outputs->scope->query;
	Calls calls = {.outputs = outputs};
	List *exprs = NIL;
	ListCell *cell;

	if (query->windowClause == NIL)
		return;
	foreach (cell, query->windowClause)
		calls.written =
			lappend(calls.written,
					read_frame(outputs, lfirst_node(WindowClause, cell)));
	foreach (cell, outputs->exprs)
		exprs = lappend(exprs, (void *) dp_expr_change(lfirst(cell), take_call,
													   &calls));
	outputs->exprs = exprs;
	if (calls.calls != NIL)
		outputs->rows = dp_facts_add(
			&dp_node_window(outputs->rows, calls.calls, calls.frames, -1)
				 ->node);
}
