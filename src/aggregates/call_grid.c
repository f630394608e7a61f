/*
 * call_grid.c
 *		Bounds become a grid.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "aggregates/call_grid.h"
#include "aggregates/numeric_value.h"
#include "server/compat.h"
#include "server/report.h"

pg_noreturn static void
refuse_infinite(const DpParameters *parameters, int argno)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("bounds must be finite"),
					parameters->types[argno] == NUMERICOID ||
							parameters->types[argno] == FLOAT8OID
						? errdetail("Bounds must lie in the range of double "
									"precision.")
						: 0,
					errhint("Write the least and the greatest value that a row "
							"can sensibly have."),
					dp_parameters_position(parameters, argno)));
}

/* Least and greatest value of an integer type. */
static void
integer_range(Oid type, int64 *least, int64 *greatest)
{
	switch (type)
	{
		case INT2OID:
			*least = PG_INT16_MIN;
			*greatest = PG_INT16_MAX;
			break;
		case INT4OID:
			*least = PG_INT32_MIN;
			*greatest = PG_INT32_MAX;
			break;
		default:
			*least = PG_INT64_MIN;
			*greatest = PG_INT64_MAX;
	}
}

/* A finite numeric as bigint: rounded up or down, then brought into range. */
static int64
round_bound(Datum bound, bool up, int64 least, int64 greatest)
{
	Datum rounded =
		DirectFunctionCall1(up ? numeric_ceil : numeric_floor, bound);
	Datum low = NumericGetDatum(int64_to_numeric(least));
	Datum high = NumericGetDatum(int64_to_numeric(greatest));

	if (DatumGetBool(DirectFunctionCall2(numeric_le, rounded, low)))
		return least;
	if (DatumGetBool(DirectFunctionCall2(numeric_ge, rounded, high)))
		return greatest;
	return DatumGetInt64(DirectFunctionCall1(numeric_int8, rounded));
}

/*
 * The grid for an integer type. Sums and means clamp to any bounds in the
 * range of bigint; the answers of the others must fit the type.
 */
static void
set_integer_grid(DpCall *call, Datum lower, Datum upper, DpGridScale scale,
				 const DpParameters *parameters, int argno)
{
	bool is_computed = dp_aggregate_get(call->aggregate)->is_computed;
	int64 least;
	int64 greatest;
	int64 from;
	int64 to;

	if (DatumGetBool(DirectFunctionCall2(numeric_gt, lower, upper)))
		dp_report_status(DP_BOUNDS_REVERSED);
	integer_range(is_computed ? INT8OID : call->type, &least, &greatest);
	from = round_bound(lower, true, least, greatest);
	to = round_bound(upper, false, least, greatest);
	if (from > to ||
		DatumGetBool(DirectFunctionCall2(
			numeric_gt, lower, NumericGetDatum(int64_to_numeric(greatest)))) ||
		DatumGetBool(DirectFunctionCall2(
			numeric_lt, upper, NumericGetDatum(int64_to_numeric(least)))))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("there is no value of type %s between the bounds",
					format_type_be(is_computed ? INT8OID : call->type)),
			 errhint("Write bounds that values of the type can lie between."),
			 dp_parameters_position(parameters, argno)));
	dp_report_status(dp_grid_for_integers(from, to, scale, &call->grid));
}

/* For dates, times and intervals, whose bounds are of their type. */
static void
set_ordered_grid(DpCall *call, DpGridScale scale,
				 const DpParameters *parameters, int argno)
{
	const DpOrderedType *ordered = call->ordered;
	int64 numbers[2];
	int i;

	for (i = 0; i < 2; i++)
	{
		numbers[i] = ordered->number_of(call->bounds[i]);
		if (numbers[i] < ordered->least || numbers[i] > ordered->greatest)
			refuse_infinite(parameters, argno + i);
	}
	dp_report_status(
		dp_grid_for_integers(numbers[0], numbers[1], scale, &call->grid));
}

/* A bound of type numeric or double precision; NaN and infinities as double. */
static double
bound_to_double(const DpParameters *parameters, int argno)
{
	if (parameters->types[argno] == NUMERICOID)
		return dp_numeric_to_double(parameters->values[argno]);
	return DatumGetFloat8(parameters->values[argno]);
}

/* Of a second value, which is of type double precision, as its bounds are. */
static void
set_second_grid(DpCall *call, DpGridScale scale, const DpParameters *parameters,
				int argno)
{
	double bounds[2];
	int i;

	dp_parameters_check(parameters, argno, "lower bound");
	dp_parameters_check(parameters, argno + 1, "upper bound");
	for (i = 0; i < 2; i++)
	{
		bounds[i] = DatumGetFloat8(parameters->values[argno + i]);
		if (!isfinite(bounds[i]))
			refuse_infinite(parameters, argno + i);
	}
	dp_report_status(
		dp_grid_for_doubles(bounds[0], bounds[1], scale, &call->second));
}

void
dp_call_set_grid(DpCall *call, const DpParameters *parameters, int argno)
{
	const DpAggregateTraits *traits = dp_aggregate_get(call->aggregate);
	DpGridScale scale = traits->scale;
	double lower;
	double upper;

	dp_parameters_check(parameters, argno, "lower bound");
	dp_parameters_check(parameters, argno + 1, "upper bound");
	call->bounds[0] = parameters->values[argno];
	call->bounds[1] = parameters->values[argno + 1];
	if (call->ordered != NULL)
	{
		set_ordered_grid(call, scale, parameters, argno);
		return;
	}
	lower = bound_to_double(parameters, argno);
	upper = bound_to_double(parameters, argno + 1);
	if (!isfinite(lower) || !isfinite(upper))
		refuse_infinite(parameters, isfinite(lower) ? argno + 1 : argno);

	if (call->type == INT2OID || call->type == INT4OID || call->type == INT8OID)
		set_integer_grid(call, parameters->values[argno],
						 parameters->values[argno + 1], scale, parameters,
						 argno);
	else
	{
		/* Answers of type real must not become infinite. */
		if (call->type == FLOAT4OID && scale == DP_GRID_SPAN)
		{
			lower = fmin(fmax(lower, -FLT_MAX), FLT_MAX);
			upper = fmin(fmax(upper, -FLT_MAX), FLT_MAX);
		}
		dp_report_status(dp_grid_for_doubles(lower, upper, scale, &call->grid));
	}
	if (traits->own == DP_OWN_VALUE)
		set_second_grid(call, scale, parameters, argno + 2);
}

void
dp_call_set_quantum(DpCall *call)
{
	double quantum = call->choice.quantum / dp_grid_to_double(&call->grid, 1);
	bool integers = call->ordered != NULL || call->categories != NULL ||
					call->type == INT2OID || call->type == INT4OID ||
					call->type == INT8OID;

	if (call->choice.quantum == 0)
		return;
	if (!integers || call->grid.exponent > 0)
		quantum = fmax(rint(quantum), 1);
	call->choice.quantum = quantum;
}
