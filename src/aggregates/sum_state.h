/*
 * sum_state.h
 *		The state of dp_sum and dp_mean: an exact sum of grid points.
 *
 * In SQL it is the fixed-size type dp_noise.sum_state, written (sum,count), so
 * that hash aggregation knows its size and parallel workers hand it over as
 * it is. Only the empty state can be read, so that every other was made here. Merging is integer addition: no order of rows and no number of
 * workers changes it, and it cannot overflow (2^63 rows of 2^52 steps).
 */
#ifndef DP_AGGREGATES_SUM_STATE_H
#define DP_AGGREGATES_SUM_STATE_H

#include "fmgr.h"

#include "core/int128.h"

typedef struct DpSumState
{
	uint64 low; /* the sum, in two's complement */
	int64 high;
	int64 count; /* rows in the sum; not negative */
} DpSumState;

#define DatumGetSumState(datum) ((DpSumState *) DatumGetPointer(datum))

static inline dp_int128
dp_sum_state_get(const DpSumState *state)
{
	return (dp_int128) ((dp_uint128) (uint64) state->high << 64 | state->low);
}

static inline void
dp_sum_state_set(DpSumState *state, dp_int128 sum)
{
	state->low = (uint64) sum;
	state->high = (int64) (sum >> 64);
}

/* Adds sum and count of another state, saturating. */
extern void dp_sum_state_add(DpSumState *into, const DpSumState *from);

/*
 * A state of this many zero bytes, which aggregates begin with: for the input
 * function of its type, which reads the text of that one alone. Error:
 * feature_not_supported for another.
 */
extern void *dp_state_read(const char *text, const char *empty,
						   const char *type, Size size);

#endif
