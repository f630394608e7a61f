/*
 * inner.h
 *		Runs the aggregates of a release for groups that are known.
 */
#ifndef DP_GATE_RELEASE_INNER_H
#define DP_GATE_RELEASE_INNER_H

#include "gate/release/state.h"

/*
 * Runs the aggregates once, with noise, and fills in the rows that are there;
 * groups that they do not have are left out. For dp_gate_run_silently.
 */
extern void dp_gate_run_inner(DpReleaseState *state);

#endif
