/*
 * totals.c
 *		Reads the server's own aggregates and window functions over a unit's rows.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/lsyscache.h"

#include "gate/question/relations/refusal.h"
#include "gate/read/expression.h"
#include "gate/read/totals.h"
#include "gate/tree/functions.h"

static void
refuse(Oid function, const char *why, int location)
{
	const char *name = get_func_name(function);

	dp_gate_refuse(psprintf("%s%s", name == NULL ? "a function" : name, why),
				   "Sub-queries over protected relations can have count, sum, "
				   "avg, min, max, bool_and and bool_or of numbers, dates and "
				   "times, and window functions such as row_number and lag.",
				   location);
}

/* The expressions that an aggregate's targets are. */
static List *
values_of(const Aggref *aggref)
{
	List *values = NIL;
	ListCell *cell;

	foreach (cell, aggref->args)
		values = lappend(values, lfirst_node(TargetEntry, cell)->expr);
	return values;
}

static void
check_aggregate(const Aggref *aggref)
{
	ListCell *cell;

	if (!dp_functions_is_total_aggregate(aggref->aggfnoid))
		refuse(aggref->aggfnoid, " in a sub-query", aggref->location);
	if (aggref->aggorder != NIL || aggref->aggdirectargs != NIL)
		refuse(aggref->aggfnoid, " with ORDER BY", aggref->location);
	if (aggref->aggdistinct == NIL)
		return;
	foreach (cell, values_of(aggref))
	{
		if (!dp_functions_is_sortable(exprType(lfirst(cell))))
			refuse(aggref->aggfnoid, " with DISTINCT of such a type",
				   aggref->location);
	}
}

/* Without its arguments and filter, which are expressions. */
static Aggref *
bare_aggregate(const Aggref *written)
{
	Aggref *aggref = makeNode(Aggref);

	*aggref = *written;
	aggref->args = NIL;
	aggref->aggdistinct = NIL;
	aggref->aggfilter = NULL;
	return copyObject(aggref);
}

static WindowFunc *
bare_window(const WindowFunc *written)
{
	WindowFunc *window = makeNode(WindowFunc);

	*window = *written;
	window->args = NIL;
	window->aggfilter = NULL;
	return copyObject(window);
}

static const DpExpr *
read_filter(DpScope *scope, Expr *filter)
{
	return filter == NULL ? NULL
						  : dp_expression_read_part(scope, (Node *) filter);
}

static const DpExpr *
read_aggregate(DpScope *scope, const Aggref *aggref)
{
	DpExpr *expr;

	check_aggregate(aggref);
	expr = dp_expression_make(scope, DP_EXPR_AGGREGATE, (Node *) aggref,
							  values_of(aggref));
	expr->input_collation = aggref->inputcollid;
	expr->total = palloc0(sizeof(DpTotal));
	expr->total->function = aggref->aggfnoid;
	expr->total->is_distinct = aggref->aggdistinct != NIL;
	expr->total->filter = read_filter(scope, aggref->aggfilter);
	expr->total->aggref = bare_aggregate(aggref);
	return expr;
}

static const DpExpr *
read_window_call(DpScope *scope, const WindowFunc *window)
{
	DpExpr *expr;

	if (!dp_functions_is_total_window(window->winfnoid))
		refuse(window->winfnoid, " as a window function", window->location);
	expr = dp_expression_make(scope, DP_EXPR_WINDOW_CALL, (Node *) window,
							  window->args);
	expr->input_collation = window->inputcollid;
	expr->total = palloc0(sizeof(DpTotal));
	expr->total->function = window->winfnoid;
	expr->total->filter = read_filter(scope, window->aggfilter);
	expr->total->window = bare_window(window);
	return expr;
}

const DpExpr *
dp_totals_read(DpScope *scope, Node *call)
{
	return IsA(call, Aggref) ? read_aggregate(scope, (Aggref *) call)
							 : read_window_call(scope, (WindowFunc *) call);
}
