/*
 * geometric.h
 *		One-sided geometric and two-sided geometric (discrete Laplace) integers.
 */
#ifndef DP_SAMPLERS_GEOMETRIC_H
#define DP_SAMPLERS_GEOMETRIC_H

#include "core/int128.h"
#include "random/source.h"

/*
 * P(value = n) = (1-a) a^n for n = 0, 1, 2, ..., a = exp(-s/t), exactly.
 * s, t: 1 .. 2^62. Expected time does not depend on s and t.
 * Errors: DP_RANDOM_FAILED.
 * Source: Canonne, Kamath, Steinke 2020, algorithm 2.
 */
extern DpStatus dp_geometric_draw(DpRandom *random, uint64_t s, uint64_t t,
								  dp_uint128 *value);

/*
 * P(value = z) = (1-a)/(1+a) a^|z| for every integer z, a = exp(-s/t).
 *
 * With s/t = epsilon/sensitivity, adding it to an integer query of that L1
 * sensitivity is epsilon-DP; with sensitivity 1 it is universally optimal
 * (Ghosh, Roughgarden, Sundararajan 2009).
 */
extern DpStatus dp_discrete_laplace_draw(DpRandom *random, uint64_t s,
										 uint64_t t, dp_int128 *value);

/* The probability of z under dp_discrete_laplace_draw, in doubles. */
extern double dp_discrete_laplace_pmf(uint64_t s, uint64_t t, double z);

#endif
