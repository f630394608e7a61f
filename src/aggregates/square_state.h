/*
 * square_state.h
 *		The state of dp_variance and dp_stddev: exact sums of grid points and of
 *		their squares.
 *
 * In SQL it is the fixed-size type dp_noise.square_state, written
 * (sum,squares,count) and read when empty. Merging is integer addition, as of sum_state.h, and
 * cannot overflow either (2^63 rows of squares up to 2^40).
 */
#ifndef DP_AGGREGATES_SQUARE_STATE_H
#define DP_AGGREGATES_SQUARE_STATE_H

#include "aggregates/sum_state.h"

typedef struct DpSquareState
{
	DpSumState sum;		/* of y = k - lower, and the count */
	DpSumState squares; /* of y^2; its count is not used, always 0 */
} DpSquareState;

#define DatumGetSquareState(datum) ((DpSquareState *) DatumGetPointer(datum))

#endif
