/*
 * scan.h
 *		The DP Release node in execution.
 */
#ifndef DP_GATE_RELEASE_SCAN_H
#define DP_GATE_RELEASE_SCAN_H

#include "gate/release/state.h"

/* The scan's methods, for plans. */
extern Node *dp_gate_release_create(CustomScan *scan);

/* The releases of a statement in execution, in the order of their start. */
extern List *dp_gate_releases_of(EState *estate);

#endif
