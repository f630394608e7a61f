/*
 * calls.c
 *		Reads functions, comparisons with lists, and totals of a unit.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "gate/read/calls.h"
#include "gate/read/expanded.h"
#include "gate/read/failing_calls.h"
#include "gate/read/operators.h"
#include "gate/read/parts.h"
#include "gate/relations/refusal.h"
#include "gate/tree/functions.h"

const DpExpr *
dp_calls_read_function(DpScope *scope, Node *node)
{
	FuncExpr *function = (FuncExpr *) node;
	const DpExpr *expanded;
	DpExpr *expr;

	if (function->funcretset)
		dp_parts_refuse(scope, node);
	if (dp_failing_calls_is_moment(node))
		return dp_parts_make_moment(node);
	expanded = dp_expanded_call(scope, function);
	if (expanded != NULL)
		return expanded;
	dp_operators_check_function(scope, function->funcid, node, function->args,
								function->location);
	dp_operators_check_collation(scope, function->inputcollid, function->args,
								 function->location);
	expr = dp_parts_make(scope, DP_EXPR_CALL, node, function->args);
	expr->input_collation = function->inputcollid;
	expr->call.function = function->funcid;
	expr->call.form = function->funcformat;
	expr->call.is_variadic = function->funcvariadic;
	return expr;
}

/*
 * Lists
 */

/* The elements of an array, as constants. */
static List *
constants_of(ArrayType *array)
{
	Oid type = ARR_ELEMTYPE(array);
	List *constants = NIL;
	int16 length;
	bool by_value;
	char align;
	Datum *values;
	bool *nulls;
	int count;
	int i;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(array, type, length, by_value, align, &values, &nulls,
					  &count);
	for (i = 0; i < count; i++)
		constants = lappend(constants,
							makeConst(type, -1, get_typcollation(type), length,
									  values[i], nulls[i], by_value));
	return constants;
}

/*
 * The elements, as Nodes: of IN (1, 2), ARRAY[1, $1] or of a constant array,
 * whatever its dimensions. False for an array that is null, of arrays, or not
 * known before it is computed.
 */
static bool
find_elements(Node *array, List **elements)
{
	if (IsA(array, ArrayExpr) && !((ArrayExpr *) array)->multidims)
		*elements = ((ArrayExpr *) array)->elements;
	else if (IsA(array, Const) && !((Const *) array)->constisnull)
		*elements =
			constants_of(DatumGetArrayTypeP(((Const *) array)->constvalue));
	else
		return false;
	return true;
}

/* A comparison with each element. */
static const DpExpr *
read_each(DpScope *scope, const ScalarArrayOpExpr *op, List *elements)
{
	List *read = NIL;
	List *calls = NIL;

	foreach_ptr (Node, node, elements)
	{
		OpExpr *call = makeNode(OpExpr);

		call->opno = op->opno;
		call->opfuncid = op->opfuncid;
		call->opresulttype = BOOLOID;
		call->inputcollid = op->inputcollid;
		call->args = list_make2(linitial(op->args), node);
		call->location = op->location;
		if (read != NIL)
			read =
				list_make2(linitial(read), (void *) dp_parts_read(scope, node));
		calls = lappend(calls, (void *) dp_operators_make(scope, call,
														  DP_EXPR_CALL, &read));
	}
	if (list_length(calls) == 1)
		return linitial(calls);
	return dp_expanded_check_list(
		dp_expr_over(op->useOr ? DP_EXPR_OR : DP_EXPR_AND,
					 dp_expr_type_of((const Node *) op), calls, op->location));
}

const DpExpr *
dp_calls_read_any(DpScope *scope, Node *node)
{
	ScalarArrayOpExpr *op = (ScalarArrayOpExpr *) node;
	Node *array = lsecond(op->args);
	List *elements = NIL;
	bool is_list = find_elements(array, &elements);
	const DpExpr *list = NULL;
	const DpExpr *x;
	DpExpr *expr;

	if (elements != NIL && !dp_functions_is_total(op->opfuncid))
		return read_each(scope, op, elements);
	dp_operators_check(scope, op->opno, op->opfuncid, node, op->args,
					   op->location);
	dp_operators_check_collation(scope, op->inputcollid, op->args,
								 op->location);
	if (IsA(array, SubLink)) /* it may be a value that is found before */
		list = dp_parts_read(scope, array);
	if ((list == NULL || list->kind != DP_EXPR_PARAMETER) &&
		!IsA(array, ArrayExpr) && !IsA(array, Const) && !IsA(array, Param) &&
		!IsA(array, Var) && !IsA(array, FuncExpr) && !IsA(array, OpExpr) &&
		!IsA(array, SubscriptingRef))
		dp_parts_refuse(scope, node);
	x = dp_parts_read(scope, linitial(op->args));
	if (list == NULL)
		list = IsA(array, Const) && is_list
				   ? dp_parts_make_array(scope, array, elements)
				   : dp_parts_read(scope, array);
	expr = dp_expr_over(op->useOr ? DP_EXPR_ANY : DP_EXPR_ALL,
						dp_expr_type_of(node),
						list_make2((void *) x, (void *) list), op->location);
	expr->input_collation = op->inputcollid;
	expr->call.function = op->opfuncid;
	expr->call.operator= op->opno;
	return dp_expanded_check_list(expr);
}

/*
 * Reads the server's own aggregates and window functions over a unit's rows.
 */

static void
refuse_total(Oid function, const char *why, int location)
{
	const char *name = get_func_name(function);

	dp_refusal_raise(
		psprintf("%s%s", name == NULL ? "a function" : name, why),
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

	foreach_ptr (TargetEntry, entry, aggref->args)
		values = lappend(values, entry->expr);
	return values;
}

static void
check_aggregate(const Aggref *aggref)
{
	ListCell *cell;

	if (!dp_functions_is_total_aggregate(aggref->aggfnoid))
		refuse_total(aggref->aggfnoid, " in a sub-query", aggref->location);
	if (aggref->aggorder != NIL || aggref->aggdirectargs != NIL)
		refuse_total(aggref->aggfnoid, " with ORDER BY", aggref->location);
	if (aggref->aggdistinct == NIL)
		return;
	foreach (cell, values_of(aggref))
	{
		if (!dp_functions_is_sortable(exprType(lfirst(cell))))
			refuse_total(aggref->aggfnoid, " with DISTINCT of such a type",
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
	return filter == NULL ? NULL : dp_parts_read(scope, (Node *) filter);
}

static const DpExpr *
read_aggregate(DpScope *scope, const Aggref *aggref)
{
	DpExpr *expr;

	check_aggregate(aggref);
	expr = dp_parts_make(scope, DP_EXPR_AGGREGATE, (Node *) aggref,
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
		refuse_total(window->winfnoid, " as a window function",
					 window->location);
	expr = dp_parts_make(scope, DP_EXPR_WINDOW_CALL, (Node *) window,
						 window->args);
	expr->input_collation = window->inputcollid;
	expr->total = palloc0(sizeof(DpTotal));
	expr->total->function = window->winfnoid;
	expr->total->filter = read_filter(scope, window->aggfilter);
	expr->total->window = bare_window(window);
	return expr;
}

const DpExpr *
dp_calls_read_total(DpScope *scope, Node *call)
{
	return IsA(call, Aggref) ? read_aggregate(scope, (Aggref *) call)
							 : read_window_call(scope, (WindowFunc *) call);
}
