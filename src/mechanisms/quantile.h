/*
 * quantile.h
 *		Medians and quantiles by the exponential mechanism.
 */
#ifndef DP_MECHANISMS_QUANTILE_H
#define DP_MECHANISMS_QUANTILE_H

#include "mechanisms/sensitivity.h"
#include "mechanisms/zcdp.h"

/* A prepared quantile: plain data. */
typedef struct DpQuantile
{
	int64_t fraction; /* units of 2^-20 */
	DpRankMechanism rank;
} DpQuantile;

/*
 * fraction: 0 .. 1, rounded to a multiple of 2^-20 (0.5 is the median), else
 * DP_PARAMETER_OUT_OF_RANGE; NaN too.
 *
 * Guarantee: epsilon-DP, of the quantiles of all groups together. A unit of
 * several values changes scores by that many times as much as one value, so
 * each value gets its share of epsilon; DP_EPSILON_OUT_OF_RANGE where none is
 * left.
 */
extern DpStatus dp_quantile_init(DpQuantile *quantile, double fraction,
								 DpEpsilon epsilon,
								 DpContribution contribution);

/* What the quantiles of all groups together cost in rho, asked at this epsilon:
 * dp_zcdp_of_bounded_range. */
extern DpStatus dp_quantile_rho(DpEpsilon epsilon, DpContribution contribution,
								DpRho *rho);

/*
 * One private quantile: a grid point in lower .. upper. values are reordered.
 * Without values it is uniform. Errors: DP_RANDOM_FAILED, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_quantile_draw(DpRandom *random, DpQuantile *quantile,
								 int64_t *values, size_t count, int64_t lower,
								 int64_t upper, int64_t *result);

/*
 * How many ranks from the fraction an answer is at most, except with
 * probability `tail`, whatever the values: (2S/epsilon) (ln points + ln
 * 1/tail), rounded up. A point at the exact rank has weight 1, and points more
 * than r ranks off have at most exp(-epsilon r/(2S)) each. points: of the grid.
 * In doubles.
 */
extern double dp_rank_error(const DpRankMechanism *rank, double points,
							double tail);

/* The same for points that need not be in an array. */
extern DpStatus dp_quantile_draw_points(DpRandom *random, DpQuantile *quantile,
										DpPoints *points, int64_t lower,
										int64_t upper, int64_t *result);

#endif
