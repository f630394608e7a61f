/*
 * values_state.h
 *		The state of medians, quantiles, maxima and minima: grid points.
 *
 * An array of 8 bytes per row in the aggregate's memory context; in inner
 * statements, within the limits and with the files of a pool (values_pool.h).
 * Maxima need only the greatest few: once there are twice as many, the rest is
 * dropped, and from then on most rows cost one comparison. The final multiset
 * depends neither on the order of rows nor on the workers.
 */
#ifndef DP_AGGREGATES_VALUES_STATE_H
#define DP_AGGREGATES_VALUES_STATE_H

#include "lib/ilist.h"

#include "aggregates/internal_state.h"
#include "aggregates/values_pool.h"

/* Points for which a new array has room. */
#define DP_VALUES_AT_FIRST 8

typedef struct DpValuesState
{
	DpInternalState kind;
	MemoryContext context; /* of the state and its array */
	int64 *points;
	uint64 count;		/* points in use */
	uint64 capacity;	/* points allocated */
	uint64 limit;		/* at most this many are kept, the greatest; 0: all */
	bool trimmed;		/* points were dropped: floor is valid */
	int64 floor;		/* no point at or below it can matter any more */
	bool mirrored;		/* points are those of dp_values_mirror: a minimum's */
	DpValuesPool *pool; /* NULL: all points are in the array */
	slist_node node;	/* in its list */
	uint64 number;		/* in the order in which its states were made */
	uint64 stored;		/* points in the run written last */
	uint64 start;		/* where they begin there, in points */
} DpValuesState;

/*
 * Points in descending order become points in ascending order. Unlike
 * negation it has no overflow.
 */
static inline int64
dp_values_mirror(int64 point)
{
	return ~point;
}

/* An empty state in the given context, with a pool or without (NULL). */
extern DpValuesState *dp_values_create(MemoryContext context,
									   DpValuesPool *pool, uint64 limit,
									   bool mirrored);

/*
 * The state that is an argument of a support function, NULL when the argument
 * is. Errors: feature_not_supported when not called by an aggregate, or with
 * a state that is not ours.
 */
extern DpValuesState *dp_values_argument(FunctionCallInfo fcinfo, int argno);

/*
 * Raises object_not_in_prerequisite_state unless the state was made with these
 * parameters: dp_noise.epsilon can be changed while a query runs.
 */
extern void dp_values_require(const DpValuesState *state, uint64 limit,
							  bool mirrored);

/* Adds a point. */
extern void dp_values_add(DpValuesState *state, int64 point);

/* Adds all points of another state of the same limit; both without a pool. */
extern void dp_values_merge(DpValuesState *into, const DpValuesState *from);

/* Drops all but the greatest `limit` points of its array, when it has a limit. */
extern void dp_values_trim(DpValuesState *state);

/*
 * All points of a state, in its array or in room; ones of aggregates with
 * digits in files (values_pool.h) have got them there.
 */
extern DpPoints *dp_values_points(DpValuesState *state, DpPoolPoints *room);

#endif
