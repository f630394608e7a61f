/*
 * agreeing_tables.h
 *		Answers of groupings that agree with each other.
 *
 * What is shown of tables that agree (agreement.h) is their weighted
 * least-squares solution (core/marginals.h): post-processing of what is
 * stored, and the same whenever that is replayed. Whole numbers stay whole. In a
 * ROLLUP they add up exactly, elsewhere except for rounding.
 */
#ifndef DP_GATE_RELEASE_AGREEING_TABLES_H
#define DP_GATE_RELEASE_AGREEING_TABLES_H

#include "gate/release/release_state.h"

/*
 * Makes the answers of all groupings of a release that asks agree, and the ends of
 * their intervals (agreeing_ends.h), once those of their own answers are there.
 */
extern void dp_agreeing_tables_show(DpReleaseState *state);

#endif
