/*
 * staircase.h
 *		The discrete staircase distribution.
 *
 * For sensitivity D (grid units), first step r and b = exp(-epsilon):
 *
 *		P(i) = a * b^floor(|i|/D) * (1 if |i| mod D < r, else b)
 *		a    = (1-b) / (2r + 2b(D-r) - (1-b))
 *
 * A shift by at most D changes P by a factor of at most exp(epsilon) whatever r
 * is. So r is a public choice, which may be made with doubles. D = 1 is the
 * two-sided geometric distribution; D = 2^40 is the continuous staircase to
 * more digits than a double shows, with gamma = r/D. Source: Geng, Viswanath,
 * The Optimal Mechanism in Differential Privacy.
 */
#ifndef DP_SAMPLERS_STAIRCASE_H
#define DP_SAMPLERS_STAIRCASE_H

#include "core/epsilon.h"
#include "core/int128.h"
#include "random/source.h"
#include "samplers/bernoulli_real.h"

/* A prepared distribution: plain data. */
typedef struct DpStaircase
{
	uint64_t sensitivity; /* D: 1 .. 2^42 */
	uint64_t first_step;  /* r: 1 .. D */
	DpEpsilon epsilon;
	uint32_t sums;		   /* 1; more: drawn together (joint_staircase.h) */
	DpRealCoin first_coin; /* |i| < r, before the sign */
} DpStaircase;

/*
 * Prepares draws. bits: DP_REAL_BITS outside tests.
 * Errors: DP_SENSITIVITY_OUT_OF_RANGE, DP_PARAMETER_OUT_OF_RANGE (r or bits),
 * DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_staircase_init(DpStaircase *staircase, uint64_t sensitivity,
								  uint64_t first_step, DpEpsilon epsilon,
								  int bits);

/* One draw, exactly; the time does not grow with epsilon. */
extern DpStatus dp_staircase_draw(DpRandom *random,
								  const DpStaircase *staircase,
								  dp_int128 *value);

/*
 * What staircases of one number and of several have in common. DpFirstProbability:
 * floor, or ceil where above, of 2^bits times the probability of the first level,
 * where b = ratio / 2^precision; it falls as b grows. 0: out of memory.
 */
typedef int (*DpFirstProbability)(const DpStaircase *staircase,
								  const BIGNUM *ratio, int precision, int bits,
								  int above, BIGNUM *fraction, BN_CTX *ctx);

/* A DpEnclose of it. guard: how many bits more than the result b must have. */
extern DpStatus dp_staircase_enclose(const DpStaircase *staircase,
									 DpFirstProbability first, int guard,
									 int bits, BIGNUM *lower, BIGNUM *upper);

/* As dp_staircase_init; first: of the coin for the first level. */
extern DpStatus dp_staircase_prepare(DpStaircase *staircase, uint32_t sums,
									 uint64_t sensitivity, uint64_t first_step,
									 DpEpsilon epsilon, DpEnclose first,
									 int bits);

/* The probability of i, in doubles. */
extern double dp_staircase_pmf(double sensitivity, double first_step,
							   double epsilon, double i);

#endif
