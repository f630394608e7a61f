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

/* The exponent of the power of two that is nearest to a number other than 0. */
static DpEdge
nearest_edge(double number)
{
	int exponent;
	double part = frexp(fabs(number), &exponent);

	return (DpEdge){number < 0 ? -1 : 1, part > 0.75 ? exponent : exponent - 1};
}

DpEdge
dp_bins_edge_of(Oid type, Datum value)
{
	const DpOrderedType *ordered = dp_ordered_type(type);
	int64 integer = 0;
	double number = 0;

	if (ordered != NULL)
		number = (double) ordered->number_of(value);
	else if (dp_number_read(type, value, &integer, &number) ==
			 DP_NUMBER_INTEGER)
		number = (double) integer;
	if (number == 0)
		return (DpEdge){0, 0};

	/* A type's greatest value stands for the power beyond it. */
	if (ordered != NULL)
		return (DpEdge){number < 0 ? -1 : 1, (int) ceil(log2(fabs(number)))};
	return nearest_edge(number);
}

Oid
dp_bins_bound_type(Oid type)
{
	if (dp_ordered_type(type) != NULL)
		return type;
	return type == FLOAT4OID || type == FLOAT8OID ? FLOAT8OID : NUMERICOID;
}

Datum
dp_bins_bound(Oid type, DpEdge edge)
{
	double number = edge.sign * ldexp(1, edge.exponent);

	if (dp_ordered_type(type) != NULL)
		return dp_bins_edge(type, edge);
	if (dp_bins_bound_type(type) == FLOAT8OID)
		return Float8GetDatum(number);

	/* All digits of a power of two. */
	return DirectFunctionCall3(
		numeric_in,
		CStringGetDatum(psprintf("%.*f", Max(-edge.exponent, 0), number)),
		ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}
