/*
 * finished_plan.h
 *		The finished plan of a statement that was taken apart.
 */
#ifndef DP_GATE_FINISHED_PLAN_H
#define DP_GATE_FINISHED_PLAN_H

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/*
 * A second check: private aggregates that were in no query before planning
 * came with a function that the planner inlined late. Error:
 * feature_not_supported where the plan reads protected relations, too.
 */
extern void dp_gate_check_finished_plan(PlannedStmt *plan);

/*
 * Tells the plan what it must know of the inner ones (of PlannedStmt), and of
 * what else it was made from (glob): what invalidates it, and what to lock.
 */
extern void dp_gate_merge_plans(PlannedStmt *plan, const PlannerGlobal *glob,
								List *inner_plans);

#endif
