/*
 * payer_check.h
 *		Whether whoever asks pays, and is who gets the answer: checked before
 *		each charge.
 */
#ifndef DP_GATE_RELEASE_PAYER_CHECK_H
#define DP_GATE_RELEASE_PAYER_CHECK_H

#include "gate/release/release_state.h"

/*
 * Refuses to ask for releases where an answer would not be paid for, or would
 * be seen elsewhere: feature_not_supported, insufficient_privilege.
 */
extern void dp_payer_check(List *states);

#endif
