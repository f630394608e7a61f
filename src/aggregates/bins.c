/*
 * bins.c
 *		Values to bins, and ends of bins to values.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "aggregates/bins.h"
#include "aggregates/numeric_value.h"

DpBins
dp_bins_of_type(Oid type)
{
	switch (type)
	{
		case INT2OID:
			return (DpBins){0, 15};
		case INT4OID:
			return (DpBins){0, 31};
		case INT8OID:
			return (DpBins){0, 63};
		default:
			return (DpBins){-64, 127};
	}
}

bool
dp_bins_find(Oid type, DpBins bins, Datum value, uint32 *bin)
{
	double number;

	switch (type)
	{
		case INT2OID:
			*bin = dp_bin_of_integer(bins, DatumGetInt16(value));
			return true;
		case INT4OID:
			*bin = dp_bin_of_integer(bins, DatumGetInt32(value));
			return true;
		case INT8OID:
			*bin = dp_bin_of_integer(bins, DatumGetInt64(value));
			return true;
		case FLOAT4OID:
			number = DatumGetFloat4(value);
			break;
		case FLOAT8OID:
			number = DatumGetFloat8(value);
			break;
		default:
			number = dp_numeric_to_double(value);
			break;
	}
	if (isnan(number))
		return false;
	*bin = dp_bin_of_double(bins, number);
	return true;
}

/* Within the type's range; -2^greatest is its least value. */
static int64
integer_edge(DpEdge edge, int64 greatest)
{
	dp_int128 value = edge.sign * ((dp_int128) 1 << edge.exponent);

	return (int64) Min(value, (dp_int128) greatest);
}

Datum
dp_bins_edge(Oid type, DpEdge edge)
{
	switch (type)
	{
		case INT2OID:
			return Int16GetDatum((int16) integer_edge(edge, PG_INT16_MAX));
		case INT4OID:
			return Int32GetDatum((int32) integer_edge(edge, PG_INT32_MAX));
		case INT8OID:
			return Int64GetDatum(integer_edge(edge, PG_INT64_MAX));
		case FLOAT4OID:
			return Float4GetDatum(
				(float) (edge.sign * ldexp(1, edge.exponent)));
		case FLOAT8OID:
			return Float8GetDatum(edge.sign * ldexp(1, edge.exponent));
		default:
			break;
	}

	/* To 15 digits where it has a fraction. */
	if (edge.exponent < 0)
		return DirectFunctionCall1(
			float8_numeric,
			Float8GetDatum(edge.sign * ldexp(1, edge.exponent)));
	return NumericGetDatum(
		dp_numeric_scale(int64_to_numeric(edge.sign), edge.exponent));
}
