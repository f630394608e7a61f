/*
 * window_groups.c
 *		SELECT DISTINCT of aggregates over windows, as GROUP BY.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"

#include "gate/read/window_groups.h"
#include "server/compat.h"
#include "server/search.h"

/* The columns of a query that are no aggregates: clauses of DISTINCT. */
static List *
keys_of(const Query *query)
{
	List *keys = NIL;

	foreach_node (SortGroupClause, clause, query->distinctClause)
	{
		if (!contain_windowfuncs(
				get_sortgroupclause_expr(clause, query->targetList)))
			keys = lappend(keys, clause);
	}
	return keys;
}

/* Whether a window is all rows of a group. keys: what is grouped by. */
static bool
is_group(const WindowClause *window, List *keys, List *targets)
{
	List *parts = get_sortgrouplist_exprs(window->partitionClause, targets);

	return window->orderClause == NIL &&
		   (window->frameOptions & FRAMEOPTION_NONDEFAULT) == 0 &&
		   list_difference(parts, keys) == NIL &&
		   list_difference(keys, parts) == NIL;
}

static bool
is_no_aggregate(Node *node, void *context)
{
	(void) context;
	return IsA(node, WindowFunc) && !((WindowFunc *) node)->winagg;
}

/* The aggregate of a window's rows as one of a group's. */
static Node *
aggregate_of(Node *node, int depth, void *context)
{
	const WindowFunc *call = (WindowFunc *) node;
	Aggref *aggref;
	ListCell *cell;

	(void) depth;
	(void) context;
	if (IsA(node, Query))
		return node;
	if (!IsA(node, WindowFunc))
		return NULL;
	aggref = makeNode(Aggref);
	aggref->aggfnoid = call->winfnoid;
	aggref->aggtype = call->wintype;
	aggref->aggcollid = call->wincollid;
	aggref->inputcollid = call->inputcollid;
	aggref->aggfilter = call->aggfilter;
	aggref->aggstar = call->winstar;
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggsplit = AGGSPLIT_SIMPLE;
	aggref->aggno = aggref->aggtransno = -1;
	aggref->location = call->location;
	foreach (cell, call->args)
	{
		aggref->aggargtypes =
			lappend_oid(aggref->aggargtypes, exprType(lfirst(cell)));
		aggref->args = lappend(
			aggref->args,
			makeTargetEntry(lfirst(cell),
							(AttrNumber) (foreach_current_index(cell) + 1),
							NULL, false));
	}
	return (Node *) aggref;
}

void
dp_window_groups_form(Query *query)
{
	List *keys = keys_of(query);
	List *expressions = get_sortgrouplist_exprs(keys, query->targetList);

	if (keys == NIL || !query->hasWindowFuncs || query->hasDistinctOn ||
		query->hasAggs || query->havingQual != NULL ||
		query->groupClause != NIL || query->groupingSets != NIL ||
		query->hasTargetSRFs ||
		dp_search_within((Node *) query->targetList, is_no_aggregate, NULL))
		return;
	foreach_node (WindowClause, window, query->windowClause)
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_group(window, expressions, query->targetList))
			return;
	}
	query->targetList = (List *) dp_search_replace((Node *) query->targetList,
												   aggregate_of, NULL);
	query->groupClause = keys;
	query->distinctClause = NIL;
	query->windowClause = NIL;
	query->hasWindowFuncs = false;
	query->hasAggs = true;
}
