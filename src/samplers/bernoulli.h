/*
 * bernoulli.h
 *		Coins with exactly known probabilities.
 */
#ifndef DP_SAMPLERS_BERNOULLI_H
#define DP_SAMPLERS_BERNOULLI_H

#include "core/int128.h"
#include "random/source.h"

/*
 * True with probability numerator/denominator, exactly; about one word.
 * 0 <= numerator, 1 <= denominator < 2^63; a numerator at or above the
 * denominator gives true. Errors: DP_RANDOM_FAILED.
 */
extern DpStatus dp_bernoulli(DpRandom *random, uint64_t numerator,
							 uint64_t denominator, bool *result);

/*
 * True with probability exp(-numerator/denominator), exactly.
 * 0 <= numerator < 2^63, 1 <= denominator < 2^63. Takes e^-1 off the exponent
 * until it is at most 1, so the expected time is bounded.
 * Source: Canonne, Kamath, Steinke 2020, algorithm 1 (after von Neumann).
 */
extern DpStatus dp_bernoulli_exp(DpRandom *random, uint64_t numerator,
								 uint64_t denominator, bool *result);

/* The same for 128-bit numerators; denominator: 1 .. 2^63 - 1. */
extern DpStatus dp_bernoulli_exp_wide(DpRandom *random, dp_uint128 numerator,
									  uint64_t denominator, bool *result);

/*
 * True with probability exp(-(n1/d1) * (n2/d2)), exactly, where both
 * fractions are at most 1: for exponents whose product would not fit.
 */
extern DpStatus dp_bernoulli_exp_product(DpRandom *random, uint64_t n1,
										 uint64_t d1, uint64_t n2, uint64_t d2,
										 bool *result);

/*
 * True with probability (1 - exp(-g)) / g, exactly, where
 * g = numerator/denominator is at most 1; g = 0 gives true.
 */
extern DpStatus dp_bernoulli_phi(DpRandom *random, uint64_t numerator,
								 uint64_t denominator, bool *result);

#endif
