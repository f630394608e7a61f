/*
 * call_value.c
 *		Points of the grid become values.
 *
 * A value of so many digits that it lies next to a point of the grid is
 * rounded to that point, and back by as many digits as the grid tells apart:
 * 474.83 comes out as that, and not as 474.830000013113. All of this follows
 * the noise.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "aggregates/call.h"
#include "aggregates/categories.h"
#include "aggregates/numeric_value.h"

/* To a multiple of the least power of ten that is no less than 2^exponent. */
static int64
round_number(int64 number, int exponent)
{
	int64 unit = 1;
	int64 rest;

	while (unit < INT64CONST(1) << Min(exponent, 59))
		unit *= 10;
	rest = number % unit;
	if (rest < 0)
		rest += unit;
	if (rest < (unit + 1) / 2)
		return number - rest;
	return number > PG_INT64_MAX - unit ? number : number - rest + unit;
}

Datum
dp_call_ordered_value(const DpCall *call, dp_int128 number, int exponent)
{
	number *= (dp_int128) 1 << Min(exponent, 63);
	return dp_ordered_value(
		call->ordered, round_number((int64) dp_int128_clamp(
										number, PG_INT64_MIN, PG_INT64_MAX),
									exponent));
}

/* A value of such a type within the bounds. */
static Datum
ordered_value_within(const DpCall *call, int64 point)
{
	const DpOrderedType *ordered = call->ordered;
	int64 number = ordered->number_of(
		dp_call_ordered_value(call, point, call->grid.exponent));

	number = Max(number, ordered->number_of(call->bounds[0]));
	number = Min(number, ordered->number_of(call->bounds[1]));
	return dp_ordered_value(ordered, number);
}

Datum
dp_call_value_of(const DpCall *call, int64 point)
{
	const DpGrid *grid = &call->grid;
	Datum value;
	double number;

	if (call->categories != NULL)
		return datumCopy(call->categories->values[point], false, -1);
	if (call->ordered != NULL)
		return ordered_value_within(call, point);
	switch (call->type)
	{
		case INT2OID:
			return Int16GetDatum((int16) point);
		case INT4OID:
			return Int32GetDatum((int32) point);
		case INT8OID:
			/* lower and upper were rounded inwards, so this cannot overflow */
			return Int64GetDatum(point * (INT64CONST(1) << grid->exponent));
		case FLOAT4OID:
		case FLOAT8OID:
			number = dp_grid_to_decimal(grid->exponent, (double) point);
			number = fmax(number, DatumGetFloat8(call->bounds[0]));
			number = fmin(number, DatumGetFloat8(call->bounds[1]));
			return call->type == FLOAT4OID ? Float4GetDatum((float) number)
										   : Float8GetDatum(number);
		default:
			value = NumericGetDatum(
				dp_numeric_of_steps(int64_to_numeric(point), grid->exponent));
			value = DirectFunctionCall2(numeric_larger, value, call->bounds[0]);
			return DirectFunctionCall2(numeric_smaller, value, call->bounds[1]);
	}
}
