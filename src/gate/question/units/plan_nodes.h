/*
 * plan_nodes.h
 *		The nodes of finished plans, and what their sub-plans read.
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
 * Calls a function for each copy of rows that sub-plans of a plan scan, where the
 * server may hash their rows. It makes a hash table when a row needs it first, and
 * does not split it, however large it becomes: by NOT IN, and by IN and EXISTS
 * beneath OR or CASE. Whether it hashes them at all depends on how many rows it
 * expects, also of what is protected; that must not show, so it does not matter
 * here. name: the copy's.
 */
extern void dp_gate_each_subplan_copy(const PlannedStmt *plan,
									  void (*function)(const char *name,
													   void *context),
									  void *context);

#endif
