/*
 * plan_nodes.c
 *		The nodes of finished plans.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "gate/question/units/plan_nodes.h"
#include "server/stack.h"

/* The function that is called for nodes. */
typedef struct Visit
{
	bool (*function)(const Plan *node, void *context);
	void *context;
} Visit;

static bool visit_list(const List *plans, const Visit *visit);

static bool
visit_plan(const Plan *plan, const Visit *visit)
{
	if (plan == NULL)
		return false;
	dp_stack_enter();
	if (visit->function(plan, visit->context))
		return true;
	if (IsA(plan, SubqueryScan) &&
		visit_plan(((const SubqueryScan *) plan)->subplan, visit))
		return true;
	if (IsA(plan, Append) &&
		visit_list(((const Append *) plan)->appendplans, visit))
		return true;
	if (IsA(plan, MergeAppend) &&
		visit_list(((const MergeAppend *) plan)->mergeplans, visit))
		return true;
	return visit_plan(plan->lefttree, visit) ||
		   visit_plan(plan->righttree, visit);
}

static bool
visit_list(const List *plans, const Visit *visit)
{
	ListCell *cell;

	foreach (cell, plans)
	{
		if (visit_plan(lfirst(cell), visit))
			return true;
	}
	return false;
}

bool
dp_gate_any_plan(const PlannedStmt *plan,
				 bool (*function)(const Plan *node, void *context),
				 void *context)
{
	Visit visit = {function, context};

	return visit_plan(plan->planTree, &visit) ||
		   visit_list(plan->subplans, &visit);
}
