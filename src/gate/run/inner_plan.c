/*
 * inner_plan.c
 *		How statements over protected rows are planned: the planner's hooks.
 */
#include "postgres.h"

#include "catalog/pg_am.h"
#include "nodes/pathnodes.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "gate/bound/unit_aggregates.h"
#include "gate/relations/copy_statistics.h"
#include "gate/run/bounded_joins.h"
#include "gate/run/hashed_subqueries.h"
#include "gate/run/inner_plan.h"
#include "gate/run/loaded_orders.h"
#include "gate/run/unit_groups.h"
#include "server/citus.h"
#include "server/compat.h"
#include "server/compat_planner.h"
#include "server/search.h"
#include "server/settings.h"

static get_relation_stats_hook_type prev_get_relation_stats = NULL;
static set_join_pathlist_hook_type prev_set_join_pathlist = NULL;
static create_upper_paths_hook_type prev_create_upper_paths = NULL;

/* How a statement is planned now; NULL: it is another. */
static const DpInnerPlanning *current = NULL;

/*
 * Access methods that return all rows, some of them after rechecking the row
 * itself.
 */
static bool
returns_all_rows(const IndexOptInfo *index)
{
	return index->relam == BTREE_AM_OID || index->relam == HASH_AM_OID ||
		   index->relam == BRIN_AM_OID;
}

static void
leave_indexes_out(RelOptInfo *relation)
{
	List *indexes = NIL;
	ListCell *cell;

	foreach (cell, relation->indexlist)
	{
		if (returns_all_rows(lfirst(cell)))
			indexes = lappend(indexes, lfirst(cell));
	}
	relation->indexlist = indexes;
}

static void
change_relation_info(PlannerInfo *root, Oid relation, bool inherits,
					 RelOptInfo *info)
{
	if (current == NULL)
		return;
	leave_indexes_out(info);
	dp_compat_trust_no_not_null(info);
	if (!inherits && info->reloptkind == RELOPT_BASEREL)
		dp_copy_statistics_add_references(root, relation, info,
										  current->relations);
}

DP_COMPAT_RELATION_HOOK(add_relation_info_hook, change_relation_info)

static bool
is_planned(void)
{
	return current != NULL;
}

DP_COMPAT_NOT_NULL_HOOK(add_not_null_hook, is_planned)

static bool
find_statistics(PlannerInfo *root, RangeTblEntry *rte, AttrNumber column,
				VariableStatData *data)
{
	if (prev_get_relation_stats != NULL &&
		prev_get_relation_stats(root, rte, column, data))
		return true;
	return current != NULL &&
		   dp_copy_statistics_find(rte, column, current->relations, data);
}

static void
propose_hash_join(PlannerInfo *root, RelOptInfo *joined, RelOptInfo *outer,
				  RelOptInfo *inner, JoinType type, JoinPathExtraData *extra)
{
	if (prev_set_join_pathlist != NULL)
		prev_set_join_pathlist(root, joined, outer, inner, type, extra);
	if (current != NULL)
		dp_bounded_joins_propose(root, joined, outer, inner, type, extra,
								 &current->hashed->joins);
}

static void
propose_unit_groups(PlannerInfo *root, UpperRelationKind stage,
					RelOptInfo *input, RelOptInfo *output, void *extra)
{
	if (prev_create_upper_paths != NULL)
		prev_create_upper_paths(root, stage, input, output, extra);
	if (current != NULL)
		dp_unit_groups_propose(root, stage, input, output);
}

static bool
is_sample(Node *node, void *context)
{
	(void) context;
	return IsA(node, Aggref) &&
		   dp_unit_aggregates_hold_values((const Aggref *) node);
}

/* Values that are computed once: gate/bound/key_condition.c. */
static bool
is_computed_once(const Node *node)
{
	const SubLink *link = (const SubLink *) node;

	return link->subLinkType == EXPR_SUBLINK &&
		   ((const Query *) link->subselect)->rtable == NIL;
}

/* Sub-queries of conditions become joins, too. */
static bool
is_join(Node *node, void *context)
{
	(void) context;
	return IsA(node, JoinExpr) ||
		   (IsA(node, SubLink) && !is_computed_once(node)) ||
		   (IsA(node, FromExpr) &&
			list_length(((FromExpr *) node)->fromlist) > 1);
}

static bool
is_distributed(Node *node, void *context)
{
	const RangeTblEntry *rte = (RangeTblEntry *) node;

	(void) context;
	return IsA(node, RangeTblEntry) && rte->rtekind == RTE_RELATION &&
		   dp_citus_distributes(rte->relid);
}

PlannedStmt *
dp_inner_plan(Query *query, const DpInnerPlanning *planning)
{
	const DpInnerPlanning *before = current;
	PlannedStmt *volatile result = NULL;

	/* Samples of values grow: with sorted groups there is one at a time. */
	if (dp_search_any((Node *) query, is_sample, NULL))
		dp_setting_change("enable_hashagg", "off");
	if (dp_search_any((Node *) query, is_join, NULL))
	{
		dp_setting_change("enable_hashjoin", "off");
		/* Nothing is known of rows on other nodes: few are expected wrongly. */
		if (dp_citus_first_distributed(planning->relations->oids))
			dp_setting_change("enable_nestloop", "off");
	}

	/* Its text is made now. */
	if (dp_search_any((Node *) query, is_distributed, NULL))
		dp_citus_write_plainly();

	/* From 19 on: partial results of less than a unit would go into joins. */
	dp_setting_change("enable_eager_aggregate", "off");
	planning->hashed->subqueries = list_concat_unique(
		planning->hashed->subqueries, dp_hashed_subqueries_find(query));
	dp_loaded_orders_load(query);
	current = planning;
	PG_TRY();
	{
		result = planning->plan(query, planning->context);
	}
	PG_FINALLY();
	{
		current = before;
	}
	PG_END_TRY();
	return result;
}

void
dp_inner_plan_init(void)
{
	add_relation_info_hook();
	add_not_null_hook();
	prev_get_relation_stats = get_relation_stats_hook;
	get_relation_stats_hook = find_statistics;
	prev_set_join_pathlist = set_join_pathlist_hook;
	set_join_pathlist_hook = propose_hash_join;
	prev_create_upper_paths = create_upper_paths_hook;
	create_upper_paths_hook = propose_unit_groups;
	dp_unit_groups_init();
}
