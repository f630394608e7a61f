/*
 * quantiles.h
 *		Several quantiles at once, by recursive halving.
 *
 * The middle fraction's quantile is drawn first, by the exponential mechanism
 * (quantile.h); it splits the values in two, and each half serves the fractions
 * on its side, in the same way, at fractions relative to its part. So m
 * fractions take floor(log2 m) + 1 levels, not m draws one after the other, and
 * their answers never cross (Kaplan, Schnapp, Stemmer 2022).
 *
 * Equal values must be split as well; otherwise a quantile within a run of them
 * could not divide it. So each value first gets random low digits of its own.
 * It becomes a point of a finer grid, and an answer is rounded down to the
 * values' grid again.
 *
 * Guarantee: epsilon-DP; each level has epsilon_l = epsilon / levels. The
 * random digits of a value depend on that value alone, so neighbouring data
 * sets remain neighbouring for each outcome of them. Given the answers of the
 * levels before, the intervals of a level are fixed, and every value lies in at
 * most one of them:
 *
 *		one value more or less changes one node's data by one value: epsilon_l
 *		for the whole level;
 *		an exchanged value may be one less in one node and one more in another.
 *		Below the root, therefore, nodes are epsilon_l/2-DP for one value more
 *		or
 *		less, which is also epsilon_l for an exchange within one node. At the
 *		root there is but one node.
 */
#ifndef DP_MECHANISMS_QUANTILES_H
#define DP_MECHANISMS_QUANTILES_H

#include <stddef.h>

#include "mechanisms/quantile.h"

#define DP_QUANTILES_MAX 128

/* Prepared quantiles: plain data of dp_quantiles_size bytes. */
typedef struct DpQuantiles
{
	uint32_t count;	   /* of fractions asked for */
	uint32_t distinct; /* of different ones */
	uint32_t levels;   /* floor(log2 distinct) + 1 */
	uint32_t node_of
		[DP_QUANTILES_MAX]; /* for each one asked for: its index in nodes */
	double fractions[DP_QUANTILES_MAX]; /* different ones, ascending */
	DpQuantile nodes[];					/* for each of those */
} DpQuantiles;

/* Room for this many fractions. */
static inline size_t
dp_quantiles_size(uint32_t count)
{
	return sizeof(DpQuantiles) + count * sizeof(DpQuantile);
}

/*
 * fractions: 1 .. DP_QUANTILES_MAX of them, each 0 .. 1, rounded to a multiple
 * of 2^-20, in any order, equal ones allowed. Errors:
 * DP_PARAMETER_OUT_OF_RANGE (their number, or one of them);
 * DP_EPSILON_OUT_OF_RANGE (nothing is left for a level).
 */
extern DpStatus dp_quantiles_init(DpQuantiles *quantiles,
								  const double *fractions, uint32_t count,
								  DpEpsilon epsilon,
								  DpContribution contribution);

/*
 * What the quantiles of all groups together cost in rho, asked at this epsilon:
 * l levels of epsilon/l are epsilon^2/(8 l). In a level an exchange removes a
 * value from one node and adds one to another, each at half of epsilon/l; an
 * exchange within one node costs more.
 */
extern DpStatus dp_quantiles_rho(const DpQuantiles *quantiles,
								 DpEpsilon epsilon, DpContribution contribution,
								 DpRho *rho);

/* The most by which a value changes a node's score, in ranks. */
extern double dp_quantiles_sensitivity(const DpQuantiles *quantiles);

/*
 * One private quantile for each fraction, in the order asked for: grid points
 * in lower .. upper, monotone in the fractions. values, each in lower ..
 * upper, are reordered. upper - lower < 2^52. Without values each node is
 * uniform. Errors: DP_RANDOM_FAILED, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_quantiles_draw(DpRandom *random, DpQuantiles *quantiles,
								  int64_t *values, size_t count, int64_t lower,
								  int64_t upper, int64_t *results);

/*
 * For many values, the same in two steps. Every value first becomes a point of
 * the finer grid, once, with this many additional digits (0 .. 52). The points
 * may then be sorted anywhere, and the answers are drawn from them.
 */
extern int dp_quantiles_digits(int64_t lower, int64_t upper);
extern DpStatus dp_quantiles_refine(DpRandom *random, int64_t *values,
									size_t count, int64_t lower, int digits);
extern DpStatus dp_quantiles_draw_refined(DpRandom *random,
										  DpQuantiles *quantiles,
										  DpPoints *points, int64_t lower,
										  int64_t upper, int64_t *results);

/*
 * How many ranks any of the answers is from its fraction at most, except with
 * probability `tail`, whatever the values: the sum of dp_rank_error over the
 * levels. In doubles.
 */
extern double dp_quantiles_error(const DpQuantiles *quantiles, int64_t lower,
								 int64_t upper, double tail);

#endif
