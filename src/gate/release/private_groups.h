/*
 * private_groups.h
 *		Selects the groups of a release by a noisy count.
 */
#ifndef DP_GATE_RELEASE_PRIVATE_GROUPS_H
#define DP_GATE_RELEASE_PRIVATE_GROUPS_H

#include "gate/release/release_state.h"

/*
 * Computes the groups of a release, selects from them and makes its rows, in
 * the order of their keys; or, where there are public keys, makes the rows for
 * the groups to be computed. For dp_silent_run.
 */
extern void dp_private_groups_select(DpReleaseState *state);

#endif
