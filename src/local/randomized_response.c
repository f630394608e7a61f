/*
 * randomized_response.c
 *		The coin of the truth, and the draw.
 *
 * OpenSSL's BIGNUMs are released before every return.
 */
#include "local/randomized_response.h"

/*
 * quotient = (1-h) / (1 + others h) * 2^bits, rounded down or up, where h is
 * given in units of 2^-work, at most 1.
 */
static int
divide(BIGNUM *quotient, const BIGNUM *h, uint32_t others, int work, int bits,
	   bool up, BN_CTX *ctx)
{
	BIGNUM *above = BN_new();
	BIGNUM *below = BN_new();
	BIGNUM *rest = BN_new();
	int done = 0;

	if (above != NULL && below != NULL && rest != NULL && BN_one(above) &&
		BN_lshift(above, above, work) && BN_copy(below, h) &&
		BN_mul_word(below, others) && BN_add(below, below, above) &&
		BN_sub(above, above, h) && BN_lshift(above, above, bits) &&
		BN_div(quotient, rest, above, below, ctx))
		done = !up || BN_is_zero(rest) || BN_add_word(quotient, 1);
	BN_free(above);
	BN_free(below);
	BN_free(rest);
	return done;
}

/*
 * The slope of (1-h) / (1 + (k-1)h) is at most k, so h needs as many additional
 * bits as k has.
 */
static DpStatus
enclose_truth(const void *context, int bits, BIGNUM *lower, BIGNUM *upper)
{
	const DpResponse *response = context;
	uint32_t others = response->values - 1;
	int work = bits + 32;
	DpStatus status = DP_OUT_OF_MEMORY;
	BIGNUM *least = BN_new();
	BIGNUM *greatest = BN_new();
	BN_CTX *ctx = BN_CTX_new();

	if (least != NULL && greatest != NULL && ctx != NULL)
	{
		status = dp_enclose_exp(response->epsilon.ticks, DP_EPSILON_ONE, work,
								least, greatest);
		if (status == DP_OK &&
			!(divide(lower, greatest, others, work, bits, false, ctx) &&
			  divide(upper, least, others, work, bits, true, ctx)))
			status = DP_OUT_OF_MEMORY;
	}
	BN_free(least);
	BN_free(greatest);
	BN_CTX_free(ctx);
	return status;
}

DpStatus
dp_response_init(DpResponse *response, DpEpsilon epsilon, uint32_t values,
				 int bits)
{
	if (values < 2 || values > DP_LOCAL_VALUES_MAX)
		return DP_PARAMETER_OUT_OF_RANGE;
	response->epsilon = epsilon;
	response->values = values;
	return dp_real_coin_init(&response->truth, enclose_truth, response, bits);
}

DpStatus
dp_response_draw(DpRandom *random, const DpResponse *response, uint32_t index,
				 uint32_t *report)
{
	bool truth;
	uint64_t other;
	DP_RECORD_CALL(random, "response");

	DP_RECORD_SAME("values", response->values);
	DP_RECORD_SAME("epsilon", response->epsilon.ticks);
	DP_RECORD_TRUE("index", index);
	DP_TRY(dp_real_coin_draw(random, &response->truth, response, &truth));
	DP_TRY(dp_random_below(random, response->values, &other));
	*report = truth && index < response->values ? index : (uint32_t) other;
	return DP_OK;
}
