/*
 * extreme.h
 *		The maximum, private. (The minimum is that of the negated values.)
 *
 * Additive noise on a maximum must cover the whole span of the bounds. The
 * rank-based forms instead ignore a few of the greatest values, and are far
 * more accurate for ordinary data:
 *
 * above_threshold: walks up a grid of marks from lower and stops at the first
 * mark with a noisy number of values above it that is at most a threshold
 * (above_threshold.h). The answer is that mark, or upper. Noise of scale
 * 2/epsilon for the threshold and for each number is enough for neighbours of
 * both kinds: a unit counts at all marks below its value, so an exchange
 * changes the numbers by 0 or 1, all in the same direction.
 *
 * exponential: the exponential mechanism at a rank a little below the top,
 * (2/epsilon) ln(200) by default; rank=0 is the maximum itself, whose score is
 * flat above it (Munoz Medina and Gillenwater).
 *
 * laplace, staircase, gaussian: noise on the maximum, clamped to the bounds. A
 * quantum counts from lower.
 *
 * two_stage: noise on the maximum rounded to a few public levels.
 *
 * Every form needs only a limited number of the greatest values.
 */
#ifndef DP_MECHANISMS_EXTREME_H
#define DP_MECHANISMS_EXTREME_H

#include "mechanisms/above_threshold.h"
#include "mechanisms/noise.h"
#include "mechanisms/sensitivity.h"
#include "mechanisms/two_stage.h"

/* The most marks of above_threshold, not counting upper. */
#define DP_EXTREME_STEPS 800

/* A prepared maximum: plain data. */
typedef struct DpExtreme
{
	DpMechanism mechanism; /* never DP_AUTO */
	uint64_t span;		   /* of the grid; 0: the only point is the answer */
	uint64_t limit;		   /* how many of the greatest values matter, >= 1 */
	uint64_t steps;		   /* above_threshold: how many marks, at most span */
	DpAboveThreshold walk; /* over the numbers of values above each mark */
	DpNoise noise;		   /* additive */
	DpTwoStage two_stage;
	int64_t rank; /* exponential: ranks below the top */
	DpRankMechanism ranks;
} DpExtreme;

/*
 * Guarantee: epsilon-DP ((epsilon, delta) for gaussian), of the maxima of all
 * groups together. A unit has one value in a group, its greatest, so that the
 * contribution's rows do not matter. auto: above_threshold, but staircase
 * where its E|X| is below a 250th of the span.
 * Errors: as dp_noise_init_groups.
 */
extern DpStatus dp_extreme_init(DpExtreme *extreme,
								const DpMechanismChoice *choice,
								DpEpsilon epsilon, const DpGrid *grid,
								DpContribution contribution);

/*
 * What the maxima of all groups together cost in rho, asked at this epsilon.
 * Sparse vector costs what one-sided walks do (above_threshold.h), two_stage what any
 * pure mechanism does: the range of its log ratios is no shorter.
 */
extern DpStatus dp_extreme_rho(const DpExtreme *extreme, DpEpsilon epsilon,
							   DpContribution contribution, DpRho *rho);

/*
 * One private maximum, in lower .. upper. values: the `limit` greatest (or all
 * when there are fewer), each in lower .. upper; they are reordered. Without
 * values the maximum is lower. Errors: DP_RANDOM_FAILED, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_extreme_draw(DpRandom *random, DpExtreme *extreme,
								int64_t *values, size_t count, int64_t lower,
								int64_t upper, int64_t *result);

/* The same for points that need not be in an array. */
extern DpStatus dp_extreme_draw_points(DpRandom *random, DpExtreme *extreme,
									   DpPoints *points, int64_t lower,
									   int64_t upper, int64_t *result);

/*
 * How many values lie above the answer at most, except with probability `tail`,
 * whatever the values are: for above_threshold dp_above_threshold_excess, for
 * exponential its rank plus dp_rank_error. points: of the grid. In doubles,
 * rounded up.
 */
extern double dp_extreme_rank_error(const DpExtreme *extreme, double points,
									double tail);

#endif
