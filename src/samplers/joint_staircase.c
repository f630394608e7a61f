/*
 * joint_staircase.c
 *		Exact draws of two or three integers with staircase noise together.
 *
 * First the size, then one of the vectors of that size, all alike.
 */
#include "samplers/geometric.h"
#include "samplers/joint_staircase.h"

/* The greatest term of a level. */
#define LEVEL_MAX ((dp_uint128) 1 << 60)

/* V(n), n: 1 .. 2^44 */
static int
set_volume(BIGNUM *volume, uint32_t sums, uint64_t n)
{
	if (!BN_set_word(volume, 2 * n) || !BN_mul_word(volume, n - 1))
		return 0;
	if (sums == 2)
		return BN_add_word(volume, 1);
	return BN_add_word(volume, 3) && BN_mul_word(volume, 2 * n - 1) &&
		   BN_div_word(volume, 3) == 0;
}

/* differences[i] = (diff^i V)(r) */
static int
set_differences(const DpStaircase *s,
				BIGNUM *differences[DP_JOINT_SUMS_MAX + 1])
{
	uint32_t i;
	uint32_t j;

	for (i = 0; i <= s->sums; i++)
	{
		if (!set_volume(differences[i], s->sums,
						s->first_step + i * s->sensitivity))
			return 0;
	}
	for (i = 1; i <= s->sums; i++)
	{
		for (j = s->sums; j >= i; j--)
		{
			if (!BN_sub(differences[j], differences[j], differences[j - 1]))
				return 0;
		}
	}
	return 1;
}

/*
 * fraction = floor or ceil of 2^bits V(r) (1-b)^d / (the sum of (diff^i V)(r) b^i
 * (1-b)^(d-i)), where b = ratio / 2^precision; above says which.
 */
static int
first_probability(const DpStaircase *s, const BIGNUM *ratio, int precision,
				  int bits, int above, BIGNUM *fraction, BN_CTX *ctx)
{
	BIGNUM *differences[DP_JOINT_SUMS_MAX + 1];
	BIGNUM *first = BN_CTX_get(ctx);
	BIGNUM *all = BN_CTX_get(ctx);
	BIGNUM *rest = BN_CTX_get(ctx);
	BIGNUM *power = BN_CTX_get(ctx); /* b^i */
	uint32_t i;

	for (i = 0; i <= s->sums; i++)
		differences[i] = BN_CTX_get(ctx);
	if (differences[s->sums] == NULL || !set_differences(s, differences) ||
		!BN_copy(first, differences[0]) || !BN_copy(all, differences[0]) ||
		!BN_one(power) || !BN_one(rest) || !BN_lshift(rest, rest, precision) ||
		!BN_sub(rest, rest, ratio))
		return 0;
	for (i = 1; i <= s->sums; i++)
	{
		if (!BN_mul(first, first, rest, ctx) || !BN_mul(all, all, rest, ctx) ||
			!BN_mul(power, power, ratio, ctx) ||
			!BN_mul(differences[i], differences[i], power, ctx) ||
			!BN_add(all, all, differences[i]))
			return 0;
	}
	if (!BN_lshift(first, first, bits) ||
		!BN_div(fraction, rest, first, all, ctx))
		return 0;
	return above && !BN_is_zero(rest) ? BN_add_word(fraction, 1) : 1;
}

/* DpEnclose for the probability of the first level. */
static DpStatus
enclose_first(const void *context, int bits, BIGNUM *lower, BIGNUM *upper)
{
	/*
	 * The fraction p changes by p (1-p) times the change of log(1/p - 1), which is
	 * d/(b (1-b)) times that of b at most; and (1-p)/b is at most the number of
	 * vectors of the second level, below 2^132, or 1/b where that is less.
	 */
	return dp_staircase_enclose(context, first_probability, 192, bits, lower,
								upper);
}

DpStatus
dp_joint_staircase_init(DpStaircase *staircase, uint32_t sums,
						uint64_t sensitivity, uint64_t first_step,
						DpEpsilon epsilon, int bits)
{
	if (sums < 2 || sums > DP_JOINT_SUMS_MAX)
		return DP_PARAMETER_OUT_OF_RANGE;
	return dp_staircase_prepare(staircase, sums, sensitivity, first_step,
								epsilon, enclose_first, bits);
}

/* A uniform integer in 0 .. bound-1. bound: at least 1. */
static DpStatus
draw_below(DpRandom *random, dp_uint128 bound, dp_uint128 *value)
{
	dp_uint128 mask = bound - 1;
	int shift;

	for (shift = 1; shift < 128; shift *= 2)
		mask |= mask >> shift;
	do
	{
		uint64_t low;
		uint64_t high = 0;

		DP_TRY(dp_random_word(random, &low));
		if (mask >> 64 != 0)
			DP_TRY(dp_random_word(random, &high));
		*value = ((dp_uint128) high << 64 | low) & mask;
	} while (*value >= bound);
	return DP_OK;
}

/* How many vectors of so many integers have a size, which is below 2^62 for three. */
static dp_uint128
number_of(uint32_t sums, dp_uint128 size)
{
	if (size == 0)
		return 1;
	if (sums == 1)
		return 2;
	return sums == 2 ? 4 * size : 4 * size * size + 2;
}

/* A size in the first level, as often as there are vectors of it. */
static DpStatus
draw_first(DpRandom *random, const DpStaircase *s, dp_uint128 *size)
{
	dp_uint128 most = number_of(s->sums, s->first_step - 1);
	dp_uint128 height;

	do
	{
		DP_TRY(draw_below(random, s->first_step, size));
		DP_TRY(draw_below(random, most, &height));
	} while (height >= number_of(s->sums, *size));
	return DP_OK;
}

/*
 * A size m beyond, as often as there are vectors of it, times b^k: its level k + 1
 * as a sum of d geometric numbers has C(k+d-1, d-1) b^k. Of d = 2 it is kept with the
 * probability m / (2D (k+1)), of d = 3 with (2m^2 + 1) / (4 D^2 (k+1) (k+2)), where
 * m < (k+2) D: of so many cells, those below m, or below m and below 2m, and one
 * more, which is never among these.
 */
static DpStatus
draw_beyond(DpRandom *random, const DpStaircase *s, dp_uint128 *size)
{
	bool kept = false;

	while (!kept)
	{
		dp_uint128 level = 0;
		dp_uint128 within;
		dp_uint128 width;
		dp_uint128 one;
		dp_uint128 other = 0;
		uint32_t i;

		for (i = 0; i < s->sums; i++)
		{
			dp_uint128 term;

			DP_TRY(dp_geometric_draw(random, s->epsilon.ticks, DP_EPSILON_ONE,
									 &term));
			if (term > LEVEL_MAX)
				return DP_RANDOM_FAILED;
			level += term;
		}
		DP_TRY(draw_below(random, s->sensitivity, &within));
		*size = s->first_step + level * s->sensitivity + within;
		width = (dp_uint128) 2 * s->sensitivity;
		DP_TRY(draw_below(random, width * (level + 1), &one));
		kept = one < *size;
		if (s->sums == 3)
		{
			DP_TRY(draw_below(random, width * (level + 2), &other));
			kept = (kept && other < 2 * *size) ||
				   (one == width * (level + 1) - 1 && other == 0);
		}
	}
	return DP_OK;
}

/*
 * One of the vectors of a size, each as likely as any other: number by number, with
 * as many vectors as there are for the rest.
 */
static DpStatus
draw_vector(DpRandom *random, uint32_t sums, dp_uint128 size, dp_int128 *values)
{
	uint32_t i;

	for (i = 0; i < sums; i++)
	{
		uint32_t left = sums - i - 1;
		dp_uint128 most = left == 2 ? 4 * size : 2;
		dp_uint128 place;
		dp_uint128 height;
		dp_uint128 rest;
		dp_int128 value;

		values[i] = 0;
		if (size == 0)
			continue;
		do
		{
			DP_TRY(draw_below(random, left == 0 ? 2 : 2 * size + 1, &place));
			if (left == 0) /* one of the two ends */
				place *= 2 * size;
			value = (dp_int128) place - (dp_int128) size;
			rest = size - dp_int128_abs(value);
			height = 0;
			if (left > 0)
				DP_TRY(draw_below(random, most, &height));
		} while (height >= number_of(left, rest));
		values[i] = value;
		size = rest;
	}
	return DP_OK;
}

DpStatus
dp_joint_staircase_draw(DpRandom *random, const DpStaircase *staircase,
						dp_int128 values[DP_JOINT_SUMS_MAX])
{
	dp_uint128 size;
	bool first;

	DP_TRY(
		dp_real_coin_draw(random, &staircase->first_coin, staircase, &first));
	if (first)
		DP_TRY(draw_first(random, staircase, &size));
	else
		DP_TRY(draw_beyond(random, staircase, &size));
	return draw_vector(random, staircase->sums, size, values);
}
