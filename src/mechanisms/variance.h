/*
 * variance.h
 *		The variance by three sums that add up to a constant for each row.
 *
 * Over y = k - lower in 0 .. M let
 *
 *		B0 = sum (M-y)^2, B1 = sum 2y(M-y), B2 = sum y^2,
 *
 * Bernstein polynomials of degree two: none is negative, and a row adds M^2 to
 * their sum, whatever it holds. So (B0, B1, B2) has the L1 sensitivity M^2
 * under add/remove, at most that in L2, and 2 M^2 under substitution. As with
 * the two sums of a mean (mean.h), Laplace noise on each costs epsilon once, not three
 * times, and a staircase is drawn for all three together. With T = B0 + B1 + B2 the number of rows is T/M^2 and the variance M^2
 * (B0 B2 - B1^2/4) / T^2, over n - 1 instead of n as `variance` has it (n being
 * at least 2), or over n as `var_pop` has it.
 *
 * To first order in 1/n the error has the standard deviation
 *
 *		sqrt(2) M^2/(n epsilon) sqrt((b2-2v)^2 + (b1/2+2v)^2 + (b0-2v)^2),
 *
 * b = B/T, v the variance, both of y/M; the root is 0.41 for values spread
 * evenly and 1 where all are at one end. That is about half of the error that
 * follows from a count, a sum and a sum of squares (both centred) with a third
 * of epsilon each.
 *
 * A unit of n rows, of which c may count, counts as w = min(n, c) rows with the
 * means of its three terms, which is w M^2 in total. Steps are coarse enough
 * for the sensitivity of c rows to be in range.
 */
#ifndef DP_MECHANISMS_VARIANCE_H
#define DP_MECHANISMS_VARIANCE_H

#include "mechanisms/vector_noise.h"

/* The greatest span: its square is a sensitivity. */
#define DP_VARIANCE_SPAN_MAX ((uint64_t) 1 << 20)

/* A prepared variance: plain data. */
typedef struct DpVariance
{
	DpMechanism mechanism; /* never DP_AUTO */
	uint64_t span;		   /* M; 0: all values are equal, nothing is noised */
	uint64_t steps;		   /* of a row in total: M^2, of units less */
	uint64_t rows;		   /* c */
	bool of_population;	   /* it is divided by n; false, as it is made: n - 1 */
	DpNoise noise;		   /* of all three sums */
} DpVariance;

/* The sums over rows or units: two of them; the third follows. */
typedef struct DpSpread
{
	dp_int128 half;	   /* of B1: sum of y (M-y) */
	dp_int128 squares; /* B2: sum of y^2 */
	int64_t count;	   /* of rows, or of units' weights */
} DpSpread;

/*
 * span: of the grid. Guarantee: epsilon-DP ((epsilon, delta) for gaussian) of
 * the variances of all groups together, for units of contribution.rows rows;
 * units of several rows are bounded by dp_variance_unit_of. Errors: as
 * dp_vector_noise_init; DP_SENSITIVITY_OUT_OF_RANGE (a span above
 * DP_VARIANCE_SPAN_MAX, or more rows than a sensitivity has steps).
 */
extern DpStatus dp_variance_init(DpVariance *variance,
								 const DpMechanismChoice *choice,
								 DpEpsilon epsilon, uint64_t span,
								 DpContribution contribution);

/*
 * The contribution of a unit with these sums over its rows: steps * count in
 * total. Impossible values are clamped.
 */
extern void dp_variance_unit_of(const DpVariance *variance,
								const DpSpread *rows, DpSpread *unit);

/*
 * The noisy sums from which a private variance is computed, all of which may be
 * released: B0~, B1~, B2~. Impossible values are clamped; without a span, all
 * are zero. Errors: DP_RANDOM_FAILED, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_variance_draw_sums(DpRandom *random,
									  const DpVariance *variance,
									  const DpSpread *spread,
									  dp_int128 sums[3]);

/*
 * The variance of them, in squared grid steps: 0 .. M^2/2, over n 0 .. M^2/4. 0 where the noisy
 * sums leave nothing.
 */
extern double dp_variance_of_sums(const DpVariance *variance,
								  const dp_int128 sums[3]);

/* One private variance: both steps. */
extern DpStatus dp_variance_draw(DpRandom *random, const DpVariance *variance,
								 const DpSpread *spread, double *result);

#endif
