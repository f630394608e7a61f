/*
 * plan_nodes.h
 *		The nodes of finished plans.
 */
#ifndef DP_GATE_QUESTION_UNITS_PLAN_NODES_H
#define DP_GATE_QUESTION_UNITS_PLAN_NODES_H

#include "nodes/plannodes.h"

/*
 * Calls a function for the nodes of a plan and of its sub-plans, until it
 * returns true; then this does, too.
 */
extern bool dp_gate_any_plan(const PlannedStmt *plan,
							 bool (*function)(const Plan *node, void *context),
							 void *context);

#endif
