/*
 * finished_plan.c
 *		The finished plan of a statement that was taken apart.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"

#include "gate/hook/finished_plan.h"
#include "gate/relations/private_aggregates.h"
#include "gate/relations/protection.h"
#include "server/compat.h"
#include "server/stack.h"

static bool plan_has_private(Plan *plan);

static bool
plans_have_private(List *plans)
{
	ListCell *cell;

	foreach (cell, plans)
	{
		if (plan_has_private(lfirst(cell)))
			return true;
	}
	return false;
}

/* Private aggregates in a plan, but not those of releases in it. */
static bool
plan_has_private(Plan *plan)
{
	List *more = NIL;

	if (plan == NULL)
		return false;
	dp_stack_enter();
	if (IsA(plan, Agg) &&
		(dp_private_aggregates_named((Node *) plan->targetlist) ||
		 dp_private_aggregates_named((Node *) plan->qual)))
		return true;
	if (IsA(plan, Append))
		more = ((Append *) plan)->appendplans;
	else if (IsA(plan, MergeAppend))
		more = ((MergeAppend *) plan)->mergeplans;
	else if (IsA(plan, CustomScan))
		more = ((CustomScan *) plan)->custom_plans;
	else if (IsA(plan, SubqueryScan))
		more = list_make1(((SubqueryScan *) plan)->subplan);
	return plans_have_private(more) || plan_has_private(plan->lefttree) ||
		   plan_has_private(plan->righttree);
}

void
dp_finished_plan_check(PlannedStmt *plan)
{
	if (!plan_has_private(plan->planTree) &&
		!plans_have_private(plan->subplans))
		return;
	foreach_ptr (RangeTblEntry, rte, plan->rtable)
	{
		if (rte->rtekind == RTE_RELATION && dp_protection_exists(rte->relid))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("a function that asks about a protected relation "
							"cannot be used in this way"),
					 errhint("Declare it VOLATILE, or write its query out.")));
	}
}

static int
compare_items(const ListCell *a, const ListCell *b)
{
	const PlanInvalItem *one = lfirst(a);
	const PlanInvalItem *other = lfirst(b);

	if (one->cacheId != other->cacheId)
		return one->cacheId < other->cacheId ? -1 : 1;
	if (one->hashValue != other->hashValue)
		return one->hashValue < other->hashValue ? -1 : 1;
	return 0;
}

/*
 * What inner plans depend on: each item once, and in order. In the planner's
 * order, they would tell which kind of plan was made (a parallel one has an
 * aggregate twice), and so of the table's statistics: plans can be printed.
 */
static List *
canonical_items(List *items)
{
	List *sorted = list_copy(items);
	List *result = NIL;
	const ListCell *cell;
	const ListCell *last = NULL;

	list_sort(sorted, compare_items);
	foreach (cell, sorted)
	{
		if (last == NULL || compare_items(last, cell) != 0)
			result = lappend(result, copyObject(lfirst(cell)));
		last = cell;
	}
	return result;
}

static int
compare_relations(const ListCell *a, const ListCell *b)
{
	Oid one = lfirst_node(RangeTblEntry, a)->relid;
	Oid other = lfirst_node(RangeTblEntry, b)->relid;

	return one == other ? 0 : one < other ? -1 : 1;
}

/* An entry by which a relation is locked. */
static RangeTblEntry *
lock_entry(const RangeTblEntry *rte)
{
	RangeTblEntry *result = makeNode(RangeTblEntry);

	result->rtekind = RTE_RELATION;
	result->relid = rte->relid;
	result->relkind = rte->relkind;
	result->rellockmode = rte->rellockmode;
	result->eref = makeAlias("locked", NIL);
	return result;
}

/*
 * The relations of a plan, once each and in order, by entries that lock them. The
 * planner's own entries are in the order of its joins.
 */
static List *
lock_entries(const PlannedStmt *plan)
{
	List *result = NIL;
	RangeTblEntry *last = NULL;
	List *sorted = NIL;

	foreach_ptr (RangeTblEntry, one, plan->rtable)
	{
		if (one->rtekind == RTE_RELATION)
			sorted = lappend(sorted, one);
	}
	list_sort(sorted, compare_relations);
	foreach_ptr (const RangeTblEntry, rte, sorted)
	{
		if (last == NULL || last->relid != rte->relid)
			result = lappend(result, last = lock_entry(rte));
		last->rellockmode = Max(last->rellockmode, rte->rellockmode);
	}
	return result;
}

void
dp_finished_plan_set_dependencies(PlannedStmt *plan, List *written, List *items)
{
	plan->relationOids = NIL;
	foreach_ptr (RangeTblEntry, rte, lock_entries(plan))
		plan->relationOids = lappend_oid(plan->relationOids, rte->relid);
	plan->relationOids = list_concat_unique_oid(plan->relationOids, written);
	plan->invalItems = items;
}

void
dp_finished_plan_merge(PlannedStmt *plan, const PlannerGlobal *glob,
					   List *inner_plans)
{
	List *items = NIL;

	plan->dependsOnRole |= inner_plans != NIL || glob->dependsOnRole;
	plan->invalItems = list_concat(plan->invalItems, glob->invalItems);
	plan->relationOids =
		list_concat_unique_oid(plan->relationOids, glob->relationOids);
	foreach_ptr (PlannedStmt, inner, inner_plans)
	{
		plan->relationOids =
			list_concat_unique_oid(plan->relationOids, inner->relationOids);
		items = list_concat(items, inner->invalItems);
		plan->transientPlan |= inner->transientPlan;

		/* A cached plan locks the relations in its range table. */
		plan->rtable = list_concat(plan->rtable, lock_entries(inner));
	}
	plan->invalItems = list_concat(plan->invalItems, canonical_items(items));
}
