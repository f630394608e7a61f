/*
 * interval_fields.h
 *		Bounds of the fields of intervals.
 *
 * An interval is months, days and a time, each with a sign of its own, and what is
 * too much for one field is not carried into the next: the bounds of the whole say
 * nothing of a field. What made it does:
 *
 *   timestamp - timestamp	no months; days and a time of less than one, of one
 *							sign: the server takes all days out of the time
 *   time - time			a time alone
 *   age()					months, at most 30 days and less than a day, of one
 *							sign but for moments that are hours apart, where clocks
 *							are set back
 *   interval + interval	the sums of the fields; differences likewise
 *   constants				what they say
 *
 * Of others nothing is known: of columns, for example, whatever bounds are declared
 * for them.
 */
#ifndef DP_GATE_FACTS_INTERVAL_FIELDS_H
#define DP_GATE_FACTS_INTERVAL_FIELDS_H

#include "datatype/timestamp.h"

#include "core/int128.h"

/* A range in whole numbers. */
typedef struct DpSpan
{
	dp_int128 ends[2];
} DpSpan;

/* As the server stores them; the time in microseconds. */
typedef struct DpIntervalFields
{
	DpSpan months;
	DpSpan days;
	DpSpan time;
} DpIntervalFields;

/* The following are palloc'd; NULL: nothing is known. */

/* Of a constant. */
extern const DpIntervalFields *dp_interval_fields_of_constant(
	const Interval *interval);

/* Of times of day that lie so many microseconds apart; of timestamps. */
extern const DpIntervalFields *dp_interval_fields_of_times(DpSpan apart);
extern const DpIntervalFields *dp_interval_fields_of_timestamps(DpSpan apart);

/* Of an age whose bounds are these, of which three days are slack at each end. */
extern const DpIntervalFields *dp_interval_fields_of_age(DpSpan whole);

/* The sum, or the difference. */
extern const DpIntervalFields *dp_interval_fields_sum(
	const DpIntervalFields *left, const DpIntervalFields *right,
	bool is_difference);

/* Of one or the other. */
extern const DpIntervalFields *dp_interval_fields_hull(
	const DpIntervalFields *one, const DpIntervalFields *other);

/*
 * What extract() makes of them, as it names it, outwards. whole: the interval's
 * bounds, in months of 30 days. False for what it knows no bounds of.
 */
extern bool dp_interval_fields_extract(const DpIntervalFields *fields,
									   DpSpan whole, const char *name,
									   DpSpan *extracted);

#endif
