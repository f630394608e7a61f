/*
 * values_pool.h
 *		The points of all groups of one call, in memory and in files.
 *
 * In inner statements the memory for states must not grow with the rows. So
 * the states of one call, in one of the aggregate's memory contexts, share a
 * pool. When their arrays are about to exceed its memory, the points of all of
 * them go to a temporary file, each state's in order, and the arrays start
 * anew. Such files are runs, as in an external sort. When a state is asked for
 * its points, the runs are merged into one file, in which each state's points
 * are contiguous and in order.
 *
 * In memory a pool has the arrays, within its limit; a DpValuesState for each
 * group, which hash aggregation takes into account when it adds groups; and,
 * while runs are merged, a buffer for each of them, of which there are at most
 * DP_POOL_RUNS_MAX.
 */
#ifndef DP_AGGREGATES_VALUES_POOL_H
#define DP_AGGREGATES_VALUES_POOL_H

#include "fmgr.h"
#include "lib/ilist.h"
#include "storage/buffile.h"

#include "core/points.h"

/* When there are this many runs, they are merged into one. */
#define DP_POOL_RUNS_MAX 256

/* Of a file at a time; a block of its own buffer. */
#define DP_POOL_PAGE (BLCKSZ / (int) sizeof(int64))

struct DpValuesState;

typedef struct DpValuesPool
{
	dlist_node node;	   /* in its call's list */
	MemoryContext context; /* of the aggregate; NULL: it was reset */
	MemoryContext memory;  /* of arrays, below it */
	Size budget;		   /* bytes of arrays, at most */
	Size used;			   /* bytes of arrays */
	slist_head states;	   /* the last one made comes first */
	uint64 state_count;
	BufFile *runs[DP_POOL_RUNS_MAX];
	int run_count;
	bool has_digits; /* points become those of a finer grid in files: */
	int64 lower;	 /* (mechanisms/quantiles.h) its lower end */
	int digits;
	MemoryContextCallback forget;
} DpValuesPool;

/*
 * The pool of a call for the aggregate's current memory context. list: the
 * call's, in memory; budget: bytes.
 */
extern DpValuesPool *dp_pool_get(dlist_head *list, FunctionCallInfo fcinfo,
								 MemoryContext memory, Size budget);

/* Takes a new state in. */
extern void dp_pool_add(DpValuesPool *pool, struct DpValuesState *state);

/*
 * Makes room for this many points in the array of a state; it may be empty
 * afterwards.
 */
extern void dp_pool_reserve(struct DpValuesState *state, uint64 capacity);

/* The points of a state with a pool, for the time until its next change. */
typedef struct DpPoolPoints
{
	DpPoints points;
	BufFile *file;
	uint64 start; /* in points from the beginning of the file */
	int64 page[DP_POOL_PAGE];
} DpPoolPoints;

/*
 * True when some of the state's points are in a file, or those of another of
 * the pool's: then *result gives all of them. No point may be added to any of
 * the pool's states afterwards.
 */
extern bool dp_pool_points(struct DpValuesState *state, DpPoolPoints *result);

#endif
