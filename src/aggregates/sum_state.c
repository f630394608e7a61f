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
	const char *text = PG_GETARG_CSTRING(0);
	const char *rest = NULL;
	dp_int128 sum = 0;
	dp_int128 count = -1;
	DpSumState *state;

	if (*text == '(')
		rest = dp_integer_read(text + 1, &sum);
	if (rest != NULL && *rest == ',')
		rest = dp_integer_read(rest + 1, &count);
	if (rest == NULL || strcmp(rest, ")") != 0 || count < 0 ||
		count > PG_INT64_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
						errmsg("invalid input syntax for type %s: \"%s\"",
							   "dp_noise.sum_state", text),
						errhint("Write (sum,count), two integers.")));
	state = palloc(sizeof(DpSumState));
	dp_sum_state_set(state, sum);
	state->count = (int64) count;
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

/* (state, state) strict: adds the second to the first. */
Datum
dp_sum_state_combine(PG_FUNCTION_ARGS)
{
	DpSumState *into = DatumGetSumState(PG_GETARG_DATUM(0));
	DpSumState *from = DatumGetSumState(PG_GETARG_DATUM(1));
	DpSumState *result = into;

	/* Only an aggregate may change its first argument in place. */
	if (!AggCheckCallContext(fcinfo, NULL))
	{
		result = palloc(sizeof(DpSumState));
		*result = *into;
	}
	dp_sum_state_add(result, from);
	PG_RETURN_POINTER(result);
}
