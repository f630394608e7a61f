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
#include "aggregates/number.h"
#include "server/ordered_type.h"

DpBins
dp_bins_of_type(Oid type)
{
	const DpOrderedType *ordered = dp_ordered_type(type);

	if (ordered != NULL)
		return (DpBins){0, ordered->bits};
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
	const DpOrderedType *ordered = dp_ordered_type(type);
	int64 integer;
	double number;

	if (ordered != NULL)
	{
		*bin = dp_bin_of_integer(bins, ordered->number_of(value));
		return true;
	}
	switch (dp_number_read(type, value, &integer, &number))
	{
		case DP_NUMBER_INTEGER:
			*bin = dp_bin_of_integer(bins, integer);
			return true;
		case DP_NUMBER_DOUBLE:
			*bin = dp_bin_of_double(bins, number);
			return true;
		case DP_NUMBER_NAN:
			break;
	}
	return false;
}

/* Brought into the type's range, whose least value is -2^greatest. */
static int64
integer_edge(DpEdge edge, int64 greatest)
{
	dp_int128 value = edge.sign * ((dp_int128) 1 << edge.exponent);

	return (int64) Min(value, (dp_int128) greatest);
}

Datum
dp_bins_edge(Oid type, DpEdge edge)
{
	const DpOrderedType *ordered = dp_ordered_type(type);

	if (ordered != NULL)
		return dp_ordered_value(ordered, integer_edge(edge, PG_INT64_MAX));
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

	/* Fractions are rounded to 15 digits. */
	if (edge.exponent < 0)
		return DirectFunctionCall1(
			float8_numeric,
			Float8GetDatum(edge.sign * ldexp(1, edge.exponent)));
	return NumericGetDatum(
		dp_numeric_scale(int64_to_numeric(edge.sign), edge.exponent));
}
