/*
 * window_order.c
 *		Rows of a window that its ORDER BY does not tell apart.
 *
 * Functions whose result depends on that order get a window of their own,
 * sorted by the other columns of the query, too. Other functions, such as
 * rank() and aggregates up to the last equal row, keep theirs. Two different
 * orders in one query are refused: equal rows could change places in one of
 * them only.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "gate/question/expressions/expression.h"
#include "gate/question/expressions/totals.h"
#include "gate/question/rows/window_order.h"

/* Functions of a window to which the order matters, and the window they get. */
typedef struct Ordered
{
	const WindowClause *window;
	Index reference;
	bool is_found;
} Ordered;

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
depends_on_order(const WindowFunc *function, const WindowClause *window)
{
	Oid oid = function->winfnoid;

	return !ignores_order(oid) &&
		   (ignores_frame(oid) || oid == F_FIRST_VALUE || oid == F_LAST_VALUE ||
			(window->frameOptions & FRAMEOPTION_ROWS));
}

/*
 * The frame must be what it was when equal rows are told apart: it is one of
 * rows, or the end that the function looks at is the window's.
 */
static void
check_frame(const WindowFunc *function, const WindowClause *window)
{
	int options = window->frameOptions;
	bool is_kept = (options & FRAMEOPTION_ROWS) ||
				   (function->winfnoid == F_FIRST_VALUE &&
					(options & FRAMEOPTION_START_UNBOUNDED_PRECEDING)) ||
				   (function->winfnoid == F_LAST_VALUE &&
					(options & FRAMEOPTION_END_UNBOUNDED_FOLLOWING));

	if (ignores_frame(function->winfnoid))
		return;
	if (!is_kept)
		dp_gate_refuse(
			"first_value or last_value of a frame that ends between equal rows",
			"Write ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING.",
			function->location);
	if (options & FRAMEOPTION_EXCLUSION)
		dp_gate_refuse("EXCLUDE in a window frame", "Leave it out.",
					   function->location);
}

static bool
order_walker(Node *node, Ordered *ordered)
{
	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, WindowFunc) &&
		((WindowFunc *) node)->winref == ordered->window->winref &&
		depends_on_order((WindowFunc *) node, ordered->window))
	{
		check_frame((WindowFunc *) node, ordered->window);
		((WindowFunc *) node)->winref = ordered->reference;
		ordered->is_found = true;
	}
	return expression_tree_walker(node, order_walker, ordered);
}

/* What tells values apart that are equal: 1.0 and 1.00, 0 and -0. */
static Expr *
bytes_of(Var *column)
{
	Oid function;

	switch (getBaseType(column->vartype))
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
			return dp_gate_byte_order((Expr *) column);
	}
	return (Expr *) makeFuncExpr(function, BYTEAOID, list_make1(column),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Clauses that order rows by everything that the query computes from them. */
static List *
all_columns(Query *query)
{
	List *seen = NIL;
	List *clauses = NIL;
	ListCell *cell;

	if (query->hasAggs || query->groupClause != NIL)
	{
		foreach (cell, query->groupClause)
			clauses =
				lappend(clauses,
						dp_gate_clause_for(get_sortgroupclause_tle(
											   lfirst(cell), query->targetList),
										   query->targetList));
		return clauses;
	}
	foreach (cell, pull_vars_of_level((Node *) query->targetList, 0))
	{
		Var *column = lfirst_node(Var, cell);
		TargetEntry *entry;

		if (list_member(seen, column))
			continue;
		seen = lappend(seen, column);
		if (!dp_gate_is_sortable(column->vartype))
			dp_gate_refuse(
				psprintf("a value of type %s beside a window function that "
						 "depends on the order of rows",
						 format_type_be(column->vartype)),
				"Rows that are equal to ORDER BY are ordered by all columns, "
				"and this type has no order: leave the column out.",
				column->location);
		entry = makeTargetEntry(bytes_of(copyObject(column)),
								(AttrNumber) list_length(query->targetList) + 1,
								NULL, true);
		query->targetList = lappend(query->targetList, entry);
		clauses =
			lappend(clauses, dp_gate_clause_for(entry, query->targetList));
	}
	return clauses;
}

static Index
next_window(const Query *query)
{
	Index most = 0;
	ListCell *cell;

	foreach (cell, query->windowClause)
		most = Max(most, lfirst_node(WindowClause, cell)->winref);
	return most + 1;
}

void
dp_gate_order_windows(Query *query)
{
	List *windows = list_copy(query->windowClause);
	const WindowClause *first = NULL;
	List *ties = NIL;
	ListCell *cell;

	foreach (cell, windows)
	{
		WindowClause *window = lfirst_node(WindowClause, cell);
		Ordered ordered = {window, next_window(query), false};

		(void) order_walker((Node *) query->targetList, &ordered);
		if (!ordered.is_found)
			continue;
		if (first == NULL)
			ties = all_columns(query);
		else if (!equal(first->partitionClause, window->partitionClause) ||
				 !equal(first->orderClause, window->orderClause))
			dp_gate_refuse("window functions that depend on several orders of "
						   "the rows",
						   "Compute one of them in a sub-query.", -1);
		first = window;
		window = copyObject(window);
		window->name = window->refname = NULL;
		window->winref = ordered.reference;
		window->orderClause = list_concat_copy(window->orderClause, ties);
		query->windowClause = lappend(query->windowClause, window);
	}
}
