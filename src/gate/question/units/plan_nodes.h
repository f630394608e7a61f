/*
 * plan_nodes.h
 *		The nodes of finished plans, and what their hashed sub-plans read.
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
 * Calls a function for each copy of rows that hashed sub-plans of a plan scan.
 * The server makes their hash tables when a row needs them first, and does not
 * split them, however large they become: by NOT IN, and by IN beneath OR or
 * CASE. name: the copy's.
 */
extern void dp_gate_each_hashed_copy(const PlannedStmt *plan,
									 void (*function)(const char *name,
													  void *context),
									 void *context);

#endif
