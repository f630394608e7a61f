/*
 * unary.c
 *		Coins for bits, and for reports of stored bits.
 */
#include <openssl/bn.h>

#include "local/unary.h"
#include "samplers/bernoulli.h"
#include "samplers/bernoulli_real.h"

/* The precision of e^(-epsilon/2) in dp_unary_report_init. */
#define WORK_BITS 192

/* True with probability 1 / (1 + exp(numerator/denominator)). */
static DpStatus
logistic(DpRandom *random, uint64_t numerator, uint64_t denominator,
		 bool *result)
{
	bool coin;

	do
	{
		DP_TRY(dp_bernoulli(random, 1, 2, &coin));
		if (coin)
			break;
		DP_TRY(dp_bernoulli_exp(random, numerator, denominator, &coin));
		if (coin)
		{
			*result = true;
			return DP_OK;
		}
	} while (true);
	*result = false;
	return DP_OK;
}

DpStatus
dp_unary_draw(DpRandom *random, DpEncoding encoding, DpEpsilon epsilon,
			  bool bit, bool *report)
{
	bool flip;
	DP_RECORD_CALL(random, "unary");

	DP_RECORD_SAME("encoding", encoding);
	DP_RECORD_SAME("epsilon", epsilon.ticks);
	DP_RECORD_TRUE("bit", bit);

	if (encoding == DP_ENCODING_SYMMETRIC)
		DP_TRY(logistic(random, epsilon.ticks, 2 * DP_EPSILON_ONE, &flip));
	else if (bit)
		DP_TRY(dp_bernoulli(random, 1, 2, &flip));
	else
		DP_TRY(logistic(random, epsilon.ticks, DP_EPSILON_ONE, &flip));
	*report = bit != flip;
	return DP_OK;
}

/*
 * kept = floor(2^32 (1 - xy) / ((1+x)(1-y))), x and y in units of
 * 2^-WORK_BITS, y < 1.
 */
static int
divide(BIGNUM *kept, const BIGNUM *x, const BIGNUM *y, BN_CTX *ctx)
{
	BIGNUM *one;
	BIGNUM *above;
	BIGNUM *below;
	int done;

	BN_CTX_start(ctx);
	one = BN_CTX_get(ctx);
	above = BN_CTX_get(ctx);
	below = BN_CTX_get(ctx);

	/* both sides in units of 2^-(2 WORK_BITS) */
	done = below != NULL && BN_one(one) && BN_lshift(one, one, WORK_BITS) &&
		   BN_mul(kept, x, y, ctx) && BN_sqr(above, one, ctx) &&
		   BN_sub(above, above, kept) && BN_lshift(above, above, 32) &&
		   BN_sub(below, one, y) && BN_add(one, one, x) &&
		   BN_mul(below, below, one, ctx) &&
		   BN_div(kept, NULL, above, below, ctx);
	BN_CTX_end(ctx);
	return done;
}

DpStatus
dp_unary_report_init(DpUnaryReport *report, DpEpsilon epsilon,
					 DpEpsilon report_epsilon)
{
	DpStatus status = DP_OUT_OF_MEMORY;
	BIGNUM *x = BN_new();
	BIGNUM *y = BN_new();
	BIGNUM *other = BN_new();
	BN_CTX *ctx = BN_CTX_new();

	if (report_epsilon.ticks >= epsilon.ticks)
		status = DP_PARAMETER_OUT_OF_RANGE;
	else if (x != NULL && y != NULL && other != NULL && ctx != NULL)
	{
		/* the greatest x and the least y */
		status = dp_enclose_exp(report_epsilon.ticks, 2 * DP_EPSILON_ONE,
								WORK_BITS, other, x);
		if (status == DP_OK)
			status = dp_enclose_exp(epsilon.ticks, 2 * DP_EPSILON_ONE,
									WORK_BITS, y, other);
		if (status == DP_OK)
		{
			if (divide(other, x, y, ctx))
				report->flips = DP_UNARY_REPORT_ONE - BN_get_word(other);
			else
				status = DP_OUT_OF_MEMORY;
		}
	}
	BN_free(x);
	BN_free(y);
	BN_free(other);
	BN_CTX_free(ctx);
	return status;
}

DpStatus
dp_unary_report_draw(DpRandom *random, const DpUnaryReport *report, bool stored,
					 bool *result)
{
	bool flip;
	DP_RECORD_CALL(random, "report");

	DP_RECORD_SAME("flips", report->flips);
	DP_RECORD_TRUE("bit", stored);

	DP_TRY(dp_bernoulli(random, report->flips, DP_UNARY_REPORT_ONE, &flip));
	*result = stored != flip;
	return DP_OK;
}
