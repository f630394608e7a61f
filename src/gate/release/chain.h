/*
 * chain.h
 *		Questions that are answered at several privacy levels, as one chain.
 *
 * Where the owner declared levels (dp_noise.set_levels), counts and exact sums
 * are drawn at the highest level, and those of each lower level from the one
 * above, by adding noise (samplers/chain_step.h). So several roles together
 * learn no more than the highest level reveals. A role chooses its level by
 * epsilon. The chain is the draw that is stored, and whoever asks gets a level
 * of it.
 */
#ifndef DP_GATE_RELEASE_CHAIN_H
#define DP_GATE_RELEASE_CHAIN_H

#include "gate/release/state.h"

/*
 * Puts a call in the chain, where its release has one and the aggregate is
 * one of those: sets its mechanism; false otherwise. Error:
 * invalid_parameter_value for another epsilon or another mechanism.
 */
extern bool dp_gate_chain_choose(const DpReleaseState *state, DpCall *call);

/* What a charge says of the chain. */
extern void dp_gate_chain_charge(const DpReleaseState *state,
								 const DpCall *call, DpCharge *charge);

/*
 * Adds the greatest size, in bytes, of an aggregate's answers at all levels to
 * *size, and refuses more than can be stored. The decision uses only the keys
 * of the rows, which are public: a chain that is not stored would be drawn
 * again, and its actual length would reveal something about its values.
 * Empties the aggregate's column. Error: program_limit_exceeded.
 */
extern void dp_gate_chain_check_size(DpReleaseState *state, int aggno,
									 Size *size);

/*
 * Draws the lower levels of an aggregate's column, which has the highest, and
 * joins all to what is stored. aggno: of the aggregate, whose call it is.
 */
extern StringInfo dp_gate_chain_draw(DpReleaseState *state, int aggno,
									 const DpCall *call);

/* The levels for EXPLAIN: "1, 0.5, 0.1". */
extern char *dp_gate_chain_text(const DpReleaseState *state);

#endif
