/*
 * marginal_weights.h
 *		What the answers of consistent tables are made of.
 *
 * A cell of a consistent table (marginals.h) is a weighted sum of all noisy cells.
 * By symmetry the weight of a cell of table T in a cell of table A depends only on
 * which keys of both it has the same values of, G. With the sums over all S among
 * the keys of both,
 *
 *		weight = sum of tau_S / (sigma_T^2 N(T\S) N(A\S))
 *				 product over k in S of ((k in G) - 1/N(k))
 *
 * and there are N(T\A) product over k in A and T, not in G, of (N(k) - 1) such
 * cells. Least squares are unbiased, so the error of the answer is the same sum of
 * the noise alone.
 */
#ifndef DP_CORE_MARGINAL_WEIGHTS_H
#define DP_CORE_MARGINAL_WEIGHTS_H

#include "core/marginals.h"

typedef struct DpMarginalWeight
{
	int table;	   /* of noisy cells, ... */
	double weight; /* ... which have this weight, ... */
	double cells;  /* ... and this is how many */
} DpMarginalWeight;

/* The most of them. */
#define DP_MARGINAL_WEIGHTS_MAX 1024

/*
 * All weights in a cell of a consistent table. Returns how many; 0 if they are more
 * than DP_MARGINAL_WEIGHTS_MAX.
 */
extern int dp_marginals_weights(const DpMarginals *marginals, int table,
								DpMarginalWeight *weights);

#endif
