/*
 * grid_point.c
 *		Grid points as SQL computes them: for other nodes, which add them up
 *		(gate/run/nodes).
 *
 * A point is the same as the aggregates make of the value themselves. The functions
 * know nothing of a call: the grid is in their arguments.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

#include "aggregates/numeric_value.h"
#include "core/grid.h"

PG_FUNCTION_INFO_V1(dp_grid_point);
PG_FUNCTION_INFO_V1(dp_grid_point_numeric);
PG_FUNCTION_INFO_V1(dp_grid_point_integer);

/* Steps that are longer or shorter do not come from any bounds. */
#define EXPONENT_MAX 1100

/* (value, exponent, lower, upper) */
static Datum
point_of(FunctionCallInfo fcinfo, double value)
{
	int exponent = PG_GETARG_INT32(1);
	DpGrid grid = {.lower = PG_GETARG_INT64(2), .upper = PG_GETARG_INT64(3)};

	if (isnan(value))
		PG_RETURN_NULL();
	exponent = Min(Max(exponent, -EXPONENT_MAX), EXPONENT_MAX);
	grid.exponent = exponent;
	grid.scale = ldexp(1.0, -exponent);
	grid.lower_double = (double) grid.lower;
	grid.upper_double = (double) grid.upper;
	PG_RETURN_INT64(dp_grid_from_double(&grid, value));
}

/* (value double precision, exponent, lower, upper) strict */
Datum
dp_grid_point(PG_FUNCTION_ARGS)
{
	return point_of(fcinfo, PG_GETARG_FLOAT8(0));
}

/* (value, lower, upper, origin) strict: with steps of 1, above the origin */
Datum
dp_grid_point_integer(PG_FUNCTION_ARGS)
{
	int32 value = PG_GETARG_INT32(0);
	int32 lower = PG_GETARG_INT32(1);
	int32 upper = PG_GETARG_INT32(2);

	value = Min(Max(value, lower), upper);
	PG_RETURN_INT32((int32) ((uint32) value - (uint32) PG_GETARG_INT32(3)));
}

/* (value numeric, exponent, lower, upper) strict */
Datum
dp_grid_point_numeric(PG_FUNCTION_ARGS)
{
	return point_of(fcinfo, dp_numeric_to_double(PG_GETARG_DATUM(0)));
}
