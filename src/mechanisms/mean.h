/*
 * mean.h
 *		The mean by two complementary sums.
 *
 * Over k in lower .. upper with span M, A = sum(k - lower) and B = n M - A. A
 * row changes (A, B) by (a, M - a), which is M in L1 whatever the row holds. So
 * independent Laplace noise on each costs epsilon once, not twice. The mean is
 * lower + M A / (A + B), and the count, (A + B) / M, comes for free.
 *
 * A staircase is drawn for both together, at all of epsilon (joint_staircase.h). It
 * errs less than Laplace noise at large epsilon, 1.3 times at 5 and 2.75 times at 10;
 * there auto takes it.
 *
 * two_stage perturbs the mean itself, whose sensitivity is half of the span
 * whatever the number of rows. That pays for few rows or a small epsilon.
 */
#ifndef DP_MECHANISMS_MEAN_H
#define DP_MECHANISMS_MEAN_H

#include "mechanisms/noise.h"
#include "mechanisms/sensitivity.h"
#include "mechanisms/two_stage.h"
#include "mechanisms/unit.h"

/* A prepared mean: plain data. */
typedef struct DpMean
{
	DpMechanism mechanism; /* never DP_AUTO */
	int64_t lower;		   /* grid point of the lower bound */
	uint64_t span;		   /* M; 0: all values are equal, nothing is noised */
	uint64_t steps;		   /* of a row to A and B: M; of units, other */
	DpUnitMean unit;	   /* of dp_mean_init_units alone */
	DpNoise noise;		   /* of both sums; not for two_stage */
	DpTwoStage two_stage;
} DpMean;

/*
 * Guarantee: epsilon-DP for units of one row ((epsilon, delta) for gaussian),
 * of the means of all groups together. contribution: its rows are 1. Errors:
 * as dp_noise_init_groups, DP_EPSILON_OUT_OF_RANGE (a sum's part of epsilon is
 * below the least), DP_PARAMETER_OUT_OF_RANGE (a quantum: the two sums have none).
 */
extern DpStatus dp_mean_init(DpMean *mean, const DpMechanismChoice *choice,
							 DpEpsilon epsilon, const DpGrid *grid,
							 DpContribution contribution);

/*
 * The same for units of several rows, whose contributions mean->unit bounds.
 * Errors also: DP_SENSITIVITY_OUT_OF_RANGE.
 */
extern DpStatus dp_mean_init_units(DpMean *mean,
								   const DpMechanismChoice *choice,
								   DpEpsilon epsilon, const DpGrid *grid,
								   DpContribution contribution);

/* What the means of all groups together cost in rho, asked at this epsilon. */
extern DpStatus dp_mean_rho(const DpMean *mean, DpEpsilon epsilon,
							DpContribution contribution, DpRho *rho);

/* A private mean as lower + span * numerator / denominator, in grid steps. */
typedef struct DpFraction
{
	dp_int128 numerator;   /* 0 .. denominator */
	dp_int128 denominator; /* at least 1 */
} DpFraction;

/*
 * The noisy numbers from which a private mean is computed, all of which may be
 * released: A~ and A~ + B~, or a level and the greatest level. sum: of (k -
 * lower) over the rows; count: of rows; for units, the sums of the
 * contributions in mean->unit. Impossible values are clamped. Errors:
 * DP_RANDOM_FAILED, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_mean_draw_sums(DpRandom *random, const DpMean *mean,
								  dp_int128 sum, int64_t count,
								  dp_int128 sums[2]);

/*
 * The mean of these sums; the middle of the bounds when the noisy count is not
 * positive. Always within the bounds.
 */
extern void dp_mean_of_sums(const dp_int128 sums[2], DpFraction *fraction);

/* One private mean: both steps. */
extern DpStatus dp_mean_draw(DpRandom *random, const DpMean *mean,
							 dp_int128 sum, int64_t count,
							 DpFraction *fraction);

#endif
