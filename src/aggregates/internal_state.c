/*
 * internal_state.c
 *		Checks that states come from an aggregate and are of the right kind.
 */
#include "postgres.h"

#include "aggregates/internal_state.h"
#include "aggregates/support.h"

MemoryContext
dp_internal_state_context(FunctionCallInfo fcinfo)
{
	MemoryContext context = NULL;

	dp_support_check(fcinfo);
	(void) AggCheckCallContext(fcinfo, &context);
	return context;
}

void *
dp_internal_state_argument(FunctionCallInfo fcinfo, int argno, uint64 magic)
{
	DpInternalState *state;

	dp_support_check(fcinfo);
	if (PG_ARGISNULL(argno))
		return NULL;
	state = (DpInternalState *) PG_GETARG_POINTER(argno);
	if (state == NULL || state->magic != magic)
		elog(ERROR, "the state is not one of a private aggregate");
	return state;
}
