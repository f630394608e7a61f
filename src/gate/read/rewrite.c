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
#include "gate/read/probe.h"
#include "gate/read/rewrite.h"
#include "gate/read/rewrite_aggregate.h"
#include "gate/read/tells_unit.h"
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

/* A column that a condition of FROM or WHERE says equals another. */
typedef struct Search
{
	Query *query;
	Node *column;
} Search;

/* Whether that other column is a unit. Only conditions that are ANDed count. */
static DpVisit
find_equal_unit(Node *node, const List *around, void *context)
{
	const Search *search = context;
	Node *left;
	Node *right;

	(void) around;
	if (IsA(node, FromExpr) || IsA(node, JoinExpr) || IsA(node, List) ||
		is_andclause(node))
		return DP_VISIT_PARTS;
	if (!IsA(node, OpExpr) || list_length(((OpExpr *) node)->args) != 2)
		return DP_VISIT_NEXT;
	left = linitial(((OpExpr *) node)->args);
	right = lsecond(((OpExpr *) node)->args);
	return op_mergejoinable(((OpExpr *) node)->opno, exprType(left)) &&
				   ((equal(left, search->column) &&
					 dp_tells_unit(search->query, right)) ||
					(equal(right, search->column) &&
					 dp_tells_unit(search->query, left)))
			   ? DP_VISIT_FOUND
			   : DP_VISIT_NEXT;
}

/*
 * Whether the keys of a query's groups or distinct rows seem to identify the
 * unit. This only decides how the query is read; that they do is checked
 * later.
 */
static bool
is_of_units(Query *query)
{
	List *clauses =
		query->groupClause != NIL ? query->groupClause : query->distinctClause;
	ListCell *cell;

	foreach (cell, clauses)
	{
		Search search = {
			query, get_sortgroupclause_expr(lfirst(cell), query->targetList)};

		if (dp_tells_unit(query, search.column) ||
			dp_search((Node *) query->jointree, find_equal_unit, &search, 0))
			return true;
	}
	return false;
}

/* Whether a query combines rows itself. */
static bool
combines_rows(const Query *query)
{
	return query->commandType == CMD_SELECT && query->setOperations == NULL &&
		   (query->hasAggs || query->groupClause != NIL ||
			query->groupingSets != NIL || query->distinctClause != NIL);
}

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
		dp_gate_refuse(what, "GROUP BY the columns, with count(*) beside them.",
					   -1);
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

static bool reads_people(Query *query, const RangeTblEntry *other);

/* Whether a query's rows are answers about several people. */
static bool
is_answered(Query *query)
{
	return dp_private_aggregates_in(query) ||
		   (combines_rows(query) && !is_of_units(query));
}

/* Whether an entry of FROM is rows of people that are kept back, not of answers. */
static bool
is_of_people(const Query *query, RangeTblEntry *rte)
{
	dp_stack_enter();
	if (dp_kept_back_is(query, rte))
		return true;
	return rte->rtekind == RTE_SUBQUERY &&
		   (OidIsValid(dp_gate_protected_view(rte)) ||
			!is_answered(rte->subquery)) &&
		   reads_people(rte->subquery, NULL);
}

/* Whether FROM, but for one entry or NULL, has such rows. */
static bool
reads_people(Query *query, const RangeTblEntry *other)
{
	foreach_node (RangeTblEntry, rte, query->rtable)
	{
		if (rte != other && is_of_people(query, rte))
			return true;
	}
	return false;
}

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
							  reads_people(query, NULL);
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
		if (rte->rtekind != RTE_SUBQUERY ||
			OidIsValid(dp_gate_protected_view(rte)))
			continue;
		if (rte->lateral && !reads_people(query, rte) &&
			reads_people(rte->subquery, NULL))
			foreach_ptr (Query, one, dp_correlated_group_each(rte->subquery))
				rewrite_groups(one, &rewriting);
		rewrite_query(rte->subquery, rewriting);
	}
	rewriting.has_people = reads_people(query, NULL);
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
	may_be_block =
		combines_rows(query) && !(rewriting.is_beneath && is_of_units(query));
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
