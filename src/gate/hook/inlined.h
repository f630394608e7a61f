/*
 * inlined.h
 *		Functions in FROM as the queries that they stand for.
 *
 * The planner would replace them where the gate no longer sees them.
 */
#ifndef DP_GATE_HOOK_INLINED_H
#define DP_GATE_HOOK_INLINED_H

#include "nodes/pathnodes.h"

/* True for a function in FROM that the planner may replace by its query. */
extern bool dp_inlined_may_be(const RangeTblEntry *rte);

/*
 * Replaces functions in all queries of a statement, before any block is read, since
 * that evaluates their arguments. glob: notes what these functions depend on.
 */
extern void dp_inlined_put(Query *query, PlannerGlobal *glob);

#endif
