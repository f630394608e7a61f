/*
 * regression_end.h
 *		Ends of intervals of regressions, as rows.
 */
#ifndef DP_AGGREGATES_REGRESSION_END_H
#define DP_AGGREGATES_REGRESSION_END_H

#include "access/tupdesc.h"

#include "aggregates/law.h"

/* The type of answers, dp_noise.regression. */
extern TupleDesc dp_regression_descriptor(void);

/*
 * The row of the ends of all columns, each by itself an end of the interval of the
 * answer's column, and null where that is; extended to the answer, which is computed
 * from the sums in another way. end: with its call.
 */
extern Datum dp_regression_end(const DpEnd *end, Datum answer,
							   const dp_int128 *sums);

#endif
