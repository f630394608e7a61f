/*
 * ready.h
 *		Whether nodes can be asked, which is found before a charge.
 */
#ifndef DP_GATE_RUN_NODES_READY_H
#define DP_GATE_RUN_NODES_READY_H

#include "gate/relations/relations.h"

/*
 * Beside the copies of a block: the same statement of no rows, with a condition that
 * fails on a node that cannot run it as it is meant (dp_noise.fails_on_node); NULL for
 * what is not on other nodes. NIL where nothing is.
 */
extern List *dp_nodes_ready_checks(const List *copies);

#endif
