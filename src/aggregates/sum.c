/*
 * sum.c
 *		dp_sum and dp_mean.
 *
 * Both add up grid points, exactly. dp_sum adds k itself, on a grid fit for
 * the magnitude of the bounds, so that one row changes the sum by at most
 * max(|lower|, |upper|). dp_mean adds k - lower, on a grid fit for their span;
 * mechanisms/mean.h says how it becomes a mean. Of units of several rows, the
 * sums of each unit are bounded and then added up (mechanisms/unit.h).
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/fmgrprotos.h"

#include "aggregates/call.h"
#include "aggregates/noisy_sums.h"
#include "aggregates/numeric_value.h"
#include "aggregates/prepare.h"
#include "aggregates/sum_state.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_sum_of_units_transition);
PG_FUNCTION_INFO_V1(dp_mean_of_units_transition);
PG_FUNCTION_INFO_V1(dp_sum_final);
PG_FUNCTION_INFO_V1(dp_mean_final);
PG_FUNCTION_INFO_V1(dp_mean_sums_final);

/*
 * (state, value, ...): adds one row. Not strict, since the server would look
 * for NULLs among all arguments of every row; the state has an initial value.
 */
static inline Datum
add_row(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	const DpCall *call = dp_call_of_row(fcinfo, aggregate);
	DpSumState *state = DatumGetSumState(PG_GETARG_DATUM(0));
	int64 point;

	if (dp_call_row_point(fcinfo, call, &point))
	{
		if (aggregate == DP_AGGREGATE_MEAN)
			point -= call->grid.lower;
		dp_sum_state_set(state, dp_sum_state_get(state) + point);
		state->count++;
	}
	PG_RETURN_POINTER(state);
}

DP_CALL_FUNCTION(dp_sum_transition, add_row, DP_AGGREGATE_SUM)
DP_CALL_FUNCTION(dp_mean_transition, add_row, DP_AGGREGATE_MEAN)

/* The partial result of a unit, the last argument; NULL when it has none. */
static const DpSumState *
partial_of(FunctionCallInfo fcinfo)
{
	int argno = PG_NARGS() - 1;

	return PG_ARGISNULL(argno) ? NULL
							   : DatumGetSumState(PG_GETARG_DATUM(argno));
}

/* (state, ..., sum of a unit sum_state) */
Datum
dp_sum_of_units_transition(PG_FUNCTION_ARGS)
{
	const DpSum *prepared = dp_prepare_get(fcinfo, DP_AGGREGATE_SUM)->prepared;
	DpSumState *state = DatumGetSumState(PG_GETARG_DATUM(0));
	const DpSumState *partial = partial_of(fcinfo);

	if (partial != NULL)
		dp_sum_state_set(state, dp_sum_state_get(state) +
									dp_unit_sum_of(&prepared->unit,
												   dp_sum_state_get(partial)));
	PG_RETURN_POINTER(state);
}

/* (state, ..., sum of a unit sum_state) */
Datum
dp_mean_of_units_transition(PG_FUNCTION_ARGS)
{
	const DpMean *prepared =
		dp_prepare_get(fcinfo, DP_AGGREGATE_MEAN)->prepared;
	DpSumState *state = DatumGetSumState(PG_GETARG_DATUM(0));
	const DpSumState *partial = partial_of(fcinfo);
	dp_int128 sum;
	int64_t weight;

	if (partial != NULL)
	{
		dp_unit_mean_of(&prepared->unit, dp_sum_state_get(partial),
						partial->count, &sum, &weight);
		dp_sum_state_set(state, dp_sum_state_get(state) + sum);
		state->count += weight;
	}
	PG_RETURN_POINTER(state);
}

/* The result has the type of the built-in sum. */
Datum
dp_sum_answer(const DpCall *call, dp_int128 sum, int exponent)
{
	if (call->ordered != NULL)
		return dp_call_ordered_value(
			call, dp_int128_clamp(sum, PG_INT64_MIN, PG_INT64_MAX), exponent);
	switch (call->type)
	{
		case INT2OID:
		case INT4OID:

			/*
			 * Bounds outside the type's range, and units of very many rows,
			 * make the steps coarse; one of 2^63 leaves the range at once.
			 */
			sum = dp_int128_clamp(sum, PG_INT64_MIN, PG_INT64_MAX);
			sum *= (dp_int128) 1 << Min(exponent, 63);
			return Int64GetDatum(
				(int64) dp_int128_clamp(sum, PG_INT64_MIN, PG_INT64_MAX));
		case FLOAT4OID:
			return Float4GetDatum(
				(float) dp_grid_to_decimal(exponent, (double) sum));
		case FLOAT8OID:
			return Float8GetDatum(dp_grid_to_decimal(exponent, (double) sum));
		default:
			return NumericGetDatum(
				dp_numeric_of_steps(dp_numeric_from_int128(sum), exponent));
	}
}

Datum
dp_sum_draw(const DpCall *call, dp_int128 sum)
{
	const DpSum *prepared = call->prepared;

	if (prepared->sensitivity > 0)
		dp_report_status(
			dp_noise_add(dp_report_random(), &prepared->noise, sum, &sum));

	/* Truncation is post-processing: the bounds tell what sign a sum has. */
	if (call->choice.truncated && call->grid.lower >= 0 && sum < 0)
		sum = 0;
	if (call->choice.truncated && call->grid.upper <= 0 && sum > 0)
		sum = 0;
	return dp_sum_answer(call, sum, prepared->exponent);
}

Datum
dp_sum_final(PG_FUNCTION_ARGS)
{
	/* First, since it refuses direct calls, which may have no state. */
	const DpCall *call = dp_prepare_get(fcinfo, DP_AGGREGATE_SUM);

	return dp_sum_draw(call,
					   dp_sum_state_get(DatumGetSumState(PG_GETARG_DATUM(0))));
}

/* lower + span * fraction as the type of the built-in avg. */
static Datum
mean_datum(const DpCall *call, const DpMean *mean, const DpFraction *fraction)
{
	const DpGrid *grid = &call->grid;
	Numeric steps;
	Datum value;

	if (call->type == FLOAT4OID || call->type == FLOAT8OID)
	{
		double k = (double) mean->lower +
				   (double) mean->span * ((double) fraction->numerator /
										  (double) fraction->denominator);

		k = dp_grid_to_decimal(grid->exponent, k);
		k = fmax(k, DatumGetFloat8(call->bounds[0]));
		return Float8GetDatum(fmin(k, DatumGetFloat8(call->bounds[1])));
	}
	steps = dp_numeric_between(mean->lower, mean->span, fraction->numerator,
							   fraction->denominator);
	if (call->ordered != NULL)
		return dp_call_value_of(
			call, DatumGetInt64(DirectFunctionCall1(numeric_int8,
													NumericGetDatum(steps))));
	value = NumericGetDatum(dp_numeric_of_steps(steps, grid->exponent));
	value = DirectFunctionCall2(numeric_larger, value, call->bounds[0]);
	return DirectFunctionCall2(numeric_smaller, value, call->bounds[1]);
}

Datum
dp_mean_answer(const DpCall *call, const DpPrepared *prepared,
			   const dp_int128 *sums)
{
	DpFraction fraction;

	dp_mean_of_sums(sums, &fraction);
	return mean_datum(call, &prepared->mean, &fraction);
}

static void
draw_sums(FunctionCallInfo fcinfo, const DpMean *mean, dp_int128 *sums)
{
	const DpSumState *state = DatumGetSumState(PG_GETARG_DATUM(0));

	dp_report_status(dp_mean_draw_sums(
		dp_report_random(), mean, dp_sum_state_get(state), state->count, sums));
}

Datum
dp_mean_final(PG_FUNCTION_ARGS)
{
	const DpCall *call = dp_prepare_get(fcinfo, DP_AGGREGATE_MEAN);
	dp_int128 sums[2];

	draw_sums(fcinfo, call->prepared, sums);
	return dp_mean_answer(call, call->prepared, sums);
}

/* The mean as its noisy sums, for a release. */
Datum
dp_mean_sums_final(PG_FUNCTION_ARGS)
{
	const DpCall *call = dp_prepare_get(fcinfo, DP_AGGREGATE_MEAN);
	dp_int128 sums[2];

	draw_sums(fcinfo, call->prepared, sums);
	return dp_noisy_sums_write(sums, 2);
}
