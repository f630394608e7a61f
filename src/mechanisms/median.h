/*
 * median.h
 *		The median by any of its mechanisms.
 *
 * exponential: quantile.h at 0.5, the most accurate on nearly all data.
 * smooth_cauchy, smooth_laplace: noise scaled to smooth sensitivity.
 */
#ifndef DP_MECHANISMS_MEDIAN_H
#define DP_MECHANISMS_MEDIAN_H

#include "core/grid.h"
#include "mechanisms/quantile.h"
#include "mechanisms/smooth_sensitivity.h"

/* A prepared median: plain data. */
typedef struct DpMedian
{
	DpMechanism mechanism; /* never DP_AUTO */
	DpQuantile quantile;   /* exponential */
	DpSmooth smooth;	   /* the others */
} DpMedian;

/*
 * auto: exponential. Guarantee: epsilon-DP ((epsilon, delta) for
 * smooth_laplace) of the medians of all groups together.
 * Errors: those of dp_quantile_init and dp_smooth_init;
 * DP_PARAMETER_OUT_OF_RANGE (a rank: for extremes alone).
 */
extern DpStatus dp_median_init(DpMedian *median,
							   const DpMechanismChoice *choice,
							   DpEpsilon epsilon, const DpGrid *grid,
							   DpContribution contribution);

/*
 * What the medians of all groups together cost in rho, asked at this epsilon:
 * exponential costs what a quantile does, the others what any pure mechanism
 * does. The delta of smooth_laplace is charged in addition (with probability 1
 * - delta it is a function of randomised response: Kairouz, Oh, Viswanath
 * 2015).
 */
extern DpStatus dp_median_rho(const DpMedian *median, DpEpsilon epsilon,
							  DpContribution contribution, DpRho *rho);

/*
 * One private median: a grid point in lower .. upper. values are reordered.
 * Errors: DP_RANDOM_FAILED, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_median_draw(DpRandom *random, DpMedian *median,
							   int64_t *values, size_t count, int64_t lower,
							   int64_t upper, int64_t *result);

/* The same for points that need not be in an array. */
extern DpStatus dp_median_draw_points(DpRandom *random, DpMedian *median,
									  DpPoints *points, int64_t lower,
									  int64_t upper, int64_t *result);

#endif
