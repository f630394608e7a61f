/*
 * bernoulli_real.c
 *		Real coins, and rigorous enclosures of the exponential function.
 *
 * OpenSSL's BIGNUMs are released before every return.
 */
#include <string.h>

#include "core/int128.h"
#include "samplers/bernoulli_real.h"

/*
 * For sequences of BIGNUM calls: the first failure, which can only be a lack
 * of memory, ends the sequence; status is set beforehand.
 */
#define BN_TRY(call) \
	do \
	{ \
		if (!(call)) \
			goto done; \
	} while (0)

/* value = value / 2^bits, rounded up. */
static int
shift_right_up(BIGNUM *value, int bits)
{
	/* ceil(v / 2^b) = (v - 1) / 2^b + 1 for v > 0 */
	if (BN_is_zero(value))
		return 1;
	return BN_sub_word(value, 1) && BN_rshift(value, value, bits) &&
		   BN_add_word(value, 1);
}

/*
 * sum = an approximation of exp(-y) * 2^bits for y * 2^bits in [y, y + 1],
 * 0 <= y < 2^(bits-7), wrong by at most *error units either way.
 */
static int
sum_taylor(BIGNUM *sum, const BIGNUM *y, int bits, BN_CTX *ctx,
		   unsigned long *error)
{
	BIGNUM *term = BN_CTX_get(ctx);
	unsigned long j;

	if (term == NULL || !BN_one(term) || !BN_lshift(term, term, bits) ||
		!BN_copy(sum, term))
		return 0;
	for (j = 1; !BN_is_zero(term); j++)
	{
		/* term = term * y / 2^bits / j, rounded down */
		if (!BN_mul(term, term, y, ctx) || !BN_rshift(term, term, bits) ||
			BN_div_word(term, j) == (BN_ULONG) -1)
			return 0;
		if (!((j & 1) ? BN_sub(sum, sum, term) : BN_add(sum, sum, term)))
			return 0;
	}

	/*
	 * A term inherits at most 1/100 of its predecessor's error and adds at
	 * most two units (one for the shift, one for the division); the terms
	 * that vanished add less than one; the rounding of y less than one.
	 */
	*error = 3 * j + 2;
	return 1;
}

DpStatus
dp_enclose_exp(dp_uint128 numerator, uint64_t denominator, int bits,
			   BIGNUM *lower, BIGNUM *upper)
{
	DpStatus status = DP_OUT_OF_MEMORY;
	BN_CTX *ctx;
	BIGNUM *y;
	BIGNUM *divisor;
	unsigned long error;
	int halvings = 7; /* exp(-x) = exp(-x / 2^halvings)^(2^halvings) */
	int work;		  /* bits of the intermediate results */
	int i;

	if (numerator == 0)
	{
		if (BN_one(lower) && BN_lshift(lower, lower, bits) &&
			BN_copy(upper, lower))
			return DP_OK;
		return DP_OUT_OF_MEMORY;
	}

	/* exp(-x) < 2^-x may be below this precision. */
	if (numerator / denominator > (dp_uint128) bits)
	{
		BN_zero(lower);
		return BN_one(upper) ? DP_OK : DP_OUT_OF_MEMORY;
	}

	while (((dp_uint128) denominator << (halvings - 7)) < numerator)
		halvings++;
	work = bits + 2 * halvings + 20;

	ctx = BN_CTX_new();
	if (ctx == NULL)
		return DP_OUT_OF_MEMORY;
	BN_CTX_start(ctx);
	y = BN_CTX_get(ctx);
	divisor = BN_CTX_get(ctx);
	BN_TRY(divisor != NULL);

	/* y = floor(x / 2^halvings * 2^work), at most 2^(work-7) */
	BN_TRY(BN_set_word(y, (uint64_t) (numerator >> 64)) &&
		   BN_lshift(y, y, 64) && BN_add_word(y, (uint64_t) numerator));
	BN_TRY(BN_lshift(y, y, work - halvings));
	BN_TRY(BN_set_word(divisor, denominator));
	BN_TRY(BN_div(y, NULL, y, divisor, ctx));

	BN_TRY(sum_taylor(upper, y, work, ctx, &error));
	BN_TRY(BN_copy(lower, upper));
	BN_TRY(BN_sub_word(lower, error) && BN_add_word(upper, error));
	for (i = 0; i < halvings; i++)
	{
		BN_TRY(BN_sqr(lower, lower, ctx) && BN_rshift(lower, lower, work));
		BN_TRY(BN_sqr(upper, upper, ctx) && shift_right_up(upper, work));
	}
	BN_TRY(BN_rshift(lower, lower, work - bits));
	BN_TRY(shift_right_up(upper, work - bits));
	status = DP_OK;

done:
	BN_CTX_end(ctx);
	BN_CTX_free(ctx);
	return status;
}

/* Splits an enclosure into the coin's words; it must fit bits <= 128. */
static void
store_words(const BIGNUM *value, uint64_t words[2])
{
	unsigned char bytes[16];
	int i;

	(void) BN_bn2binpad(value, bytes, 16);
	words[0] = words[1] = 0;
	for (i = 0; i < 16; i++)
		words[1 - i / 8] = words[1 - i / 8] << 8 | bytes[i];
}

DpStatus
dp_real_coin_init(DpRealCoin *coin, DpEnclose enclose, const void *context,
				  int bits)
{
	DpStatus status = DP_OUT_OF_MEMORY;
	BIGNUM *lower = BN_new();
	BIGNUM *upper = BN_new();

	if (bits < 1 || bits > 128)
		status = DP_PARAMETER_OUT_OF_RANGE;
	else if (lower != NULL && upper != NULL)
		status = enclose(context, bits, lower, upper);
	if (status == DP_OK)
	{
		coin->enclose = enclose;
		coin->bits = bits;
		coin->upper_is_one = BN_num_bits(upper) > bits;

		/* p is 1 to this precision: a later round decides. */
		if (BN_num_bits(lower) > 128 && !BN_sub_word(lower, 1))
			status = DP_OUT_OF_MEMORY;
		else
		{
			store_words(lower, coin->lower);
			if (coin->upper_is_one)
				coin->upper[0] = coin->upper[1] = ~(uint64_t) 0;
			else
				store_words(upper, coin->upper);
		}
	}
	BN_free(lower);
	BN_free(upper);
	return status;
}

/*
 * The draw r, of this many bits, did not decide. Extends it and tightens the
 * enclosure until it does.
 */
static DpStatus
decide_with_more_bits(DpRandom *random, const DpRealCoin *coin,
					  const void *context, dp_uint128 r, bool *result)
{
	DpStatus status = DP_OUT_OF_MEMORY;
	int bits = coin->bits;
	BIGNUM *draw = BN_new();
	BIGNUM *lower = BN_new();
	BIGNUM *upper = BN_new();

	BN_TRY(draw != NULL && lower != NULL && upper != NULL);
	BN_TRY(BN_set_word(draw, (uint64_t) (r >> 64)));
	BN_TRY(BN_lshift(draw, draw, 64));
	BN_TRY(BN_add_word(draw, (uint64_t) r));

	for (;;)
	{
		int more = bits;

		/* Doubles the precision, in steps of at most a word. */
		while (more > 0)
		{
			int step = more < 64 ? more : 64;
			uint64_t word;

			status = dp_random_word(random, &word);
			if (status != DP_OK)
				goto done;
			status = DP_OUT_OF_MEMORY;
			BN_TRY(BN_lshift(draw, draw, step));
			BN_TRY(BN_add_word(draw, word >> (64 - step)));
			more -= step;
		}
		bits *= 2;

		status = coin->enclose(context, bits, lower, upper);
		if (status != DP_OK)
			goto done;

		/* The real lies in [draw, draw + 1): below p, above it, or neither. */
		if (BN_cmp(draw, lower) < 0)
		{
			*result = true;
			break;
		}
		if (BN_cmp(draw, upper) >= 0)
		{
			*result = false;
			break;
		}
	}
	status = DP_OK;

done:
	BN_clear_free(draw);
	BN_free(lower);
	BN_free(upper);
	return status;
}

DpStatus
dp_real_coin_draw(DpRandom *random, const DpRealCoin *coin, const void *context,
				  bool *result)
{
	dp_uint128 lower = (dp_uint128) coin->lower[1] << 64 | coin->lower[0];
	dp_uint128 upper = (dp_uint128) coin->upper[1] << 64 | coin->upper[0];
	dp_uint128 r;
	uint64_t high;
	uint64_t low = 0;

	DP_TRY(dp_random_word(random, &high));
	if (coin->bits > 64)
		DP_TRY(dp_random_word(random, &low));
	r = ((dp_uint128) high << 64 | low) >> (128 - coin->bits);

	/* r + 1 <= lower: all of [r, r + 1) is below p */
	if (r < lower)
	{
		*result = true;
		return DP_OK;
	}
	if (!coin->upper_is_one && r >= upper)
	{
		*result = false;
		return DP_OK;
	}
	return decide_with_more_bits(random, coin, context, r, result);
}
