/*
 * pair_state.h
 *		The state of dp_regression: exact sums over pairs of grid points.
 *
 * In SQL it is the fixed-size type dp_noise.pair_state, written
 * (sum,...,count) and read when empty. Merging is integer addition, as of
 * sum_state.h, and cannot overflow either (2^63 rows of 2^40 steps).
 */
#ifndef DP_AGGREGATES_PAIR_STATE_H
#define DP_AGGREGATES_PAIR_STATE_H

#include "aggregates/sum_state.h"
#include "mechanisms/regression.h"

typedef struct DpPairState
{
	/* As of DpPairs; the count of the first is of them all. */
	DpSumState sums[DP_REGRESSION_KEPT];
} DpPairState;

#define DatumGetPairState(datum) ((DpPairState *) DatumGetPointer(datum))

extern void dp_pair_state_get(const DpPairState *state, DpPairs *pairs);
extern void dp_pair_state_set(DpPairState *state, const DpPairs *pairs);

#endif
