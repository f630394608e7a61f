/*
 * values.c
 *		dp_median, dp_median_exp, dp_quantile_exp, dp_max and dp_min; the rows of
 *		dp_quantiles_exp.
 *
 * All keep grid points and draw from them in the final function. A minimum is
 * a maximum of mirrored points. Of units of several rows, medians and
 * quantiles get a sample of each unit's points, maxima its greatest one: the
 * partial results are made by dp_noise.sample_points, .max_point and .min_point.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "aggregates/call.h"
#include "aggregates/prepare.h"
#include "aggregates/sample_state.h"
#include "aggregates/values_state.h"
#include "server/compat.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_values_state_final);

static bool
is_extreme(DpAggregate aggregate)
{
	return aggregate == DP_AGGREGATE_MAX || aggregate == DP_AGGREGATE_MIN;
}

/* One private answer from points in lower .. upper, which are reordered. */
static DpStatus
draw(const DpCall *call, DpPoints *points, int64 lower, int64 upper,
	 int64 *result)
{
	DpPrepared *prepared = call->prepared;
	DpRandom *random = dp_report_random();

	switch (call->aggregate)
	{
		case DP_AGGREGATE_MAX:
		case DP_AGGREGATE_MIN:
			return dp_extreme_draw_points(random, &prepared->extreme, points,
										  lower, upper, result);
		case DP_AGGREGATE_MEDIAN:
		case DP_AGGREGATE_MEDIAN_EXP:
			return dp_median_draw_points(random, &prepared->median, points,
										 lower, upper, result);
		default:
			return dp_quantile_draw_points(random, &prepared->quantile, points,
										   lower, upper, result);
	}
}

/* How many of the greatest points the aggregate needs; 0: all. */
static uint64
limit_of(const DpCall *call)
{
	return is_extreme(call->aggregate)
			   ? ((DpPrepared *) call->prepared)->extreme.limit
			   : 0;
}

/* Beneath a release the states of a call share bounds, and files. */
static DpValuesPool *
pool_of(FunctionCallInfo fcinfo, DpCall *call)
{
	DpValuesPool *pool;

	if (!call->is_bounded)
		return NULL;
	pool = dp_pool_get(&call->pools, fcinfo, fcinfo->flinfo->fn_mcxt,
					   (Size) work_mem * 1024);
	if (call->aggregate == DP_AGGREGATE_QUANTILES)
	{
		pool->has_digits = true;
		pool->lower = call->grid.lower;
		pool->digits = dp_quantiles_digits(call->grid.lower, call->grid.upper);
	}
	return pool;
}

/* The state that is the first argument, made where it is not there yet. */
static DpValuesState *
state_of(FunctionCallInfo fcinfo, DpCall *call)
{
	MemoryContext context;

	/* The call is of an aggregate of ours, whose state is of our kind. */
	if (likely(!PG_ARGISNULL(0)))
		return (DpValuesState *) PG_GETARG_POINTER(0);
	(void) AggCheckCallContext(fcinfo, &context);
	return dp_values_create(context, pool_of(fcinfo, call), limit_of(call),
							call->aggregate == DP_AGGREGATE_MIN);
}

/* (state internal, value, ...): adds one row. */
static pg_attribute_always_inline Datum
add_row(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	DpCall *call = dp_prepare_of_row(fcinfo, aggregate);
	DpValuesState *state = state_of(fcinfo, call);
	int64 point;

	if (dp_call_row_point(fcinfo, call, &point))
		dp_values_add(state, aggregate == DP_AGGREGATE_MIN
								 ? dp_values_mirror(point)
								 : point);
	PG_RETURN_POINTER(state);
}

/* (state internal, value, ..., number bigint): adds rows that have the same value. */
static Datum
add_rows(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	DpCall *call = dp_prepare_of_row(fcinfo, aggregate);
	DpValuesState *state = state_of(fcinfo, call);
	int argno = PG_NARGS() - 1;
	int64 number = PG_ARGISNULL(argno) ? 0 : PG_GETARG_INT64(argno);
	uint64 limit = limit_of(call);
	int64 point;

	if (limit > 0 && number > 0 && (uint64) number > limit)
		number = (int64) limit; /* no more of them matter */
	if (!dp_call_row_point(fcinfo, call, &point))
		PG_RETURN_POINTER(state);
	if (aggregate == DP_AGGREGATE_MIN)
		point = dp_values_mirror(point);
	for (; number > 0; number--)
	{
		dp_values_add(state, point);
		if ((number & 0xffff) == 0)
			CHECK_FOR_INTERRUPTS();
	}
	PG_RETURN_POINTER(state);
}

/* (state internal, ..., extreme point of a unit bigint) */
static Datum
add_extreme_of_unit(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	DpCall *call = dp_prepare_get(fcinfo, aggregate);
	DpValuesState *state = state_of(fcinfo, call);
	int argno = PG_NARGS() - 1;
	int64 point;

	if (!PG_ARGISNULL(argno))
	{
		point = Max(PG_GETARG_INT64(argno), call->grid.lower);
		point = Min(point, call->grid.upper);
		dp_values_add(state, aggregate == DP_AGGREGATE_MIN
								 ? dp_values_mirror(point)
								 : point);
	}
	PG_RETURN_POINTER(state);
}

/* (state internal, ..., points of a unit sample_state) */
static Datum
add_sample_of_unit(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	DpCall *call = dp_prepare_get(fcinfo, aggregate);
	DpValuesState *state = state_of(fcinfo, call);
	const DpSampleState *sample;
	uint64 i;

	if (PG_ARGISNULL(PG_NARGS() - 1))
		PG_RETURN_POINTER(state);
	sample = dp_sample_state_argument(fcinfo, call->contribution.rows);
	for (i = 0; i < dp_sample_state_kept(sample); i++)
	{
		int64 point = Max(sample->points[i], call->grid.lower);

		dp_values_add(state, Min(point, call->grid.upper));
	}
	PG_RETURN_POINTER(state);
}

/* (greatest bigint, value, lower, upper): the greatest or the least point. */
static inline Datum
extreme_point(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	const DpCall *call = dp_call_of_row(fcinfo, aggregate);
	int64 point;

	if (!dp_call_row_point(fcinfo, call, &point))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	if (PG_ARGISNULL(0))
		PG_RETURN_INT64(point);
	PG_RETURN_INT64(aggregate == DP_AGGREGATE_MAX
						? Max(point, PG_GETARG_INT64(0))
						: Min(point, PG_GETARG_INT64(0)));
}

DP_CALL_FUNCTION(dp_median_transition, add_row, DP_AGGREGATE_MEDIAN)
DP_CALL_FUNCTION(dp_median_exp_transition, add_row, DP_AGGREGATE_MEDIAN_EXP)
DP_CALL_FUNCTION(dp_quantile_transition, add_row, DP_AGGREGATE_QUANTILE)
DP_CALL_FUNCTION(dp_quantiles_transition, add_row, DP_AGGREGATE_QUANTILES)
DP_CALL_FUNCTION(dp_max_transition, add_row, DP_AGGREGATE_MAX)
DP_CALL_FUNCTION(dp_min_transition, add_row, DP_AGGREGATE_MIN)
DP_CALL_FUNCTION(dp_median_of_points_transition, add_rows, DP_AGGREGATE_MEDIAN)
DP_CALL_FUNCTION(dp_median_exp_of_points_transition, add_rows,
				 DP_AGGREGATE_MEDIAN_EXP)
DP_CALL_FUNCTION(dp_quantile_of_points_transition, add_rows,
				 DP_AGGREGATE_QUANTILE)
DP_CALL_FUNCTION(dp_quantiles_of_points_transition, add_rows,
				 DP_AGGREGATE_QUANTILES)
DP_CALL_FUNCTION(dp_max_of_points_transition, add_rows, DP_AGGREGATE_MAX)
DP_CALL_FUNCTION(dp_min_of_points_transition, add_rows, DP_AGGREGATE_MIN)
DP_CALL_FUNCTION(dp_max_point_transition, extreme_point, DP_AGGREGATE_MAX)
DP_CALL_FUNCTION(dp_min_point_transition, extreme_point, DP_AGGREGATE_MIN)
DP_CALL_FUNCTION(dp_median_of_units_transition, add_sample_of_unit,
				 DP_AGGREGATE_MEDIAN)
DP_CALL_FUNCTION(dp_median_exp_of_units_transition, add_sample_of_unit,
				 DP_AGGREGATE_MEDIAN_EXP)
DP_CALL_FUNCTION(dp_quantile_of_units_transition, add_sample_of_unit,
				 DP_AGGREGATE_QUANTILE)
DP_CALL_FUNCTION(dp_quantiles_of_units_transition, add_sample_of_unit,
				 DP_AGGREGATE_QUANTILES)
DP_CALL_FUNCTION(dp_max_of_units_transition, add_extreme_of_unit,
				 DP_AGGREGATE_MAX)
DP_CALL_FUNCTION(dp_min_of_units_transition, add_extreme_of_unit,
				 DP_AGGREGATE_MIN)

/* Draws from the state, which is NULL when there was no row at all. */
static Datum
finish(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	DpCall *call = dp_prepare_get(fcinfo, aggregate);
	DpValuesState *state = dp_values_argument(fcinfo, 0);
	bool mirrored = aggregate == DP_AGGREGATE_MIN;
	int64 lower = call->grid.lower;
	int64 upper = call->grid.upper;
	DpPoints none = dp_points_of_array(NULL, 0);
	DpPoints *points = &none;
	DpPoolPoints room;
	int64 point;

	if (state != NULL)
	{
		dp_values_require(state, limit_of(call), mirrored);
		points = dp_values_points(state, &room);
	}
	if (mirrored)
	{
		lower = dp_values_mirror(call->grid.upper);
		upper = dp_values_mirror(call->grid.lower);
	}
	dp_report_status(draw(call, points, lower, upper, &point));
	return dp_call_value_of(call, mirrored ? dp_values_mirror(point) : point);
}

DP_CALL_FUNCTION(dp_median_final, finish, DP_AGGREGATE_MEDIAN)
DP_CALL_FUNCTION(dp_median_exp_final, finish, DP_AGGREGATE_MEDIAN_EXP)
DP_CALL_FUNCTION(dp_quantile_final, finish, DP_AGGREGATE_QUANTILE)
DP_CALL_FUNCTION(dp_max_final, finish, DP_AGGREGATE_MAX)
DP_CALL_FUNCTION(dp_min_final, finish, DP_AGGREGATE_MIN)

/* The true state, in ascending order and without noise: bigint points. */
Datum
dp_values_state_final(PG_FUNCTION_ARGS)
{
	DpValuesState *state = dp_values_argument(fcinfo, 0);
	DpPoolPoints room;
	DpPoints *points;
	Size size;
	Size i;
	bytea *result;

	if (state == NULL)
	{
		result = palloc(VARHDRSZ);
		SET_VARSIZE(result, VARHDRSZ);
		PG_RETURN_BYTEA_P(result);
	}
	points = dp_values_points(state, &room);
	dp_points_order(points, 0, points->count);
	size = VARHDRSZ + points->count * sizeof(int64);
	result = palloc(size);
	SET_VARSIZE(result, size);
	for (i = 0; i < points->count; i++)
	{
		int64 point =
			dp_points_at(points, state->mirrored ? points->count - 1 - i : i);

		if (state->mirrored)
			point = dp_values_mirror(point);
		memcpy(VARDATA(result) + i * sizeof(int64), &point, sizeof(int64));
	}
	PG_RETURN_BYTEA_P(result);
}
