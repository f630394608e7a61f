/*
 * group_threshold.c
 *		The least threshold that hides the groups of one unit.
 */
#include <openssl/bn.h>

#include "mechanisms/group_threshold.h"
#include "samplers/bernoulli_real.h"

/*
 * Bits of the enclosures. The least probability needed is 10^-24 / 2^31, about
 * 2^-111, so they have more than 140 significant bits.
 */
#define BITS 256

/* The two sides of a^k g 10^24 <= delta (1 + a), times 2^BITS. */
typedef struct Sides
{
	BIGNUM *factor; /* g 10^24 */
	BIGNUM *right;	/* delta (1 + a), rounded down */
	BIGNUM *lower;	/* for enclosures */
	BIGNUM *upper;
} Sides;

static int
set_int128(BIGNUM *number, dp_int128 value)
{
	return BN_set_word(number, (uint64_t) (value >> 64)) &&
		   BN_lshift(number, number, 64) &&
		   BN_add_word(number, (uint64_t) value);
}

/* Whether k is great enough: for sure, with the upper end of a^k. */
static DpStatus
is_enough(const DpNoise *noise, uint64_t k, Sides *sides, BN_CTX *ctx,
		  bool *result)
{
	DP_TRY(dp_enclose_exp((dp_uint128) k * noise->s, noise->t, BITS,
						  sides->lower, sides->upper));
	if (!BN_mul(sides->upper, sides->upper, sides->factor, ctx))
		return DP_OUT_OF_MEMORY;
	*result = BN_cmp(sides->upper, sides->right) <= 0;
	return DP_OK;
}

/* The least k that is enough, by doubling and bisection. */
static DpStatus
find_least(const DpNoise *noise, Sides *sides, BN_CTX *ctx, uint64_t *k)
{
	uint64_t low = 0; /* not enough */
	uint64_t high = 1;
	bool enough;

	for (;;)
	{
		DP_TRY(is_enough(noise, high, sides, ctx, &enough));
		if (enough)
			break;
		if (high >= DP_THRESHOLD_MAX)
			return DP_PARAMETER_OUT_OF_RANGE;
		low = high;
		high *= 2;
	}
	while (high - low > 1)
	{
		uint64_t middle = low + (high - low) / 2;

		DP_TRY(is_enough(noise, middle, sides, ctx, &enough));
		if (enough)
			high = middle;
		else
			low = middle;
	}
	*k = high;
	return DP_OK;
}

static DpStatus
find_with(const DpNoise *noise, dp_int128 delta, uint32_t groups, Sides *sides,
		  BN_CTX *ctx, uint64_t *k)
{
	if (sides->upper == NULL || !set_int128(sides->factor, DP_DELTA_ONE) ||
		!BN_mul_word(sides->factor, groups) || !set_int128(sides->right, delta))
		return DP_OUT_OF_MEMORY;
	DP_TRY(
		dp_enclose_exp(noise->s, noise->t, BITS, sides->lower, sides->upper));
	if (!BN_one(sides->upper) || !BN_lshift(sides->upper, sides->upper, BITS) ||
		!BN_add(sides->lower, sides->lower, sides->upper) ||
		!BN_mul(sides->right, sides->right, sides->lower, ctx))
		return DP_OUT_OF_MEMORY;
	return find_least(noise, sides, ctx, k);
}

bool
dp_group_threshold_applies(const DpNoise *noise)
{
	return dp_mechanism_noise(noise->mechanism) == DP_NOISE_LAPLACE &&
		   noise->quantum == 1;
}

DpStatus
dp_group_threshold(const DpNoise *noise, uint64_t greatest, dp_int128 delta,
				   DpContribution contribution, int64_t *threshold)
{
	BN_CTX *ctx;
	Sides sides;
	DpStatus status;
	uint64_t k;

	if (!dp_group_threshold_applies(noise))
		return DP_MECHANISM_NOT_APPLICABLE;
	if (delta < 1 || delta > DP_DELTA_ONE || contribution.groups < 1 ||
		greatest < 1 || greatest > DP_THRESHOLD_MAX)
		return DP_PARAMETER_OUT_OF_RANGE;
	ctx = BN_CTX_new();
	if (ctx == NULL)
		return DP_OUT_OF_MEMORY;
	BN_CTX_start(ctx);
	sides.factor = BN_CTX_get(ctx);
	sides.right = BN_CTX_get(ctx);
	sides.lower = BN_CTX_get(ctx);
	sides.upper = BN_CTX_get(ctx);
	status = find_with(noise, delta, contribution.groups, &sides, ctx, &k);
	BN_CTX_end(ctx);
	BN_CTX_free(ctx);
	DP_TRY(status);
	if (k > DP_THRESHOLD_MAX - greatest)
		return DP_PARAMETER_OUT_OF_RANGE;
	*threshold = (int64_t) (greatest + k);
	return DP_OK;
}
