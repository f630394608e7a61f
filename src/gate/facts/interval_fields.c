/*
 * interval_fields.c
 *		Bounds of the fields of intervals.
 */
#include "postgres.h"

#include "gate/facts/interval_fields.h"

/* What the epoch of a year has beside 12 months of 30 days: 5.25 days. */
#define YEAR_MORE ((dp_int128) 126 * USECS_PER_HOUR)

static DpIntervalFields *
copy_of(DpIntervalFields fields)
{
	DpIntervalFields *copy = palloc(sizeof(DpIntervalFields));

	*copy = fields;
	return copy;
}

static DpSpan
one_of(dp_int128 number)
{
	return (DpSpan){{number, number}};
}

const DpIntervalFields *
dp_interval_fields_of_constant(const Interval *interval)
{
	/* infinite ones, in newer servers */
	if (interval->month == PG_INT32_MAX || interval->month == PG_INT32_MIN)
		return NULL;
	return copy_of((DpIntervalFields){one_of(interval->month),
									  one_of(interval->day),
									  one_of(interval->time)});
}

const DpIntervalFields *
dp_interval_fields_of_times(DpSpan apart)
{
	return copy_of((DpIntervalFields){one_of(0), one_of(0), apart});
}

/* What is left of truncated numbers after division: it has their sign. */
static DpSpan
remainders(DpSpan span, dp_int128 divisor)
{
	return (DpSpan){{Max(Min(span.ends[0], 0), 1 - divisor),
					 Min(Max(span.ends[1], 0), divisor - 1)}};
}

/* Division as in C, towards 0, which keeps the order. */
static DpSpan
quotients(DpSpan span, dp_int128 divisor)
{
	return (DpSpan){{span.ends[0] / divisor, span.ends[1] / divisor}};
}

/* Some servers do not see that a difference has no room. */
const DpIntervalFields *
dp_interval_fields_of_timestamps(DpSpan apart)
{
	if (apart.ends[0] < PG_INT64_MIN || apart.ends[1] > PG_INT64_MAX)
		return NULL;
	return copy_of((DpIntervalFields){one_of(0),
									  quotients(apart, USECS_PER_DAY),
									  remainders(apart, USECS_PER_DAY)});
}

static DpSpan
of_sign(DpSpan span, DpSpan whole)
{
	if (whole.ends[0] >= 0)
		span.ends[0] = Max(span.ends[0], 0);
	if (whole.ends[1] <= 0)
		span.ends[1] = Min(span.ends[1], 0);
	return span;
}

const DpIntervalFields *
dp_interval_fields_of_age(DpSpan whole)
{
	const dp_int128 others = 31 * USECS_PER_DAY; /* of both signs: less */
	DpSpan months =
		quotients((DpSpan){{whole.ends[0] - others, whole.ends[1] + others}},
				  DAYS_PER_MONTH * USECS_PER_DAY);

	return copy_of((DpIntervalFields){
		of_sign(months, whole), of_sign((DpSpan){{-30, 30}}, whole),
		of_sign((DpSpan){{1 - USECS_PER_DAY, USECS_PER_DAY - 1}}, whole)});
}

static DpSpan
sum(DpSpan left, DpSpan right, bool is_difference)
{
	if (is_difference)
		right = (DpSpan){{-right.ends[1], -right.ends[0]}};
	return (DpSpan){
		{left.ends[0] + right.ends[0], left.ends[1] + right.ends[1]}};
}

const DpIntervalFields *
dp_interval_fields_sum(const DpIntervalFields *left,
					   const DpIntervalFields *right, bool is_difference)
{
	if (left == NULL || right == NULL)
		return NULL;
	return copy_of(
		(DpIntervalFields){sum(left->months, right->months, is_difference),
						   sum(left->days, right->days, is_difference),
						   sum(left->time, right->time, is_difference)});
}

static DpSpan
hull(DpSpan one, DpSpan other)
{
	return (DpSpan){
		{Min(one.ends[0], other.ends[0]), Max(one.ends[1], other.ends[1])}};
}

const DpIntervalFields *
dp_interval_fields_hull(const DpIntervalFields *one,
						const DpIntervalFields *other)
{
	if (one == NULL || other == NULL)
		return NULL;
	return copy_of((DpIntervalFields){hull(one->months, other->months),
									  hull(one->days, other->days),
									  hull(one->time, other->time)});
}

/* Microseconds as seconds, outwards. */
static DpSpan
in_seconds(DpSpan span)
{
	return (DpSpan){
		{span.ends[0] / USECS_PER_SEC - (span.ends[0] % USECS_PER_SEC < 0),
		 span.ends[1] / USECS_PER_SEC + (span.ends[1] % USECS_PER_SEC > 0)}};
}

bool
dp_interval_fields_extract(const DpIntervalFields *fields, DpSpan whole,
						   const char *name, DpSpan *extracted)
{
	DpSpan years;

	if (fields == NULL)
		return false;
	years = quotients(fields->months, MONTHS_PER_YEAR);
	if (pg_strcasecmp(name, "year") == 0)
		*extracted = years;
	else if (pg_strcasecmp(name, "month") == 0)
		*extracted = remainders(fields->months, MONTHS_PER_YEAR);
	else if (pg_strcasecmp(name, "day") == 0)
		*extracted = fields->days;
	else if (pg_strcasecmp(name, "hour") == 0)
		*extracted = quotients(fields->time, USECS_PER_HOUR);
	else if (pg_strcasecmp(name, "minute") == 0)
		*extracted = remainders(quotients(fields->time, USECS_PER_MINUTE),
								MINS_PER_HOUR);
	else if (pg_strcasecmp(name, "second") == 0)
		*extracted = in_seconds(remainders(fields->time, USECS_PER_MINUTE));
	else if (pg_strcasecmp(name, "epoch") == 0)
		*extracted = in_seconds(sum(
			whole,
			(DpSpan){{years.ends[0] * YEAR_MORE, years.ends[1] * YEAR_MORE}},
			false));
	else
		return false;
	return true;
}
