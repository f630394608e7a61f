/*
 * node_checks.h
 *		Asks the nodes of Citus, before a charge, whether they can be asked.
 */
#ifndef DP_GATE_RELEASE_NODE_CHECKS_H
#define DP_GATE_RELEASE_NODE_CHECKS_H

#include "gate/release/release_state.h"

/*
 * Runs the checks of a release (gate/run/nodes/ready.h), which read no row, with the
 * rights of the relations' owners. Error: object_not_in_prerequisite_state where a node
 * does not answer, or not as it must.
 */
extern void dp_node_checks_run(DpReleaseState *state);

#endif
