/*
 * sum.c
 *		dp_sum and dp_mean.
 *
 * Both add up grid points, exactly. dp_sum adds k itself, on a grid fit for
 * the magnitude of the bounds, so that one row changes the sum by at most
 * max(|lower|, |upper|). dp_mean adds k - lower, on a grid fit for their span;
 * mechanisms/mean.h says how it becomes a mean.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"

#include "aggregates/call.h"
#include "aggregates/numeric_value.h"
#include "aggregates/sum_state.h"
#include "mechanisms/mean.h"
#include "mechanisms/noise.h"
#include "mechanisms/sensitivity.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_sum_transition);
PG_FUNCTION_INFO_V1(dp_mean_transition);
PG_FUNCTION_INFO_V1(dp_sum_final);
PG_FUNCTION_INFO_V1(dp_mean_final);

/*
 * (state, value, ...): adds one row. Not strict, since the server would look
 * for NULLs among all arguments of every row; the state has an initial value.
 */
static inline Datum
add_row(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	DpCall *call = fcinfo->flinfo->fn_extra;
	DpSumState *state;
	int64 point;

	if (unlikely(call == NULL))
		call = dp_call_get(fcinfo, aggregate);
	state = DatumGetSumState(PG_GETARG_DATUM(0));
	if (likely(!PG_ARGISNULL(1)) &&
		likely(dp_call_grid_point(call, PG_GETARG_DATUM(1), &point)))
	{
		if (aggregate == DP_AGGREGATE_MEAN)
			point -= call->grid.lower;
		dp_sum_state_set(state, dp_sum_state_get(state) + point);
		state->count++;
	}
	PG_RETURN_POINTER(state);
}

Datum
dp_sum_transition(PG_FUNCTION_ARGS)
{
	return add_row(fcinfo, DP_AGGREGATE_SUM);
}

Datum
dp_mean_transition(PG_FUNCTION_ARGS)
{
	return add_row(fcinfo, DP_AGGREGATE_MEAN);
}

/* What dp_sum needs beside its call: sensitivity 0 when both bounds are 0. */
static DpNoise *
prepare_sum(FunctionCallInfo fcinfo, DpCall *call)
{
	uint64 sensitivity = dp_sensitivity_sum(
		&call->grid, dp_contribution_within(call->contribution));
	DpNoise *noise =
		MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(DpNoise));
	DpStatus status =
		dp_noise_init_groups(noise, &call->choice, call->epsilon,
							 Max(sensitivity, 1), call->contribution);

	dp_call_report(call, status);
	noise->sensitivity = sensitivity;
	return noise;
}

/* A sum of grid points as the type of the built-in sum. */
static Datum
sum_datum(const DpCall *call, dp_int128 sum)
{
	const DpGrid *grid = &call->grid;
	double number;

	switch (call->type)
	{
		case INT2OID:
		case INT4OID:

			/*
			 * Bounds outside the type's range may have made the grid coarse.
			 * Clamped to 2^100, the shift has room: the exponent is at most
			 * 23 (bounds are bigints).
			 */
			sum = dp_int128_clamp(sum, -((dp_int128) 1 << 100),
								  (dp_int128) 1 << 100);
			sum *= (dp_int128) 1 << grid->exponent;
			return Int64GetDatum(
				(int64) dp_int128_clamp(sum, PG_INT64_MIN, PG_INT64_MAX));
		case FLOAT4OID:
			number = dp_grid_to_double(grid, (double) sum);
			return Float4GetDatum((float) number);
		case FLOAT8OID:
			return Float8GetDatum(dp_grid_to_double(grid, (double) sum));
		default:
			return NumericGetDatum(
				dp_numeric_scale(dp_numeric_from_int128(sum), grid->exponent));
	}
}

Datum
dp_sum_final(PG_FUNCTION_ARGS)
{
	DpCall *call = dp_call_get(fcinfo, DP_AGGREGATE_SUM);
	DpNoise *noise;
	dp_int128 sum = dp_sum_state_get(DatumGetSumState(PG_GETARG_DATUM(0)));

	if (call->prepared == NULL)
		call->prepared = prepare_sum(fcinfo, call);
	noise = call->prepared;
	if (noise->sensitivity > 0)
		dp_report_status(dp_noise_add(dp_report_random(), noise, sum, &sum));

	/* Truncation is post-processing: the bounds tell what sign a sum has. */
	if (call->choice.truncated && call->grid.lower >= 0 && sum < 0)
		sum = 0;
	if (call->choice.truncated && call->grid.upper <= 0 && sum > 0)
		sum = 0;
	return sum_datum(call, sum);
}

/* lower + span * fraction as the type of the built-in avg. */
static Datum
mean_datum(const DpCall *call, const DpMean *mean, const DpFraction *fraction)
{
	const DpGrid *grid = &call->grid;

	if (call->type == FLOAT4OID || call->type == FLOAT8OID)
	{
		double k = (double) mean->lower +
				   (double) mean->span * ((double) fraction->numerator /
										  (double) fraction->denominator);

		return Float8GetDatum(dp_grid_to_double(grid, k));
	}
	return NumericGetDatum(dp_numeric_scale(
		dp_numeric_between(mean->lower, mean->span, fraction->numerator,
						   fraction->denominator),
		grid->exponent));
}

Datum
dp_mean_final(PG_FUNCTION_ARGS)
{
	DpCall *call = dp_call_get(fcinfo, DP_AGGREGATE_MEAN);
	DpSumState *state = DatumGetSumState(PG_GETARG_DATUM(0));
	DpFraction fraction;

	if (call->prepared == NULL)
	{
		DpMean *mean =
			MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(DpMean));
		DpStatus status = dp_mean_init(mean, &call->choice, call->epsilon,
									   &call->grid, call->contribution);

		dp_call_report(call, status);
		call->prepared = mean;
	}
	dp_report_status(dp_mean_draw(dp_report_random(), call->prepared,
								  dp_sum_state_get(state), state->count,
								  &fraction));
	return mean_datum(call, call->prepared, &fraction);
}
