/*
 * count_law.h
 *		The law of private answers to a count that is one of 0 .. n.
 *
 * Public arithmetic in doubles: nothing here draws noise or sees data.
 *
 * An answer is a place i on a row of equally spaced values: the true count's
 * own place, start(x), moved by noise on whole numbers. Without a quantum the
 * places are the whole numbers themselves. Truncated answers, and those of
 * two_stage, end at the values 0 and n, on which lies all that is beyond them.
 */
#ifndef DP_UTILITY_COUNT_LAW_H
#define DP_UTILITY_COUNT_LAW_H

#include "planning/noise_law.h"

#define DP_COUNT_MAX 10000

/* The greatest sensitivity of a query with answers 0 .. n. */
#define DP_COUNT_SENSITIVITY_MAX 1048576.0

typedef struct DpCountLaw
{
	DpNoiseLaw noise; /* in places */
	int n;			  /* 1 .. DP_COUNT_MAX */
	double spacing;	  /* between two places */
	bool levels;	  /* two_stage: n is (places - 1) spacings */
	bool clamped;	  /* places are 0 .. last, else all whole numbers */
	int last;
} DpCountLaw;

/*
 * A mechanism's answers, as they are in the final function of an aggregate:
 * epsilon is rounded down for the noise, not for its law. Noise that is not
 * whole is rounded to whole numbers. two_stage has its levels from 0 to n.
 *
 * sensitivity: in (0, DP_COUNT_SENSITIVITY_MAX], a whole number for geometric
 * and discrete_staircase. Errors: those of dp_noise_init.
 */
extern DpStatus dp_count_law_init(DpCountLaw *law,
								  const DpMechanismChoice *choice,
								  double epsilon, double sensitivity, int n);

/* The place of the true count x, before noise. */
extern double dp_count_law_start(const DpCountLaw *law, int x);

/* The answer of place i, and the place that is nearest to an answer. */
extern double dp_count_law_value(const DpCountLaw *law, double i);
extern double dp_count_law_place(const DpCountLaw *law, double answer);

/* The logarithm of P(place i | true count x); finite also where P is 0. */
extern double dp_count_law_log_pmf(const DpCountLaw *law, int x, double i);

/* The noise's probabilities by distance, for loops over many places. */
typedef struct DpCountTable
{
	double *pmf;  /* P(X = d), d = 0 .. farthest */
	double *tail; /* P(X >= d), d = 0 .. farthest */
} DpCountTable;

/* Errors: DP_OUT_OF_MEMORY, with nothing to free. */
extern DpStatus dp_count_table_init(DpCountTable *table, const DpCountLaw *law,
									int farthest);
extern void dp_count_table_free(DpCountTable *table);

/* P(place i | a count that starts at place start), no further apart. */
extern double dp_count_table_pmf(const DpCountTable *table,
								 const DpCountLaw *law, int start, int i);

#endif
