/*
 * number.h
 *		A value of one of the six types of numbers: an integer or a double.
 *
 * smallint, integer and bigint are kept as integers, exactly; real, double
 * precision and numeric become the nearest double.
 */
#ifndef DP_AGGREGATES_NUMBER_H
#define DP_AGGREGATES_NUMBER_H

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"

#include "aggregates/numeric_value.h"

typedef enum DpNumberKind
{
	DP_NUMBER_INTEGER,
	DP_NUMBER_DOUBLE,
	DP_NUMBER_NAN /* skipped by aggregates, as NULL is */
} DpNumberKind;

/*
 * Reads a value that is not NULL into whichever of the two its kind says.
 * Inline: it is called for every row.
 */
static inline DpNumberKind
dp_number_read(Oid type, Datum value, int64 *integer, double *number)
{
	switch (type)
	{
		case INT2OID:
			*integer = DatumGetInt16(value);
			return DP_NUMBER_INTEGER;
		case INT4OID:
			*integer = DatumGetInt32(value);
			return DP_NUMBER_INTEGER;
		case INT8OID:
			*integer = DatumGetInt64(value);
			return DP_NUMBER_INTEGER;
		case FLOAT4OID:
			*number = DatumGetFloat4(value);
			break;
		case FLOAT8OID:
			*number = DatumGetFloat8(value);
			break;
		default:
			*number = dp_numeric_to_double(value);
			break;
	}
	return isnan(*number) ? DP_NUMBER_NAN : DP_NUMBER_DOUBLE;
}

#endif
