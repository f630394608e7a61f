/*
 * finished_plan.c
 *		The finished plan of a statement that was taken apart.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "gate/finished_plan.h"
#include "gate/question/block.h"
#include "gate/question/relations/private_aggregates.h"
#include "gate/question/relations/protection.h"
#include "server/compat.h"

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
	check_stack_depth();
	if (IsA(plan, Agg) &&
		(dp_gate_names_private_aggregate((Node *) plan->targetlist) ||
		 dp_gate_names_private_aggregate((Node *) plan->qual)))
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
dp_gate_check_finished_plan(PlannedStmt *plan)
{
	ListCell *cell;

	if (!plan_has_private(plan->planTree) &&
		!plans_have_private(plan->subplans))
		return;
	foreach (cell, plan->rtable)
	{
		RangeTblEntry *rte = lfirst(cell);

		if (rte->rtekind == RTE_RELATION && dp_gate_is_protected(rte->relid))
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

void
dp_gate_merge_plans(PlannedStmt *plan, const PlannerGlobal *glob,
					List *inner_plans)
{
	List *items = NIL;
	ListCell *cell;

	plan->dependsOnRole |= inner_plans != NIL || glob->dependsOnRole;
	plan->invalItems = list_concat(plan->invalItems, glob->invalItems);
	plan->relationOids =
		list_concat_unique_oid(plan->relationOids, glob->relationOids);
	foreach (cell, inner_plans)
	{
		PlannedStmt *inner = lfirst(cell);
		ListCell *entry;

		plan->relationOids =
			list_concat_unique_oid(plan->relationOids, inner->relationOids);
		items = list_concat(items, inner->invalItems);
		plan->transientPlan |= inner->transientPlan;

		/* A cached plan locks the relations in its range table. */
		foreach (entry, inner->rtable)
		{
			RangeTblEntry *rte = lfirst(entry);

			if (rte->rtekind != RTE_RELATION)
				continue;
			rte = copyObject(rte);
			dp_compat_ask_no_permission(rte);
			plan->rtable = lappend(plan->rtable, rte);
		}
	}
	plan->invalItems = list_concat(plan->invalItems, canonical_items(items));
}
