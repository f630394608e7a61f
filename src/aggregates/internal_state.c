/*
 * internal_state.c
 *		States are taken from an aggregate, and of the right kind.
 */
#include "postgres.h"

#include "aggregates/internal_state.h"

MemoryContext
dp_internal_state_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("support function of a private aggregate called "
							   "directly"),
						errhint("Call the aggregate, such as dp_median_exp.")));
	return context;
}

void *
dp_internal_state_argument(FunctionCallInfo fcinfo, int place, uint64 magic)
{
	DpInternalState *state;

	(void) dp_internal_state_context(fcinfo);
	if (PG_ARGISNULL(place))
		return NULL;
	state = (DpInternalState *) PG_GETARG_POINTER(place);
	if (state == NULL || state->magic != magic)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the state is not one of a private aggregate"),
				 errhint("Use the aggregates of the extension instead of "
						 "one made from their support functions.")));
	return state;
}
