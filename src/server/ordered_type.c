/*
 * ordered_type.c
 *		The table of dates, times and intervals.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "utils/date.h"
#include "utils/timestamp.h"

#include "core/int128.h"
#include "server/ordered_type.h"

/* The finite dates: the least is DATETIME_MIN_JULIAN. */
#define LEAST_DATE (DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE)
#define GREATEST_DATE (DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1)

static int64
number_of_date(Datum value)
{
	return DatumGetDateADT(value);
}

static Datum
date_of(int64 number)
{
	return DateADTGetDatum((DateADT) number);
}

static int64
number_of_timestamp(Datum value)
{
	return DatumGetTimestamp(value);
}

static Datum
timestamp_of(int64 number)
{
	return TimestampGetDatum(number);
}

static int64
number_of_time(Datum value)
{
	return DatumGetTimeADT(value);
}

static Datum
time_of(int64 number)
{
	return TimeADTGetDatum(number);
}

/*
 * In the order in which the server compares them; infinite ones have the
 * extremes in all fields.
 */
static int64
number_of_interval(Datum value)
{
	const Interval *interval = DatumGetIntervalP(value);
	dp_int128 days =
		(dp_int128) interval->month * DAYS_PER_MONTH + interval->day;

	return (int64) dp_int128_clamp(days * USECS_PER_DAY + interval->time,
								   PG_INT64_MIN, PG_INT64_MAX);
}

static Datum
interval_of(int64 number)
{
	Interval *interval = palloc0(sizeof(Interval));

	interval->day = (int32) (number / USECS_PER_DAY);
	interval->time = number % USECS_PER_DAY;
	return IntervalPGetDatum(interval);
}

/* clang-format off */
static const DpOrderedType types[] = {
	{DATEOID, "date", true, 31, LEAST_DATE, GREATEST_DATE,
	 number_of_date, date_of},
	{TIMESTAMPOID, "timestamp without time zone", false, 63, MIN_TIMESTAMP, END_TIMESTAMP - 1,
	 number_of_timestamp, timestamp_of},
	{TIMESTAMPTZOID, "timestamp with time zone", false, 63, MIN_TIMESTAMP, END_TIMESTAMP - 1,
	 number_of_timestamp, timestamp_of},
	{TIMEOID, "time without time zone", false, 37, 0, USECS_PER_DAY,
	 number_of_time, time_of},
	{INTERVALOID, "interval", false, 63, PG_INT64_MIN + 1, PG_INT64_MAX - 1,
	 number_of_interval, interval_of},
};
/* clang-format on */

const DpOrderedType *
dp_ordered_type(Oid type)
{
	size_t i;

	for (i = 0; i < lengthof(types); i++)
	{
		if (types[i].type == type)
			return &types[i];
	}
	return NULL;
}

Datum
dp_ordered_value(const DpOrderedType *ordered, int64 number)
{
	number = Max(number, ordered->least);
	return ordered->value_of(Min(number, ordered->greatest));
}
