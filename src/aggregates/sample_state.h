/*
 * sample_state.h
 *		A random choice of one unit's grid points.
 *
 * In SQL it is the type dp_noise.sample_state. It is the state of three
 * aggregates: dp_noise.sample_points, for medians and quantiles of units;
 * dp_noise.sample_bins, whose points are bins, for dp_bounds; and
 * dp_noise.sample_categories, whose points are categories, for dp_mode. It has
 * no readable text form, so every value of it was made here.
 */
#ifndef DP_AGGREGATES_SAMPLE_STATE_H
#define DP_AGGREGATES_SAMPLE_STATE_H

#include "postgres.h"

#include "fmgr.h"

/* A varlena of the type's alignment, double, and storage, plain. */
typedef struct DpSampleState
{
	int32 length;						 /* varlena's */
	uint32 limit;						 /* points that are kept, at least 1 */
	int64 seen;							 /* points that came */
	int64 points[FLEXIBLE_ARRAY_MEMBER]; /* min(limit, seen) are in use */
} DpSampleState;

static inline Size
dp_sample_state_size(uint64 points)
{
	return offsetof(DpSampleState, points) + points * sizeof(int64);
}

/* The sample in a datum. Error: data_corrupted (it cannot be one). */
extern DpSampleState *dp_sample_state_of(Datum datum);

/*
 * The sample that is a function's last argument, not null. Errors:
 * invalid_parameter_value (it may hold more than this many points).
 */
extern const DpSampleState *dp_sample_state_argument(FunctionCallInfo fcinfo,
													 uint32 most);

/* Number of points that are kept. */
static inline uint64
dp_sample_state_kept(const DpSampleState *state)
{
	return Min((uint64) state->seen, state->limit);
}

#endif
