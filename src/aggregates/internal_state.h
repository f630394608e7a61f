/*
 * internal_state.h
 *		What all states of SQL type internal begin with.
 *
 * Anyone may declare an aggregate of their own over our support functions and
 * hand one of them a state that is not its own. So each kind of state begins
 * with a number of its own, and is taken only from the executor.
 */
#ifndef DP_AGGREGATES_INTERNAL_STATE_H
#define DP_AGGREGATES_INTERNAL_STATE_H

#include "fmgr.h"
#include "utils/palloc.h"

typedef struct DpInternalState
{
	uint64 magic; /* an arbitrary number, one for each kind */
} DpInternalState;

/*
 * The memory context of the aggregate that calls a support function. Error:
 * feature_not_supported when it was called otherwise.
 */
extern MemoryContext dp_internal_state_context(FunctionCallInfo fcinfo);

/*
 * The state that is an argument of a support function, NULL when the argument
 * is. Errors: feature_not_supported when not called by an aggregate, or with
 * a state of another kind.
 */
extern void *dp_internal_state_argument(FunctionCallInfo fcinfo, int place,
										uint64 magic);

#endif
