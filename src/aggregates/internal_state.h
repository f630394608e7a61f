/*
 * internal_state.h
 *		What all states of SQL type internal begin with.
 *
 * They are accepted only from the extension's own aggregates (support.h). As a
 * further check, each kind of state begins with a number of its own.
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
 * The memory context of the aggregate that a support function serves. Errors:
 * those of dp_support_aggref.
 */
extern MemoryContext dp_internal_state_context(FunctionCallInfo fcinfo);

/*
 * The state that is an argument of a support function, NULL when the argument
 * is. Errors: as above.
 */
extern void *dp_internal_state_argument(FunctionCallInfo fcinfo, int argno,
										uint64 magic);

#endif
