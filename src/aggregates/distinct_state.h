/*
 * distinct_state.h
 *		The different values of one privacy unit, as images.
 *
 * In SQL it is the type dp_noise.distinct_state: the state of the aggregate
 * dp_noise.different_values, and the argument of dp_count_distinct of units; of
 * sums and means of different values the same with grid points. It has no readable text form, so every value of it was made here.
 *
 * At most DP_DISTINCT_STATE_MAX are kept, whatever rows a unit has: those with
 * the smallest hashes, which depend only on the unit's own values, not on
 * their order.
 */
#ifndef DP_AGGREGATES_DISTINCT_STATE_H
#define DP_AGGREGATES_DISTINCT_STATE_H

#include "fmgr.h"

#include "aggregates/image.h"

#define DP_DISTINCT_STATE_MAX 16384

/* A varlena of the type's alignment, double, and storage, plain. */
typedef struct DpDistinctState
{
	int32 length; /* varlena's */
	uint32 count; /* of images, some of them perhaps twice */
	DpImage images[FLEXIBLE_ARRAY_MEMBER];
} DpDistinctState;

static inline Size
dp_distinct_state_size(uint64 images)
{
	return offsetof(DpDistinctState, images) + images * sizeof(DpImage);
}

/*
 * The kind of images of a function's second argument. Errors:
 * feature_not_supported (values of its type have none).
 */
extern Oid dp_distinct_state_kind(FunctionCallInfo fcinfo);

/*
 * The set that is a function's last argument, not null: at most
 * DP_DISTINCT_STATE_MAX images, some of them perhaps twice. Error: data_corrupted.
 */
extern const DpDistinctState *dp_distinct_state_argument(
	FunctionCallInfo fcinfo);

#endif
