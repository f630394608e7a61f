/*
 * count.c
 *		dp_count: the number of rows, or of values that are not NULL.
 *
 * The state is a bigint passed by value, as in count(*).
 *
 * Sensitivity 1: adding or removing a row changes the count by at most one, a
 * unit of several rows by as many as count of it.
 */
#include "postgres.h"

#include "common/int.h"
#include "fmgr.h"

#include "aggregates/call.h"
#include "aggregates/count.h"
#include "aggregates/prepare.h"
#include "aggregates/support.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_count_transition);
PG_FUNCTION_INFO_V1(dp_count_of_rows_transition);
PG_FUNCTION_INFO_V1(dp_count_of_units_transition);
PG_FUNCTION_INFO_V1(dp_count_of_parts_transition);
PG_FUNCTION_INFO_V1(dp_count_final);

/* (state bigint, ...) strict: called for the rows that count. */
Datum
dp_count_transition(PG_FUNCTION_ARGS)
{
	dp_support_check(fcinfo);
	PG_RETURN_INT64(PG_GETARG_INT64(0) + 1);
}

/* (state bigint, value, ...): not strict, since parameters may be null. */
Datum
dp_count_of_rows_transition(PG_FUNCTION_ARGS)
{
	dp_support_check(fcinfo);
	PG_RETURN_INT64(PG_GETARG_INT64(0) + (PG_ARGISNULL(1) ? 0 : 1));
}

/* (state bigint, ..., rows of a unit bigint) */
Datum
dp_count_of_units_transition(PG_FUNCTION_ARGS)
{
	const DpCall *call = dp_call_get(fcinfo, DP_AGGREGATE_COUNT);
	int argno = PG_NARGS() - 1;
	int64 rows = PG_ARGISNULL(argno) ? 0 : Max(PG_GETARG_INT64(argno), 0);

	PG_RETURN_INT64(PG_GETARG_INT64(0) +
					dp_unit_count(rows, call->contribution));
}

/* (state bigint, ..., number bigint): of rows that are not NULL, from elsewhere. */
Datum
dp_count_of_parts_transition(PG_FUNCTION_ARGS)
{
	int argno = PG_NARGS() - 1;
	int64 count = PG_GETARG_INT64(0);

	dp_support_check(fcinfo);
	if (!PG_ARGISNULL(argno) &&
		pg_add_s64_overflow(count, Max(PG_GETARG_INT64(argno), 0), &count))
		count = PG_INT64_MAX;
	PG_RETURN_INT64(count);
}

Datum
dp_count_answer(FunctionCallInfo fcinfo, DpCall *call, int64 count)
{
	DpNoise *noise = call->prepared;
	dp_int128 value;

	if (noise == NULL)
	{
		noise = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(DpNoise));
		dp_prepare_count(call, noise);
		call->prepared = noise;
	}
	dp_report_status(dp_noise_add(dp_report_random(), noise, count, &value));

	/* Truncation is post-processing: a count is not negative. */
	value = dp_int128_clamp(value, call->choice.truncated ? 0 : PG_INT64_MIN,
							PG_INT64_MAX);
	return Int64GetDatum((int64) value);
}

Datum
dp_count_final(PG_FUNCTION_ARGS)
{
	return dp_count_answer(fcinfo, dp_call_get(fcinfo, DP_AGGREGATE_COUNT),
						   PG_GETARG_INT64(0));
}
