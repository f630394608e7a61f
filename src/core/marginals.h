/*
 * marginals.h
 *		Tables of the same rows by several sets of keys, each with noise of its
 *		own, and the best consistent estimate from all of them.
 *
 * A table by the keys A has a cell for each combination of their values; a
 * table by fewer keys is a sum of it. Noisy tables are not consistent with each
 * other. The weighted least squares among all consistent ones is found in
 * closed form (spaces of residuals are orthogonal, and independent noise of one
 * variance in all cells stays that in each; Xiao et al. 2023, Hay et al. 2010).
 * With N(B) the number of combinations of the keys B, for each set S that is
 * part of some table's keys:
 *
 *		1/tau_S = sum over A containing S of 1/(sigma_A^2 N(A\S))
 *		r_A,S   = table A summed over the keys not in S, less its mean along
 *				  each key of S in turn
 *		r_S     = tau_S * sum of r_A,S / (sigma_A^2 N(A\S))
 *		answer_A = sum over S in A of r_S, spread evenly: / N(A\S)
 *
 * No cell becomes less accurate than its own noisy value. All of this works on
 * released answers and public numbers: it is post-processing, and doubles
 * suffice.
 *
 * Keys that occur in the same tables are merged into one, with the product of
 * their values. That keeps the number of sets small.
 */
#ifndef DP_CORE_MARGINALS_H
#define DP_CORE_MARGINALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

/* The most keys, and tables. */
#define DP_MARGINAL_KEYS_MAX 64
#define DP_MARGINALS_MAX 64

typedef struct DpMarginals
{
	int keys;							 /* at most 64 */
	int64_t sizes[DP_MARGINAL_KEYS_MAX]; /* values of each: at least 1 */
	int tables;							 /* 1 .. 64 */
	uint64_t members[DP_MARGINALS_MAX];	 /* the keys of each, a bit for each */
	double variances[DP_MARGINALS_MAX];	 /* of the noise of a cell; positive */
} DpMarginals;

/* The number of a table's cells, as a double. */
extern double dp_marginals_cells(const DpMarginals *marginals, int table);

/*
 * Whether least squares are feasible: they take 2^keys passes over each table,
 * where keys of a single value do not count.
 */
extern bool dp_marginals_are_few(const DpMarginals *marginals);

/* The number of subsets of each table's keys, summed over all tables. */
extern double dp_marginals_sets(const DpMarginals *marginals);

/*
 * Replaces the tables by consistent ones. cells: the cells of each table, with
 * the last key's values changing fastest. Only where dp_marginals_are_few.
 * Errors: DP_OUT_OF_MEMORY, with the tables as they were.
 */
extern DpStatus dp_marginals_agree(const DpMarginals *marginals,
								   double **cells);

/*
 * The variance of a cell of a consistent table. Only where
 * dp_marginals_are_few.
 */
extern double dp_marginals_variance(const DpMarginals *marginals, int table);

/*
 * Rounds consistent tables to whole numbers. Nested tables are rounded from the
 * coarsest down, so that cells add up to the one above them: those with the
 * greatest fractional parts are rounded up. Otherwise each cell is rounded by
 * itself. Errors: DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_marginals_round(const DpMarginals *marginals,
								   double **cells);

#endif
