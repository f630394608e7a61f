/*
 * plan_nodes.h
 *		The nodes of finished plans, and what sub-plans read.
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

/*
 * Copies of rows, by name (String), that sub-queries of IN and EXISTS read, before
 * a query is planned; and that a plan's sub-plans scan. Those that are in both may
 * be hashed in a sub-plan: by NOT IN, and by IN and EXISTS beneath OR or CASE. The
 * server makes such a table when a row needs it first, and does not split it,
 * however large it becomes. Whether it hashes them at all depends on how many rows
 * it expects, also of what is protected; that must not show, so it does not matter
 * here. Nor does what a plan evaluates: a condition that one of its indexes implies
 * is left out, but not its sub-plan.
 */
extern List *dp_gate_copies_in_sublinks(Query *query);
extern List *dp_gate_copies_in_subplans(const PlannedStmt *plan);

#endif
