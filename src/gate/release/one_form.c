/*
 * one_form.c
 *		One form for all equal values of a key.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "core/int128.h"
#include "gate/release/one_form.h"

/*
 * An interval in days and hours, in months too where there are very many days:
 * a month is 30 days and a day is 24 hours, as the server compares them. The
 * greatest and the least (infinite ones, in newer servers) are equal to no
 * other.
 */
static Datum
interval_in_one_form(const Interval *interval)
{
	dp_int128 total =
		((dp_int128) interval->month * DAYS_PER_MONTH + interval->day) *
			USECS_PER_DAY +
		interval->time;
	dp_int128 days = total / USECS_PER_DAY;
	Interval *result = palloc0(sizeof(Interval));

	if ((interval->month == PG_INT32_MAX && interval->day == PG_INT32_MAX &&
		 interval->time == PG_INT64_MAX) ||
		(interval->month == PG_INT32_MIN && interval->day == PG_INT32_MIN &&
		 interval->time == PG_INT64_MIN))
	{
		*result = *interval;
		return IntervalPGetDatum(result);
	}
	if (days < PG_INT32_MIN || days > PG_INT32_MAX)
	{
		result->month = (int32) dp_int128_clamp(days / DAYS_PER_MONTH,
												PG_INT32_MIN, PG_INT32_MAX);
		days -= (dp_int128) result->month * DAYS_PER_MONTH;
	}
	result->day = (int32) dp_int128_clamp(days, PG_INT32_MIN, PG_INT32_MAX);
	result->time =
		(TimeOffset) (total - ((dp_int128) result->month * DAYS_PER_MONTH +
							   result->day) *
								  USECS_PER_DAY);
	return IntervalPGetDatum(result);
}

/* A character(n) without its blanks, and with those that it must have. */
static Datum
bpchar_in_one_form(Datum value, int32 typmod)
{
	Datum trimmed = DirectFunctionCall1(rtrim1, value);

	if (typmod < VARHDRSZ || DatumGetInt32(DirectFunctionCall1(
								 textlen, trimmed)) > typmod - VARHDRSZ)
		return trimmed;
	return DirectFunctionCall3(bpchar, trimmed, Int32GetDatum(typmod),
							   BoolGetDatum(true));
}

Datum
dp_one_form_of(Node *key, Datum value)
{
	switch (getBaseType(exprType(key)))
	{
		case NUMERICOID:
			return DirectFunctionCall1(numeric_trim_scale, value);
		case FLOAT4OID:
			if (isnan(DatumGetFloat4(value)))
				return Float4GetDatum(get_float4_nan());
			return Float4GetDatum(DatumGetFloat4(value) + 0.0F);
		case FLOAT8OID:
			if (isnan(DatumGetFloat8(value)))
				return Float8GetDatum(get_float8_nan());
			return Float8GetDatum(DatumGetFloat8(value) + 0.0);
		case BPCHAROID:
			return bpchar_in_one_form(value, exprTypmod(key));
		case INTERVALOID:
			return interval_in_one_form(DatumGetIntervalP(value));
		default:
			if (get_typlen(exprType(key)) == -1)
				return PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
			return value;
	}
}
