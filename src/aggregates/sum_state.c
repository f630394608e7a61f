/*
 * sum_state.c
 *		The SQL type dp_noise.sum_state: text form and merging.
 */
#include "postgres.h"

#include "common/int.h"
#include "fmgr.h"

#include "aggregates/integer_text.h"
#include "aggregates/sum_state.h"

PG_FUNCTION_INFO_V1(dp_sum_state_in);
PG_FUNCTION_INFO_V1(dp_sum_state_out);
PG_FUNCTION_INFO_V1(dp_sum_state_combine);

Datum
dp_sum_state_in(PG_FUNCTION_ARGS)
{
	dp_int128 given[2];
	DpSumState *state;

	dp_integers_read(PG_GETARG_CSTRING(0), given, lengthof(given),
					 "dp_noise.sum_state", "Write (sum,count), two integers.");
	state = palloc(sizeof(DpSumState));
	dp_sum_state_set(state, given[0]);
	state->count = (int64) given[1];
	PG_RETURN_POINTER(state);
}

Datum
dp_sum_state_out(PG_FUNCTION_ARGS)
{
	DpSumState *state = DatumGetSumState(PG_GETARG_DATUM(0));
	char room[DP_INTEGER_TEXT];

	PG_RETURN_CSTRING(psprintf("(%s," INT64_FORMAT ")",
							   dp_integer_write(dp_sum_state_get(state), room),
							   state->count));
}

void
dp_sum_state_add(DpSumState *into, const DpSumState *from)
{
	dp_sum_state_set(into, dp_int128_add_saturating(dp_sum_state_get(into),
													dp_sum_state_get(from)));
	if (pg_add_s64_overflow(into->count, from->count, &into->count))
		into->count = PG_INT64_MAX;
}

void *
dp_state_to_change(FunctionCallInfo fcinfo, Size size)
{
	void *state = PG_GETARG_POINTER(0);

	/* Only an aggregate may change its first argument in place. */
	return AggCheckCallContext(fcinfo, NULL)
			   ? state
			   : memcpy(palloc(size), state, size);
}

/* (state, state) strict: adds the second to the first. */
Datum
dp_sum_state_combine(PG_FUNCTION_ARGS)
{
	DpSumState *state = dp_state_to_change(fcinfo, sizeof(DpSumState));

	dp_sum_state_add(state, DatumGetSumState(PG_GETARG_DATUM(1)));
	PG_RETURN_POINTER(state);
}
