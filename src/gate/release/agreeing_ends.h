/*
 * agreeing_ends.h
 *		Ends of intervals around answers of groupings that agree.
 *
 * The error of such an answer is a weighted sum of the noise of all groupings
 * (core/marginal_weights.h, core/nested_tables.h), whose tail gives a width
 * (mechanisms/combination.h): the interval is what lies that far from the
 * least-squares solution, before it is rounded to whole numbers. The interval of the
 * grouping's own noisy answer, moved so that it contains the answer that is shown,
 * holds as well. Both widths are public, and the lesser one decides which is shown.
 */
#ifndef DP_GATE_RELEASE_AGREEING_ENDS_H
#define DP_GATE_RELEASE_AGREEING_ENDS_H

#include "gate/release/release_state.h"

/* One grouping's answers to an aggregate, once they agree. */
typedef struct DpAgreeingAnswers
{
	const DpGroupings *groupings;
	int number; /* of the grouping among them */
	int aggno;
	const DpMarginals *marginals; /* the tables, or at least their variances */
	const int64 *cell_of;		  /* of the rows that have an answer */
	const double *exact; /* cells before they are rounded, in steps ... */
	const double *shown; /* ... and after */
	double slack;		 /* the most that the former err by, as doubles */

	/* Of tables that refine each other, by cell: what dp_nested_tables_errors says. */
	const double *variances; /* NULL: these are tables of all combinations */
	const double *greatest;
} DpAgreeingAnswers;

/* Sets the ends of the intervals of these answers, which are in the rows already. */
extern void dp_agreeing_ends_set(const DpAgreeingAnswers *answers);

#endif
