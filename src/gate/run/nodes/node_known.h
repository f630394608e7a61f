/*
 * node_known.h
 *		Query parameters whose values are known when a statement is planned.
 */
#ifndef DP_GATE_RUN_NODES_NODE_KNOWN_H
#define DP_GATE_RUN_NODES_NODE_KNOWN_H

#include "nodes/params.h"
#include "nodes/parsenodes.h"

/*
 * A statement with constants in place of the asker's parameters, where it is planned
 * for their values alone, as the planner would put them there; what a release finds
 * itself has later numbers, and stays.
 */
extern Query *dp_nodes_known(Query *statement, ParamListInfo params);

#endif
