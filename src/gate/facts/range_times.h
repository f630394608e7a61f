/*
 * range_times.h
 *		Bounds of what is computed with dates, times and intervals.
 *
 * As numbers these are whole days or microseconds (server/ordered_type.h). What is
 * not exact here is wider: a value in another time zone by a day, an age by what
 * months and years differ from 30 and 360 days, the current moment by its year and
 * the next. So it is where a plan is kept into the year after; later values are
 * clamped. What is extracted from an interval has bounds by how it was made
 * (interval_fields.h).
 */
#ifndef DP_GATE_FACTS_RANGE_TIMES_H
#define DP_GATE_FACTS_RANGE_TIMES_H

#include "gate/facts/range.h"

/* Sets the bounds of a call, if it computes with times. args: beside its own. */
extern void dp_range_of_times(const DpExpr *call, const DpColumnFact *args,
							  DpColumnFact *range);

/* The same of the current moment. */
extern void dp_range_of_moment(const DpExpr *moment, DpColumnFact *range);

#endif
