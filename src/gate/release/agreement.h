/*
 * agreement.h
 *		Answers of groupings that agree with each other.
 *
 * Counts and sums of groupings (groupings.h) are tables of the same rows, each with
 * noise of its own. What is shown is the weighted least squares of them
 * (core/marginals.h): it is post-processing of what is stored, and the same
 * whenever that is replayed. It is made of counts and sums whose noise is additive
 * and not truncated, where each privacy unit has one row, so that all groupings are
 * of the same rows; and of as many keys as can be summed over. Other answers are
 * shown as they were drawn.
 *
 * Whole numbers stay whole. Those of a ROLLUP add up exactly, others but for
 * rounding.
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
extern bool dp_gate_will_agree(DpReleaseState *state, int place,
							   double *deviation);

#endif
