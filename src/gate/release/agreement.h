/*
 * agreement.h
 *		Answers of groupings that agree with each other.
 *
 * The counts and sums of several groupings (groupings.h) are tables of the
 * same rows, each with noise of its own. What is shown is their weighted
 * least-squares solution (core/marginals.h): post-processing of what is
 * stored, and the same whenever that is replayed. It is computed for counts
 * and sums with additive noise that is not truncated, if each privacy unit has
 * one row, so that all groupings count the same rows, and if there are not too
 * many keys to sum over. Other answers are shown as they were drawn.
 *
 * Whole numbers stay whole. In a ROLLUP they add up exactly, elsewhere except
 * for rounding.
 */
#ifndef DP_GATE_RELEASE_AGREEMENT_H
#define DP_GATE_RELEASE_AGREEMENT_H

#include "gate/release/groupings.h"

/*
 * Makes the answers of all groupings among some releases agree, once the ends of
 * their intervals are there: those are of a grouping's own noisy answer, and are
 * moved so that the one that is shown lies between them.
 */
extern void dp_gate_agree(List *states);

/*
 * Whether an aggregate's answers agree, before they are there; *deviation: the
 * standard deviation of one of this release's then.
 */
extern bool dp_gate_will_agree(DpReleaseState *state, int aggno,
							   double *deviation);

#endif
