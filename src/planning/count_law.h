/*
 * count_law.h
 *		The distribution of private answers to a count in 0 .. n.
 *
 * Public arithmetic in doubles: nothing here draws noise or sees data.
 *
 * An answer is a position i in a row of equally spaced values: the position of
 * the true count, start(x), moved by integer noise. Without a quantum,
 * positions are the integers themselves. Truncated answers, and those of
 * two_stage, are clamped to the values 0 and n.
 */
#ifndef DP_PLANNING_COUNT_LAW_H
#define DP_PLANNING_COUNT_LAW_H

#include "planning/noise_law.h"

#define DP_COUNT_MAX 10000

/* The greatest sensitivity of a query with answers 0 .. n. */
#define DP_COUNT_SENSITIVITY_MAX 1048576.0

typedef struct DpCountLaw
{
	DpNoiseLaw noise; /* in positions */
	int n;			  /* 1 .. DP_COUNT_MAX */
	double spacing;	  /* between two positions */
	bool levels;	  /* two_stage: n is (positions - 1) spacings */
	bool clamped;	  /* positions are 0 .. last, else all whole numbers */
	int last;
} DpCountLaw;

/*
 * The answers of a mechanism, as the final function of an aggregate gives them.
 * epsilon is rounded down for the noise, but not in this distribution. Noise
 * that is not an integer is rounded to one. The levels of two_stage go from 0
 * to n.
 *
 * sensitivity: in (0, DP_COUNT_SENSITIVITY_MAX], a whole number for geometric
 * and discrete_staircase. Errors: those of dp_noise_init.
 */
extern DpStatus dp_count_law_init(DpCountLaw *law,
								  const DpMechanismChoice *choice,
								  double epsilon, double sensitivity, int n);

/* The position of the true count x, before noise. */
extern double dp_count_law_start(const DpCountLaw *law, int x);

/* The answer of position i, and the position that is nearest to an answer. */
extern double dp_count_law_value(const DpCountLaw *law, double i);
extern double dp_count_law_position(const DpCountLaw *law, double answer);

/* The logarithm of P(position i | true count x); finite also where P is 0. */
extern double dp_count_law_log_pmf(const DpCountLaw *law, int x, double i);

/* The noise's probabilities by distance, for loops over many positions. */
typedef struct DpCountTable
{
	double *pmf;  /* P(X = d), d = 0 .. farthest */
	double *tail; /* P(X >= d), d = 0 .. farthest */
} DpCountTable;

/* Errors: DP_OUT_OF_MEMORY, with nothing to free. */
extern DpStatus dp_count_table_init(DpCountTable *table, const DpCountLaw *law,
									int farthest);
extern void dp_count_table_free(DpCountTable *table);

/* P(position i | a count that starts at position start), no further apart. */
extern double dp_count_table_pmf(const DpCountTable *table,
								 const DpCountLaw *law, int start, int i);

#endif
