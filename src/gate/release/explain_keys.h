/*
 * explain_keys.h
 *		EXPLAIN of the groups of a DP Release.
 */
#ifndef DP_GATE_RELEASE_EXPLAIN_KEYS_H
#define DP_GATE_RELEASE_EXPLAIN_KEYS_H

#include "commands/explain.h"

#include "gate/release/release_state.h"

/* How groups come about: what the keys are, and how many values they have. */
extern void dp_explain_keys(DpReleaseState *state, ExplainState *es);

#endif
