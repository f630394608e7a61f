/*
 * bernoulli_real.h
 *		A coin whose probability is a computable real number.
 *
 * The probability is known through ever tighter enclosures by integers; a
 * uniform real is revealed a few bits at a time and compared with them. With
 * 128 bits at the start, a second round is needed with a probability of about
 * 2^-126; tests start with 6 bits and so need it often.
 */
#ifndef DP_SAMPLERS_BERNOULLI_REAL_H
#define DP_SAMPLERS_BERNOULLI_REAL_H

#include <openssl/bn.h>

#include "core/int128.h"
#include "random/source.h"

#define DP_REAL_BITS 128

/*
 * Sets lower and upper to integers with lower <= p * 2^bits <= upper. The
 * difference must tend to a few units as bits grows.
 */
typedef DpStatus (*DpEnclose)(const void *context, int bits, BIGNUM *lower,
							  BIGNUM *upper);

/*
 * A prepared coin. Plain data: it may be copied and needs no release.
 */
typedef struct DpRealCoin
{
	DpEnclose enclose;
	int bits;		   /* 1 .. 128, of the first comparison */
	uint64_t lower[2]; /* enclosure at that precision, low word first */
	uint64_t upper[2]; /* saturated at 2^128 - 1 */
	bool upper_is_one; /* upper was 2^bits: every draw is below it */
} DpRealCoin;

/*
 * Prepares a coin; bits is DP_REAL_BITS outside tests (1 .. 128).
 * Errors: DP_OUT_OF_MEMORY, DP_PARAMETER_OUT_OF_RANGE (bits).
 */
extern DpStatus dp_real_coin_init(DpRealCoin *coin, DpEnclose enclose,
								  const void *context, int bits);

/*
 * True with probability p, exactly. context: the one of dp_real_coin_init.
 * Errors: DP_RANDOM_FAILED, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_real_coin_draw(DpRandom *random, const DpRealCoin *coin,
								  const void *context, bool *result);

/*
 * Encloses exp(-numerator/denominator) * 2^bits between integers that differ
 * by at most two. denominator: at least 1; bits: 1 or more.
 * Alternating Taylor series after halving, with a counted error bound, then
 * squarings with directed rounding.
 */
extern DpStatus dp_enclose_exp(dp_uint128 numerator, uint64_t denominator,
							   int bits, BIGNUM *lower, BIGNUM *upper);

#endif
