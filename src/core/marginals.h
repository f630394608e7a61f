/*
 * marginals.h
 *		Tables of one set of rows by several sets of keys, each with noise of its
 *		own, and what is best made of all of them.
 *
 * A table by the keys A has a cell for each combination of their values; one by
 * fewer keys is the sum of it. Noisy tables do not agree. The weighted least
 * squares among all that do is found in closed form (spaces of residuals are
 * orthogonal, and independent noise of one variance in all cells stays that in
 * each; Xiao et al. 2023, Hay et al. 2010). With N(B) the number of
 * combinations of the keys B, for each set S that is part of some table's keys:
 *
 *		1/tau_S = sum over A containing S of 1/(sigma_A^2 N(A\S))
 *		r_A,S   = table A summed over the keys not in S, less its mean along
 *				  each key of S in turn
 *		r_S     = tau_S * sum of r_A,S / (sigma_A^2 N(A\S))
 *		answer_A = sum over S in A of r_S, spread evenly: / N(A\S)
 *
 * No cell is worse for it than its own noisy value. All of this works on what is
 * released, and on public numbers: doubles suffice, and nothing of it decides
 * about privacy.
 *
 * Keys of which the same tables know are one, of the product of their values:
 * that keeps the number of sets small.
 */
#ifndef DP_CORE_MARGINALS_H
#define DP_CORE_MARGINALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

/* Keys, and tables, at most. */
#define DP_MARGINAL_KEYS_MAX 64
#define DP_MARGINALS_MAX 64

typedef struct DpMarginals
{
	int keys;							 /* at most 64 */
	int64_t sizes[DP_MARGINAL_KEYS_MAX]; /* values of each: at least 1 */
	int tables;							 /* 1 .. 64 */
	uint64_t members[DP_MARGINALS_MAX];	 /* the keys of each, a bit for each */
	double variances[DP_MARGINALS_MAX];	 /* of the noise in a cell: positive */
} DpMarginals;

/* The number of a table's cells, as far as doubles tell. */
extern double dp_marginals_cells(const DpMarginals *marginals, int table);

/*
 * Whether the least squares can be had: they take 2^keys passes over each table,
 * and keys of one value count for nothing.
 */
extern bool dp_marginals_are_few(const DpMarginals *marginals);

/* How many sets of keys each table's keys have, of all tables together. */
extern double dp_marginals_sets(const DpMarginals *marginals);

/*
 * Replaces the tables by those that agree. cells: for each table its cells, the
 * last key's values changing fastest. Only for few of them. Errors:
 * DP_OUT_OF_MEMORY, with the tables as they were.
 */
extern DpStatus dp_marginals_agree(const DpMarginals *marginals,
								   double **cells);

/* The variance of a cell of a table that agrees. Only for few of them. */
extern double dp_marginals_variance(const DpMarginals *marginals, int table);

/*
 * True where each table's keys are part of the next one's, in some order: a
 * ROLLUP. Then whole numbers agree, too.
 */
extern bool dp_marginals_are_nested(const DpMarginals *marginals);

/*
 * Rounds tables that agree to whole numbers. Where they are nested, from the
 * coarsest down: cells are rounded so that they add up to the one above them,
 * those with the largest rest upwards. Else each cell by itself. Errors:
 * DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_marginals_round(const DpMarginals *marginals,
								   double **cells);

#endif
