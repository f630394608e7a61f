/*
 * variance.c
 *		dp_variance, dp_stddev, dp_var_pop and dp_stddev_pop.
 *
 * Rows add up y = k - lower and y^2, exactly, on a grid whose span squared is a
 * sensitivity; mechanisms/variance.h says how they become a variance. The
 * standard deviation is its root.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "aggregates/call.h"
#include "aggregates/noisy_sums.h"
#include "aggregates/prepare.h"
#include "aggregates/square_state.h"
#include "server/report.h"

/* (state, value, ...): adds one row; not strict, as those of sum.c. */
static inline Datum
add_row(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	const DpCall *call = dp_call_of_row(fcinfo, aggregate);
	DpSquareState *state = DatumGetSquareState(PG_GETARG_DATUM(0));
	int64 point;

	if (dp_call_row_point(fcinfo, call, &point))
	{
		point -= call->grid.lower;
		dp_sum_state_set(&state->sum, dp_sum_state_get(&state->sum) + point);
		dp_sum_state_set(&state->squares, dp_sum_state_get(&state->squares) +
											  (dp_int128) point * point);
		state->sum.count++;
	}
	PG_RETURN_POINTER(state);
}

DP_CALL_FUNCTION(dp_variance_transition, add_row, DP_AGGREGATE_VARIANCE)
DP_CALL_FUNCTION(dp_stddev_transition, add_row, DP_AGGREGATE_STDDEV)
DP_CALL_FUNCTION(dp_var_pop_transition, add_row, DP_AGGREGATE_VAR_POP)
DP_CALL_FUNCTION(dp_stddev_pop_transition, add_row, DP_AGGREGATE_STDDEV_POP)

/* The sums of y and y^2 as those that get noise. */
static DpSpread
spread_of(const DpSquareState *state, uint64 span)
{
	dp_int128 sum = dp_sum_state_get(&state->sum);
	dp_int128 squares = dp_sum_state_get(&state->squares);
	int64 count = state->sum.count;

	/* The state may come from rows with other bounds. */
	sum = dp_int128_clamp(sum, 0, (dp_int128) count * span);
	squares = dp_int128_clamp(squares, 0, (dp_int128) count * span * span);
	return (DpSpread){sum * span - squares, squares, count};
}

/*
 * (state, ..., sums of a unit square_state): adds what the unit contributes.
 * The state's sum is then that of y (M-y), in steps of the answer.
 */
static Datum
add_unit(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	const DpCall *call = dp_prepare_get(fcinfo, aggregate);
	const DpVariance *variance = call->prepared;
	DpSquareState *state = DatumGetSquareState(PG_GETARG_DATUM(0));
	int argno = PG_NARGS() - 1;
	DpSpread rows;
	DpSpread unit;

	if (PG_ARGISNULL(argno))
		PG_RETURN_POINTER(state);
	rows =
		spread_of(DatumGetSquareState(PG_GETARG_DATUM(argno)), variance->span);
	dp_variance_unit_of(variance, &rows, &unit);
	dp_sum_state_set(&state->sum, dp_sum_state_get(&state->sum) + unit.half);
	dp_sum_state_set(&state->squares,
					 dp_sum_state_get(&state->squares) + unit.squares);
	state->sum.count += unit.count;
	PG_RETURN_POINTER(state);
}

DP_CALL_FUNCTION(dp_variance_of_units_transition, add_unit,
				 DP_AGGREGATE_VARIANCE)
DP_CALL_FUNCTION(dp_stddev_of_units_transition, add_unit, DP_AGGREGATE_STDDEV)
DP_CALL_FUNCTION(dp_var_pop_of_units_transition, add_unit, DP_AGGREGATE_VAR_POP)
DP_CALL_FUNCTION(dp_stddev_pop_of_units_transition, add_unit,
				 DP_AGGREGATE_STDDEV_POP)

Datum
dp_variance_answer(const DpCall *call, const DpPrepared *prepared,
				   const dp_int128 *sums)
{
	double result = dp_variance_of_sums(&prepared->variance, sums);

	if (dp_aggregate_get(call->aggregate)->is_root)
		result = ldexp(sqrt(result), call->grid.exponent);
	else
		result = ldexp(result, 2 * call->grid.exponent);
	if (call->type == FLOAT4OID || call->type == FLOAT8OID)
		return Float8GetDatum(result);
	return DirectFunctionCall1(float8_numeric, Float8GetDatum(result));
}

/* Draws: the answer, or its sums for a release. */
static Datum
finish(FunctionCallInfo fcinfo, DpAggregate aggregate, bool as_sums)
{
	const DpCall *call = dp_prepare_get(fcinfo, aggregate);
	const DpVariance *variance = call->prepared;
	const DpSquareState *state = DatumGetSquareState(PG_GETARG_DATUM(0));
	DpSpread spread = {dp_sum_state_get(&state->sum),
					   dp_sum_state_get(&state->squares), state->sum.count};
	dp_int128 sums[3];

	if (!call->of_units)
		spread = spread_of(state, variance->span);
	dp_report_status(
		dp_variance_draw_sums(dp_report_random(), variance, &spread, sums));
	return as_sums ? dp_noisy_sums_write(sums, 3)
				   : dp_variance_answer(call, call->prepared, sums);
}

DP_CALL_FUNCTION(dp_variance_final, finish, DP_AGGREGATE_VARIANCE, false)
DP_CALL_FUNCTION(dp_stddev_final, finish, DP_AGGREGATE_STDDEV, false)
DP_CALL_FUNCTION(dp_var_pop_final, finish, DP_AGGREGATE_VAR_POP, false)
DP_CALL_FUNCTION(dp_stddev_pop_final, finish, DP_AGGREGATE_STDDEV_POP, false)
DP_CALL_FUNCTION(dp_variance_sums_final, finish, DP_AGGREGATE_VARIANCE, true)
DP_CALL_FUNCTION(dp_stddev_sums_final, finish, DP_AGGREGATE_STDDEV, true)
DP_CALL_FUNCTION(dp_var_pop_sums_final, finish, DP_AGGREGATE_VAR_POP, true)
DP_CALL_FUNCTION(dp_stddev_pop_sums_final, finish, DP_AGGREGATE_STDDEV_POP,
				 true)
