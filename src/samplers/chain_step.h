/*
 * chain_step.h
 *		One question answered at several privacy levels, as a chain.
 *
 * Independent answers to the same question can be averaged to remove the noise.
 * Here the noise of a lower level is the noise of the level above it plus more
 * noise,
 *
 *		Y_low = Y_high + W1 - W2,
 *
 * so several answers together reveal no more than the one of the highest level.
 * With x = epsilon_low / D, y = epsilon_high / D, a = exp(-x) and h = exp(-y),
 * W1 and W2 are independent, 0 with probability (1-a)/(1-h) and otherwise 1 + n
 * with probability (1-a) a^n. A geometric number of ratio h plus such a W is a
 * geometric number of ratio a; discrete Laplace noise is the difference of two
 * geometric numbers; hence each level by itself is exactly discrete Laplace
 * noise.
 *
 * Guarantee: the values of all levels together, added to an integer query of L1
 * sensitivity D, are epsilon-DP for the highest level's epsilon, and those of
 * some of the levels for the highest epsilon among them: the rest is
 * post-processing. It holds only if all levels come from one chain: a level
 * that is drawn again is an independent answer. mechanisms/noise_step.h makes
 * steps of prepared noises, the only place where x and y come from. Sources:
 * Chen, Pal, Golubchik, 5.3; Gupte and Sundararajan 2010.
 */
#ifndef DP_SAMPLERS_CHAIN_STEP_H
#define DP_SAMPLERS_CHAIN_STEP_H

#include "core/int128.h"
#include "random/source.h"

/*
 * One step: W1 - W2 for x = low/t and y = high/t.
 * 1 <= low <= high <= 2^62, 1 <= t <= 2^62. Errors: DP_RANDOM_FAILED.
 */
extern DpStatus dp_chain_step_draw(DpRandom *random, uint64_t low,
								   uint64_t high, uint64_t t, dp_int128 *value);

/* P(W1 - W2 = w) of dp_chain_step_draw, in doubles. */
extern double dp_chain_step_pmf(uint64_t low, uint64_t high, uint64_t t,
								double w);

/*
 * True with probability (1 - exp(-x)) / (1 - exp(-y)), exactly; x and y as
 * above. Errors: DP_RANDOM_FAILED.
 */
extern DpStatus dp_chain_step_coin(DpRandom *random, uint64_t low,
								   uint64_t high, uint64_t t, bool *result);

#endif
