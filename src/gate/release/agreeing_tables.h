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
 * Makes the answers of all groupings of a release that asks agree, once the ends
 * of their intervals are there: those are of a grouping's own noisy answer, and
 * are moved so that the one that is shown lies between them.
 */
extern void dp_agreeing_tables_show(DpReleaseState *state);

#endif
