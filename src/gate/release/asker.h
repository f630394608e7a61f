/*
 * asker.h
 *		Who may ask, and when: checked before each charge.
 */
#ifndef DP_GATE_RELEASE_ASKER_H
#define DP_GATE_RELEASE_ASKER_H

#include "gate/release/state.h"

/*
 * Refuses to ask for releases where an answer would not be paid for, or would
 * be seen elsewhere: feature_not_supported, insufficient_privilege.
 */
extern void dp_gate_check_asker(List *states);

/*
 * Refuses to read rows that are older than what is known of them:
 * dp_gate_compare_ages() for all protected relations of a release.
 */
extern void dp_gate_check_ages(const DpReleaseState *state);

#endif
