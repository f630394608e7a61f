/*
 * sum_state.c
 *		The SQL type dp_noise.sum_state: text form and merging.
 */
#include "postgres.h"

#include "common/int.h"
#include "fmgr.h"

#include "aggregates/integer_text.h"
#include "aggregates/numeric_value.h"
#include "aggregates/sum_state.h"
#include "aggregates/support.h"

PG_FUNCTION_INFO_V1(dp_sum_state_in);
PG_FUNCTION_INFO_V1(dp_sum_state_out);
PG_FUNCTION_INFO_V1(dp_sum_state_combine);
PG_FUNCTION_INFO_V1(dp_sum_of_parts_transition);

void *
dp_state_read(const char *text, const char *empty, const char *type, Size size)
{
	if (strcmp(text, empty) != 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("values of type %s cannot be read", type),
						errhint("The aggregates of the extension make them.")));
	return palloc0(size);
}

Datum
dp_sum_state_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(dp_state_read(PG_GETARG_CSTRING(0), "(0,0)",
									"dp_noise.sum_state", sizeof(DpSumState)));
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

/*
 * States that were made from rows never saturate: a point has 53 bits, or a
 * unit's sum 63, and there are fewer than 2^63 of them.
 */
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
	DpSumState *state = DatumGetSumState(PG_GETARG_DATUM(0));

	dp_support_check(fcinfo);
	dp_sum_state_add(state, DatumGetSumState(PG_GETARG_DATUM(1)));
	PG_RETURN_POINTER(state);
}

/*
 * (state, ..., sum numeric, number bigint): adds points that were added up
 * elsewhere (gate/run/nodes). Without points the sum is null.
 */
Datum
dp_sum_of_parts_transition(PG_FUNCTION_ARGS)
{
	DpSumState *state = DatumGetSumState(PG_GETARG_DATUM(0));
	int count = PG_NARGS() - 1;
	DpSumState part = {0};

	dp_support_check(fcinfo);
	if (!PG_ARGISNULL(count - 1))
		dp_sum_state_set(&part,
						 dp_numeric_to_int128(PG_GETARG_DATUM(count - 1)));
	if (!PG_ARGISNULL(count))
		part.count = Max(PG_GETARG_INT64(count), 0);
	dp_sum_state_add(state, &part);
	PG_RETURN_POINTER(state);
}
