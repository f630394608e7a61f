/*
 * totals.c
 *		The server's own aggregates and window functions over a unit's rows.
 *
 * Which cannot fail is in gate/tree/functions.c.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_oper.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "gate/question/expressions/expression.h"
#include "gate/question/expressions/totals.h"

/*
 * The greatest values that are summed, as texts of the type; greater ones are
 * null to sums.
 */
#define MOST_FLOAT4 "1e20"
#define MOST_FLOAT8 "1e140"
#define MOST_NUMERIC "1e1000"

bool
dp_gate_is_sortable(Oid type)
{
	return dp_functions_is_sortable(type);
}

Expr *
dp_gate_byte_order(Expr *expression)
{
	Node *node = (Node *) expression;

	if (!OidIsValid(exprCollation(node)) ||
		exprCollation(node) == C_COLLATION_OID)
		return expression;
	return (Expr *) makeRelabelType(expression, exprType(node),
									exprTypmod(node), C_COLLATION_OID,
									COERCE_IMPLICIT_CAST);
}

static Index
next_reference(List *targets)
{
	Index most = 0;
	ListCell *cell;

	foreach (cell, targets)
		most = Max(most, lfirst_node(TargetEntry, cell)->ressortgroupref);
	return most + 1;
}

SortGroupClause *
dp_gate_clause_for(TargetEntry *entry, List *targets)
{
	SortGroupClause *clause = makeNode(SortGroupClause);

	if (entry->ressortgroupref == 0)
		entry->ressortgroupref = next_reference(targets);
	clause->tleSortGroupRef = entry->ressortgroupref;
	get_sort_group_operators(exprType((Node *) entry->expr), true, true, false,
							 &clause->sortop, &clause->eqop, NULL,
							 &clause->hashable);
	return clause;
}

static Const *
bound(Oid type, const char *text)
{
	Oid input;
	Oid parameter;
	int16 length;
	bool by_value;

	getTypeInputInfo(type, &input, &parameter);
	get_typlenbyval(type, &length, &by_value);
	return makeConst(type, -1, InvalidOid, length,
					 OidInputFunctionCall(input, (char *) text, parameter, -1),
					 false, by_value);
}

static Node *
compare(Oid operator, Node * value, Oid type, const char *text)
{
	Expr *result =
		make_opclause(operator, BOOLOID, false, (Expr *) copyObject(value),
					  (Expr *) bound(type, text), InvalidOid, InvalidOid);

	set_opfuncid((OpExpr *) result);
	return (Node *) result;
}

/* CASE WHEN value BETWEEN -most AND most THEN value END */
static Expr *
clamp(Expr *value, Oid type, const char *most)
{
	CaseExpr *result = makeNode(CaseExpr);
	CaseWhen *when = makeNode(CaseWhen);
	Oid least_operator = get_opfamily_member(
		get_opclass_family(GetDefaultOpClass(type, BTREE_AM_OID)), type, type,
		BTGreaterEqualStrategyNumber);
	Oid most_operator = get_opfamily_member(
		get_opclass_family(GetDefaultOpClass(type, BTREE_AM_OID)), type, type,
		BTLessEqualStrategyNumber);

	if (getBaseType(exprType((Node *) value)) != type)
		elog(ERROR, "unexpected type of a sum");
	when->expr = (Expr *) make_andclause(list_make2(
		compare(least_operator, (Node *) value, type, psprintf("-%s", most)),
		compare(most_operator, (Node *) value, type, most)));
	when->result = value;
	when->location = -1;
	result->casetype = exprType((Node *) value);
	result->args = list_make1(when);
	result->defresult =
		(Expr *) makeNullConst(result->casetype, -1, InvalidOid);
	result->location = -1;
	return (Expr *) result;
}

/* A value for a sum, null where it is too great for that. */
static Expr *
limit_value(Oid function, Expr *value)
{
	switch (function)
	{
		case F_SUM_FLOAT4:
			return clamp(value, FLOAT4OID, MOST_FLOAT4);
		case F_SUM_FLOAT8:
		case F_AVG_FLOAT8:
			return clamp(value, FLOAT8OID, MOST_FLOAT8);
		case F_SUM_NUMERIC:
		case F_AVG_NUMERIC:
			/* with a declared precision it has at most 1,000 digits */
			return exprTypmod((Node *) value) >= 0
					   ? value
					   : clamp(value, NUMERICOID, MOST_NUMERIC);
		default:
			return value;
	}
}

static void
limit_arguments(Oid function, List *args)
{
	ListCell *cell;

	foreach (cell, args)
	{
		if (IsA(lfirst(cell), TargetEntry))
		{
			TargetEntry *entry = lfirst(cell);

			entry->expr =
				limit_value(function, dp_gate_byte_order(entry->expr));
		}
		else
			lfirst(cell) =
				limit_value(function, dp_gate_byte_order(lfirst(cell)));
	}
}

static Node *
make_total(Node *node, void *context)
{
	node = node == NULL ? NULL
						: expression_tree_mutator(node, make_total, context);
	if (node == NULL)
		return NULL;
	if (IsA(node, Aggref))
		limit_arguments(((Aggref *) node)->aggfnoid, ((Aggref *) node)->args);
	if (IsA(node, WindowFunc))
		limit_arguments(((WindowFunc *) node)->winfnoid,
						((WindowFunc *) node)->args);
	return node;
}

Node *
dp_gate_make_total(Node *expression)
{
	return make_total(expression, NULL);
}

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

void
dp_gate_check_total(Aggref *aggref)
{
	ListCell *cell;

	if (!dp_functions_is_total_aggregate(aggref->aggfnoid))
		refuse(aggref->aggfnoid, " in a sub-query", aggref->location);
	if (aggref->aggorder != NIL || aggref->aggdirectargs != NIL)
		refuse(aggref->aggfnoid, " with ORDER BY", aggref->location);
	if (aggref->aggdistinct == NIL)
		return;
	foreach (cell, aggref->args)
	{
		if (!dp_gate_is_sortable(
				exprType((Node *) lfirst_node(TargetEntry, cell)->expr)))
			refuse(aggref->aggfnoid, " with DISTINCT of such a type",
				   aggref->location);
	}
}

void
dp_gate_check_window_function(WindowFunc *function)
{
	if (!dp_functions_is_total_window(function->winfnoid))
		refuse(function->winfnoid, " as a window function", function->location);
}

void
dp_gate_check_window(const WindowClause *window, List *targets)
{
	ListCell *cell;

	if (window->startOffset != NULL || window->endOffset != NULL)
		dp_gate_refuse("a window frame with an offset",
					   "Write lag or lead, or UNBOUNDED PRECEDING.",
					   exprLocation(window->startOffset != NULL
										? window->startOffset
										: window->endOffset));
	foreach (cell,
			 list_concat_copy(window->partitionClause, window->orderClause))
	{
		Node *key = get_sortgroupclause_expr(lfirst(cell), targets);

		if (!dp_gate_is_sortable(exprType(key)))
			dp_gate_refuse(
				"a window ordered or partitioned by values of such a type",
				"Order by numbers, texts, dates or times.", exprLocation(key));
	}
}
