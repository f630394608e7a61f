/*
 * bounds.h
 *		Bounds for values about which nothing is known, from powers of two.
 *
 * The values are counted in bins that double in width on both sides of 0,
 *
 *		... [-2^(j+1), -2^j) ... [-2^least, 0) [0, 2^least] ... (2^j, 2^(j+1)] ...
 *
 * each count gets two-sided geometric noise, and the bounds are the outer ends
 * of the first and the last bin whose noisy count reaches a threshold. With
 * probability 1 - 10^-6 no bin without values reaches it. Values beyond the
 * greatest power count in the last bin.
 *
 * Guarantee: epsilon-DP. A value lies in one bin, so adding or removing one
 * changes one count by one: L1 sensitivity 1. Exchanging one may change two
 * counts: 2. All else is post-processing. Source: Wilson, Zhang, Lam,
 * Desfontaines, Simmons-Marengo, Gipson 2020, 5.1.1.
 */
#ifndef DP_MECHANISMS_BOUNDS_H
#define DP_MECHANISMS_BOUNDS_H

#include "mechanisms/noise.h"

/* The powers of two: 2^least .. 2^greatest. */
typedef struct DpBins
{
	int least;
	int greatest;
} DpBins;

#define DP_BINS_MAX 512

/* How many bins; half of them below 0. At most DP_BINS_MAX. */
static inline uint32_t
dp_bins_number(DpBins bins)
{
	return 2 * (uint32_t) (bins.greatest - bins.least + 1);
}

/*
 * The bin of a value, from 0, in ascending order. Infinities have a bin, NaN
 * has none.
 */
extern uint32_t dp_bin_of_double(DpBins bins, double value);

/* The same where least is 0 and greatest at most 63. */
extern uint32_t dp_bin_of_integer(DpBins bins, int64_t value);

/* An end of a bin: sign * 2^exponent. */
typedef struct DpEdge
{
	int sign; /* -1, 0, 1 */
	int exponent;
} DpEdge;

extern DpEdge dp_bin_lower(DpBins bins, uint32_t bin);
extern DpEdge dp_bin_upper(DpBins bins, uint32_t bin);

/* Prepared bounds: plain data. */
typedef struct DpBounds
{
	DpBins bins;
	DpNoise noise;	   /* of each count */
	int64_t threshold; /* at least 1 */
} DpBounds;

/*
 * contribution: each of a unit's rows counts in some bin. Errors: those of
 * dp_noise_init_groups.
 */
extern DpStatus dp_bounds_init(DpBounds *bounds, DpBins bins, DpEpsilon epsilon,
							   DpContribution contribution);

/*
 * The first and the last bin whose noisy count reaches the threshold. counts:
 * of all bins. first > last: there is none. Errors: DP_RANDOM_FAILED.
 */
extern DpStatus dp_bounds_draw(DpRandom *random, const DpBounds *bounds,
							   const int64_t *counts, uint32_t *first,
							   uint32_t *last);

/*
 * How many values a bin must hold to be left out of the bounds with probability
 * at most `tail`: the threshold, plus a margin for the noise. Errors: those of
 * dp_half_width.
 */
extern DpStatus dp_bounds_error(const DpBounds *bounds, double tail,
								double *values);

#endif
