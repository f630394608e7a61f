/*
 * regression.h
 *		The moments of two columns by nine sums that add up to a constant for
 *		each row.
 *
 * Over u in 0 .. M and v in 0 .. N let
 *
 *		Bij = sum b_i(u) c_j(v),	i, j in 0 .. 2,
 *
 * b = ((M-u)^2, 2u(M-u), u^2), c likewise of v and N: products of Bernstein
 * polynomials of degree two. None is negative, and a row adds M^2 N^2 to their
 * sum, whatever it holds. So the nine have the L1 sensitivity M^2 N^2 under
 * add/remove, at most that in L2, and twice that under substitution: noise on
 * each costs epsilon once, as with the three sums of a variance (variance.h).
 *
 * With T their total, the number of rows is n = T / (M^2 N^2), and with pij =
 * Bij/T, u and v as fractions of M and N,
 *
 *		mean u = sum i/2 pij,	mean u^2 = sum over j of p2j,
 *		mean uv = sum ij/4 pij,
 *
 * from which follow variances, covariance, correlation and regression. To
 * first order in 1/n the covariance has an error of the standard deviation
 *
 *		sqrt(2)/(n epsilon) sqrt(sum ((i/2-mean u)(j/2-mean v) - cov)^2),
 *
 * which is 0.71/(n epsilon) in the middle, as with four sums for a covariance
 * alone, and a variance one of up to 1.06/(n epsilon) there. From a count and
 * five sums (all centred) with a sixth of epsilon each both had 2.1/(n epsilon).
 *
 * M^2 N^2 may have 80 bits. What a row adds is then divided by a power of two
 * and rounded down, and the last sum gets the rest, so the total stays a
 * constant. That is at most 2^40, or what a sensitivity can be for units of
 * several rows. A unit of n rows, of which c may count, counts as w = min(n, c)
 * rows with the means of its sums.
 */
#ifndef DP_MECHANISMS_REGRESSION_H
#define DP_MECHANISMS_REGRESSION_H

#include "mechanisms/vector_noise.h"

/* The greatest span of a column, whose square is at most 2^40. */
#define DP_REGRESSION_SPAN_MAX ((uint64_t) 1 << 20)

/* The sums, and those that are kept: the last follows from the others. */
#define DP_REGRESSION_SUMS 9
#define DP_REGRESSION_KEPT (DP_REGRESSION_SUMS - 1)

/* A prepared regression: plain data. */
typedef struct DpRegression
{
	DpMechanism mechanism; /* never DP_AUTO */
	uint64_t spans[2];	   /* M and N: 1 at least, where all values are equal */
	int shift;			   /* of what a row adds */
	uint64_t row_steps;	   /* what a row adds in all: at most 2^40 */
	uint64_t steps;		   /* the same in a draw: of units it may be less */
	uint64_t rows;		   /* c */
	DpNoise noise;		   /* drawn nine times */
} DpRegression;

/* Sums over rows, or over units: B00, B01, .. B21. */
typedef struct DpPairs
{
	dp_int128 sums[DP_REGRESSION_KEPT];
	int64_t count; /* of rows, or of units' weights */
} DpPairs;

/* The columns of an answer, in their order. */
typedef enum DpRegressionValue
{
	DP_REGRESSION_CORR,
	DP_REGRESSION_COVAR_POP,
	DP_REGRESSION_COVAR_SAMP,
	DP_REGRESSION_AVGX,
	DP_REGRESSION_AVGY,
	DP_REGRESSION_COUNT,
	DP_REGRESSION_INTERCEPT,
	DP_REGRESSION_R2,
	DP_REGRESSION_SLOPE,
	DP_REGRESSION_SXX,
	DP_REGRESSION_SXY,
	DP_REGRESSION_SYY,
	DP_REGRESSION_VALUES /* how many there are */
} DpRegressionValue;

/* What follows from the sums: u and v in fractions of their spans. */
typedef struct DpMoments
{
	double rows; /* 0: the sums leave none, and all else is 0 */
	double means[2];
	double variances[2]; /* over n: 0 .. 1/4 */
	double covariance;	 /* its square is at most their product */
} DpMoments;

/*
 * spans: of the grids. Guarantee: epsilon-DP ((epsilon, delta) for gaussian) of
 * the sums of all groups together, for units of contribution.rows rows; units
 * of several rows are bounded by dp_regression_unit_of. Errors: as
 * dp_vector_noise_init; DP_SENSITIVITY_OUT_OF_RANGE (a span above
 * DP_REGRESSION_SPAN_MAX, or more rows than a sensitivity has steps).
 */
extern DpStatus dp_regression_init(DpRegression *regression,
								   const DpMechanismChoice *choice,
								   DpEpsilon epsilon, const uint64_t spans[2],
								   DpContribution contribution);

/* Adds a row: u and v, which are clamped to their spans. */
extern void dp_regression_add_row(const DpRegression *regression, int64_t u,
								  int64_t v, DpPairs *pairs);

/*
 * The contribution of a unit with these sums over its rows: steps * count in
 * total. Impossible values are clamped.
 */
extern void dp_regression_unit_of(const DpRegression *regression,
								  const DpPairs *rows, DpPairs *unit);

/*
 * The noisy sums, all of which may be released. Impossible values are clamped.
 * Errors: DP_RANDOM_FAILED, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_regression_draw_sums(DpRandom *random,
										const DpRegression *regression,
										const DpPairs *pairs,
										dp_int128 sums[DP_REGRESSION_SUMS]);

extern DpMoments dp_regression_moments(
	const DpRegression *regression, const dp_int128 sums[DP_REGRESSION_SUMS]);

#endif
