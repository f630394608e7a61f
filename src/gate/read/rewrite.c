/*
 * rewrite.c
 *		Questions that are asked in the server's own aggregates.
 *
 * Only the meaning is chosen here: the result is checked as a block like any
 * other, or reads rows that are kept back and is refused.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/read/correlated.h"
#include "gate/read/key_filter.h"
#include "gate/read/people.h"
#include "gate/read/probe.h"
#include "gate/read/rewrite.h"
#include "gate/read/rewrite_aggregate.h"
#include "gate/read/window_groups.h"
#include "gate/relations/kept_back.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/protection.h"
#include "gate/relations/publics.h"
#include "gate/relations/refusal.h"
#include "gate/relations/with.h"
#include "server/compat.h"
#include "server/search.h"
#include "server/settings.h"
#include "server/stack.h"

/* A statement that is rewritten. */
typedef struct Rewriting
{
	bool
		is_beneath; /* the query is a sub-query whose rows an outer block reads */
	bool
		has_people; /* of the query around a sub-query: rows of people are in FROM */
	bool *is_changed;
} Rewriting;

static void rewrite_query(Query *query, Rewriting rewriting);

/* Replaces a query's aggregates by private ones. */

static Node *
private_aggregate(Node *node, int depth, void *query)
{
	(void) depth;
	if (IsA(node, Query))
		return node;
	if (!IsA(node, Aggref) || ((Aggref *) node)->agglevelsup != 0)
		return NULL;
	return dp_private_aggregates_is_one(((Aggref *) node)->aggfnoid)
			   ? node
			   : dp_rewrite_aggregate((Aggref *) node, query);
}

/* Refuses DISTINCT where other clauses choose or make rows before it. */
static void
check_distinct(const Query *query)
{
	const char *what = NULL;

	if (query->hasDistinctOn)
		what = "DISTINCT ON";
	else if (query->hasWindowFuncs)
		what = "a window function over rows that are not grouped";
	else if (query->hasTargetSRFs)
		what = "a function that returns a set";
	if (what != NULL)
		dp_refusal_raise(
			what, "GROUP BY the columns, with count(*) beside them.", -1);
}

/*
 * For keys without aggregates: those of DISTINCT become those of GROUP BY, and
 * a count is added.
 */
static void
ask_for_keys(Query *query)
{
	if (query->groupClause == NIL)
	{
		check_distinct(query);
		query->groupClause = query->distinctClause;
		query->distinctClause = NIL;
	}
	query->targetList =
		lappend(query->targetList,
				makeTargetEntry((Expr *) dp_rewrite_aggregate_make_of_keys(),
								list_length(query->targetList) + 1,
								pstrdup("dp_keys"), true));
	query->hasAggs = true;
}

/* Makes a query a block. */
static void
make_block(Query *query, const Rewriting *rewriting)
{
	dp_compat_flatten_groups(query);
	dp_window_groups_form(query);
	query->targetList = (List *) dp_search_replace((Node *) query->targetList,
												   private_aggregate, query);
	query->havingQual =
		dp_search_replace(query->havingQual, private_aggregate, query);
	if (!query->hasAggs && query->groupingSets == NIL)
		ask_for_keys(query);
	*rewriting->is_changed = true;
}

/* The following functions rewrite queries within a query. */

/* Rewrites a question that was made of a sub-query, for all rows around that. */
static void
rewrite_groups(Query *groups, const Rewriting *rewriting)
{
	*rewriting->is_changed = true;
	rewrite_query(groups, *rewriting);
}

/*
 * Rewrites sub-queries in expressions, except correlated ones beneath a block,
 * which belong to it; others ask about people once, for all rows around.
 */
static DpVisit
rewrite_sublink(Node *node, const List *around, void *context)
{
	const Rewriting *rewriting = context;

	(void) around;
	if (IsA(node, SubLink))
	{
		Query *query = castNode(Query, ((SubLink *) node)->subselect);
		bool may_be_grouped = ((SubLink *) node)->subLinkType == EXPR_SUBLINK &&
							  !rewriting->has_people &&
							  dp_people_reads(query, NULL);
		Query *groups = may_be_grouped ? dp_correlated_group(query) : NULL;

		if (groups != NULL)
			rewrite_groups(groups, rewriting);
		else if (!rewriting->is_beneath || !dp_publics_refers_outward(query))
			rewrite_query(query, *rewriting);
	}
	return IsA(node, Query) ? DP_VISIT_NEXT : DP_VISIT_PARTS;
}

static void
rewrite_within(Query *query, Rewriting rewriting)
{
	foreach_node (RangeTblEntry, rte, query->rtable)
	{
		if (rte->rtekind != RTE_SUBQUERY || OidIsValid(dp_protection_view(rte)))
			continue;
		if (rte->lateral && !dp_people_reads(query, rte) &&
			dp_people_reads(rte->subquery, NULL))
			foreach_ptr (Query, one, dp_correlated_group_each(rte->subquery))
				rewrite_groups(one, &rewriting);
		rewrite_query(rte->subquery, rewriting);
	}
	rewriting.has_people = dp_people_reads(query, NULL);
	(void) dp_search_query(query, rewrite_sublink, &rewriting,
						   QTW_IGNORE_RT_SUBQUERIES |
							   QTW_IGNORE_CTE_SUBQUERIES);
}

/* Rewrites the queries of WITH, in the order in which one uses another. */
static void
rewrite_ctes(Query *query, Rewriting rewriting)
{
	ListCell *cell;

	rewriting.is_beneath = true;
	foreach (cell, query->cteList)
	{
		CommonTableExpr *cte = lfirst_node(CommonTableExpr, cell);

		if (cte->cterecursive || !IsA(cte->ctequery, Query))
			continue;
		rewrite_query((Query *) cte->ctequery, rewriting);
		if (dp_with_write_out_one(query, cte) && cte->cterefcount == 0)
			query->cteList = foreach_delete_current (query->cteList, cell);
	}
}

static void
rewrite_query(Query *query, Rewriting rewriting)
{
	bool is_block;
	bool may_be_block;

	dp_stack_enter();
	if (!OidIsValid(dp_kept_back_find(query, true)))
		return;
	is_block = dp_private_aggregates_in(query);
	if (dp_probe_empty(query, is_block))
	{
		*rewriting.is_changed = true;
		return;
	}
	if (is_block) /* beneath it all stays as it is */
	{
		if (dp_setting_rewrite_aggregates)
			make_block(query, &rewriting);
		return;
	}
	rewrite_ctes(query, rewriting);
	if (query->groupingSets ==
		NIL) /* else they can be null where keys are not */
		dp_compat_flatten_groups(query);
	may_be_block = dp_people_combines(query) &&
				   !(rewriting.is_beneath && dp_people_is_of_units(query));
	rewriting.is_beneath |= may_be_block;
	rewrite_within(query, rewriting);
	if (may_be_block && dp_setting_rewrite_aggregates &&
		OidIsValid(dp_kept_back_find(query, false)))
	{
		make_block(query, &rewriting);
		dp_key_filter_repeat(query);
	}
}

bool
dp_rewrite_statement(Query *query)
{
	bool is_changed = false;

	rewrite_query(query, (Rewriting){.is_changed = &is_changed});
	return is_changed;
}
