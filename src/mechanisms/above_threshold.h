/*
 * above_threshold.h
 *		The first count of a sequence that is approximately at or below a
 *		threshold.
 *
 * One-sided sparse vector: nu, and an independent N_i for each count, are
 * geometric, P(n) = (1-a) a^n for n >= 0, and the walk stops at the first i
 * with
 *
 *		count_i - N_i + nu <= threshold.
 *
 * Where it stops is private, however many counts it passes.
 *
 * Guarantee: epsilon-DP, if one unit changes each count by 0 or 1. Where it
 * changes all of them in the same direction (add_remove, and substitute where
 * counts rise and fall together), nu has the ratio exp(-epsilon/2), and so has
 * N. Where an exchange raises some and lowers others (substitute), N has
 * exp(-epsilon/4), and in rho it costs R(epsilon), like any pure mechanism
 * (zcdp.h): the range of its log ratios is no shorter. Where all change in the same
 * direction, it costs what dp_zcdp_of_one_sided says.
 *
 * Proof. Let e1, e2 be the exponents of nu and N. P(stop at i) is the sum over
 * nu of p(nu) prod_{j<i} P(N < nu - T + count_j) P(N >= nu - T + count_i). If
 * all counts fall by 0 or 1, substitute nu + 1 for nu: p(nu + 1) = exp(-e1)
 * p(nu), passing a count is no less likely, and P(N >= x + 1) >= exp(-e2) P(N
 * >= x) for every integer x. If all rise, keep nu: passing is no less likely,
 * and stopping costs e2. Together that is e1 + e2. If counts move either way,
 * the same substitution makes the last factor cost 2 e2. (So where all rise, the
 * log of P after it over P before is at least -e2 and at most e1 + e2: between
 * -epsilon/2 and epsilon. One that stops nowhere has no last factor.) (Durfee 2023,
 * arXiv:2305.01177, has similar results for other one-sided noise.)
 */
#ifndef DP_MECHANISMS_ABOVE_THRESHOLD_H
#define DP_MECHANISMS_ABOVE_THRESHOLD_H

#include <stddef.h>

#include "mechanisms/contribution.h"
#include "random/source.h"

/* How many noise scales above the threshold a count is as good as infinite. */
#define DP_ABOVE_THRESHOLD_SCALES 64

/* A prepared walk: plain data. */
typedef struct DpAboveThreshold
{
	uint64_t threshold;
	uint64_t s;			  /* ratios are exp(-s/t), of ... */
	uint64_t t_threshold; /* ... the threshold's noise */
	uint64_t t_counts;	  /* ... each count's */
} DpAboveThreshold;

/*
 * threshold: public, below 2^62. neighbours: DP_ADD_REMOVE if all counts change
 * in the same direction.
 */
extern void dp_above_threshold_init(DpAboveThreshold *walk, DpEpsilon epsilon,
									DpNeighbours neighbours,
									uint64_t threshold);

/*
 * Walks over counts[0 .. n-1], each below 2^62; *stop: where it stopped, or n.
 * Of N_i only matters whether it is at least x = count_i + nu - threshold,
 * which is a coin of probability exp(-e2 x). Errors: DP_RANDOM_FAILED.
 */
extern DpStatus dp_above_threshold_draw(DpRandom *random,
										const DpAboveThreshold *walk,
										const uint64_t *counts, size_t n,
										size_t *stop);

/*
 * The least r such that a walk over n counts, whatever they are, stops at a
 * count above threshold + r with probability at most `tail`. That probability
 * is at most the sum over nu = v of p(v) (1 - (1 - P(N >= r + 1 + v))^n). tail:
 * at least 1e-12. In doubles, rounded up.
 */
extern double dp_above_threshold_excess(const DpAboveThreshold *walk, double n,
										double tail);

/*
 * The least j such that a walk that reaches counts of 0, with no others behind
 * them, passes the first j + 1 of these with probability at most `tail`. That
 * probability is the sum over v of p(v) P(N < v - threshold)^(j+1). In doubles,
 * rounded up; at most `most`.
 */
extern double dp_above_threshold_overrun(const DpAboveThreshold *walk,
										 double most, double tail);

#endif
