/*
 * finished_plan.h
 *		The finished plan of a statement that was taken apart.
 */
#ifndef DP_GATE_HOOK_FINISHED_PLAN_H
#define DP_GATE_HOOK_FINISHED_PLAN_H

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/*
 * A second check: private aggregates that were in no query before planning
 * came with a function that the planner inlined late. Error:
 * feature_not_supported where the plan reads protected relations, too.
 */
extern void dp_finished_plan_check(PlannedStmt *plan);

/*
 * Sets what a plan of protected rows depends on: the relations that it may read,
 * and items and relations that extract_query_dependencies found before planning.
 * Those that the planner notes tell which plan it chose, and so of the table's
 * statistics: it leaves out conditions that an index's imply.
 */
extern void dp_finished_plan_set_dependencies(PlannedStmt *plan, List *written,
											  List *items);

/*
 * Tells the plan what it must know of the inner ones (of PlannedStmt), and of
 * what else it was made from (glob): what invalidates it, and what to lock.
 */
extern void dp_finished_plan_merge(PlannedStmt *plan, const PlannerGlobal *glob,
								   List *inner_plans);

#endif
