/*
 * staircase.c
 *		Exact draws from the discrete staircase distribution.
 */
#include <math.h>

#include "samplers/geometric.h"
#include "samplers/staircase.h"

#define SENSITIVITY_MAX ((uint64_t) 1 << 42)

/*
 * fraction = floor or ceil of 2^bits * r(1-b) / (r(1-b) + D b), where
 * b = ratio / 2^precision; above says which.
 */
static int
first_probability(const DpStaircase *s, const BIGNUM *ratio, int precision,
				  int bits, int above, BIGNUM *fraction, BN_CTX *ctx)
{
	BIGNUM *inside = BN_CTX_get(ctx);
	BIGNUM *all = BN_CTX_get(ctx);
	BIGNUM *rest = BN_CTX_get(ctx);

	/* inside = r (1 - b), all = inside + D b, both times 2^precision */
	if (rest == NULL || !BN_one(inside) ||
		!BN_lshift(inside, inside, precision) ||
		!BN_sub(inside, inside, ratio) || !BN_mul_word(inside, s->first_step) ||
		!BN_copy(all, ratio) || !BN_mul_word(all, s->sensitivity) ||
		!BN_add(all, all, inside))
		return 0;
	if (!BN_lshift(inside, inside, bits) ||
		!BN_div(fraction, rest, inside, all, ctx))
		return 0;
	return above && !BN_is_zero(rest) ? BN_add_word(fraction, 1) : 1;
}

DpStatus
dp_staircase_enclose(const DpStaircase *s, DpFirstProbability first, int guard,
					 int bits, BIGNUM *lower, BIGNUM *upper)
{
	int precision = bits + guard;
	DpStatus status = DP_OUT_OF_MEMORY;
	BN_CTX *ctx = BN_CTX_new();
	BIGNUM *least;
	BIGNUM *greatest;

	if (ctx == NULL)
		return DP_OUT_OF_MEMORY;
	BN_CTX_start(ctx);
	least = BN_CTX_get(ctx);
	greatest = BN_CTX_get(ctx);
	if (greatest != NULL)
		status = dp_enclose_exp(s->epsilon.ticks, DP_EPSILON_ONE, precision,
								least, greatest);
	if (status == DP_OK &&
		(!first(s, greatest, precision, bits, 0, lower, ctx) ||
		 !first(s, least, precision, bits, 1, upper, ctx)))
		status = DP_OUT_OF_MEMORY;
	BN_CTX_end(ctx);
	BN_CTX_free(ctx);
	return status;
}

/* DpEnclose for the probability that |i| < r. */
static DpStatus
enclose_first(const void *context, int bits, BIGNUM *lower, BIGNUM *upper)
{
	/* The fraction changes by at most D/r <= 2^42 times the change of b. */
	return dp_staircase_enclose(context, first_probability, 64, bits, lower,
								upper);
}

DpStatus
dp_staircase_prepare(DpStaircase *staircase, uint32_t sums,
					 uint64_t sensitivity, uint64_t first_step,
					 DpEpsilon epsilon, DpEnclose first, int bits)
{
	if (sensitivity < 1 || sensitivity > SENSITIVITY_MAX)
		return DP_SENSITIVITY_OUT_OF_RANGE;
	if (first_step < 1 || first_step > sensitivity)
		return DP_PARAMETER_OUT_OF_RANGE;
	staircase->sensitivity = sensitivity;
	staircase->first_step = first_step;
	staircase->epsilon = epsilon;
	staircase->sums = sums;
	return dp_real_coin_init(&staircase->first_coin, first, staircase, bits);
}

DpStatus
dp_staircase_init(DpStaircase *staircase, uint64_t sensitivity,
				  uint64_t first_step, DpEpsilon epsilon, int bits)
{
	return dp_staircase_prepare(staircase, 1, sensitivity, first_step, epsilon,
								enclose_first, bits);
}

/*
 * Magnitudes fall into levels within which all are equally likely: [0, r), then
 * [r + kD, r + (k+1)D) for k = 0, 1, ..., each level b times as likely as the
 * one before. One coin decides whether it is the first level, a geometric
 * number which of the others.
 */
DpStatus
dp_staircase_draw(DpRandom *random, const DpStaircase *staircase,
				  dp_int128 *value)
{
	for (;;)
	{
		uint64_t sign;
		uint64_t within;
		dp_uint128 magnitude = 0;
		bool first;

		DP_TRY(dp_random_word(random, &sign));
		DP_TRY(dp_real_coin_draw(random, &staircase->first_coin, staircase,
								 &first));
		if (first)
			DP_TRY(dp_random_below(random, staircase->first_step, &within));
		else
		{
			DP_TRY(dp_geometric_draw(random, staircase->epsilon.ticks,
									 DP_EPSILON_ONE, &magnitude));
			magnitude =
				magnitude * staircase->sensitivity + staircase->first_step;
			DP_TRY(dp_random_below(random, staircase->sensitivity, &within));
		}
		magnitude += within;
		if (magnitude == 0 && (sign & 1))
			continue; /* zero is counted for one sign only */
		*value = (sign & 1) ? -(dp_int128) magnitude : (dp_int128) magnitude;
		return DP_OK;
	}
}

double
dp_staircase_pmf(double sensitivity, double first_step, double epsilon,
				 double i)
{
	double level = floor(fabs(i) / sensitivity);
	double within = fabs(i) - level * sensitivity;
	double b = exp(-epsilon);
	double rest = -expm1(-epsilon); /* 1 - b */
	double a =
		rest / (2 * first_step + 2 * b * (sensitivity - first_step) - rest);

	if (within >= first_step)
		level++;
	return a * exp(-epsilon * level);
}
