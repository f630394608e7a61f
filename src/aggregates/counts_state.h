/*
 * counts_state.h
 *		The state of dp_mode and dp_bounds: rows counted by category.
 *
 * A fixed number of counts, 8 bytes each, in the aggregate's memory context.
 * Merging is integer addition: neither the order of rows nor the workers
 * change it.
 */
#ifndef DP_AGGREGATES_COUNTS_STATE_H
#define DP_AGGREGATES_COUNTS_STATE_H

#include "aggregates/internal_state.h"
#include "server/compat.h"

typedef struct DpCountsState
{
	DpInternalState kind;
	uint64 number; /* of categories */
	int64 counts[FLEXIBLE_ARRAY_MEMBER];
} DpCountsState;

/* All zero, in the given context. */
extern DpCountsState *dp_counts_create(MemoryContext context, uint64 number);

/*
 * The state that is the first argument of a transition function, made where it
 * is not there yet. For aggregates of ours alone, whose state is of our kind.
 */
static inline DpCountsState *
dp_counts_of(FunctionCallInfo fcinfo, uint64 number)
{
	MemoryContext context;

	if (likely(!PG_ARGISNULL(0)))
		return (DpCountsState *) PG_GETARG_POINTER(0);
	(void) AggCheckCallContext(fcinfo, &context);
	return dp_counts_create(context, number);
}

/*
 * The state that is an argument of a support function, NULL when the argument
 * is. Errors: feature_not_supported when not called by an aggregate, or with
 * a state that is not ours; object_not_in_prerequisite_state when it has
 * another number of categories.
 */
extern DpCountsState *dp_counts_argument(FunctionCallInfo fcinfo, int argno,
										 uint64 number);

/* Raises that last error, also where indexes of other categories come. */
pg_noreturn extern void dp_counts_report_change(void);

/* One row more in a category. */
static inline void
dp_counts_add(DpCountsState *state, uint64 category)
{
	state->counts[category]++;
}

#endif
