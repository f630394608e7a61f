/*
 * storing.h
 *		Which answers of a statement are stored.
 *
 * Answers are stored before they go out, so that the question can be replayed.
 * Of a question with privacy levels the whole chain is stored, for all roles,
 * and each role gets its own level of it. What is too long is not stored,
 * except for chains, whose room was found before the charge (chain.h).
 */
#ifndef DP_GATE_RELEASE_STORING_H
#define DP_GATE_RELEASE_STORING_H

#include "gate/release/asking.h"

/* Sets what dp_gate_store is to store of the fresh questions, all computed. */
extern void dp_gate_set_stored(DpAsking *asked);

/*
 * Replaces computed values by what is the answer once all are stored: what
 * somebody else has stored meanwhile, or the role's level of a chain that was
 * drawn here.
 */
extern void dp_gate_use_drawn(const DpAsking *asked);

#endif
