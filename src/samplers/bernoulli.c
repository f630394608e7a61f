/*
 * bernoulli.c
 *		Exact coins from integer comparisons.
 */
#include "samplers/bernoulli.h"

/*
 * Compares a uniform real, revealed 64 bits at a time, with the fraction. The
 * remainder after each word is again a fraction over the same denominator.
 */
DpStatus
dp_bernoulli(DpRandom *random, uint64_t numerator, uint64_t denominator,
			 bool *result)
{
	if (numerator >= denominator)
	{
		*result = true;
		return DP_OK;
	}
	while (numerator != 0)
	{
		uint64_t word;
		dp_uint128 drawn;
		dp_uint128 target = (dp_uint128) numerator << 64;

		DP_TRY(dp_random_word(random, &word));
		drawn = (dp_uint128) word * denominator;
		if (drawn >= target)
			break;
		if (target - drawn >= denominator)
		{
			*result = true;
			return DP_OK;
		}
		numerator = (uint64_t) (target - drawn);
	}
	*result = false;
	return DP_OK;
}

/*
 * Counts how many of B(g/1), B(g/2), B(g/3), ... succeed in a row, where
 * g = (n1/d1)(n2/d2) <= 1: P(at least k) = g^k / k!, so an even count has
 * probability exp(-g).
 */
DpStatus
dp_bernoulli_exp_product(DpRandom *random, uint64_t n1, uint64_t d1,
						 uint64_t n2, uint64_t d2, bool *result)
{
	bool even = true;
	uint64_t k;

	for (k = 1;; k++)
	{
		bool success;

		DP_TRY(dp_bernoulli(random, 1, k, &success));
		if (success)
			DP_TRY(dp_bernoulli(random, n1, d1, &success));
		if (success)
			DP_TRY(dp_bernoulli(random, n2, d2, &success));
		if (!success)
			break;
		even = !even;
	}
	*result = even;
	return DP_OK;
}

DpStatus
dp_bernoulli_exp(DpRandom *random, uint64_t numerator, uint64_t denominator,
				 bool *result)
{
	*result = true;
	while (numerator > denominator)
	{
		DP_TRY(dp_bernoulli_exp_product(random, 1, 1, 1, 1, result));
		if (!*result)
			return DP_OK;
		numerator -= denominator;
	}
	return dp_bernoulli_exp_product(random, numerator, denominator, 1, 1,
									result);
}

DpStatus
dp_bernoulli_exp_wide(DpRandom *random, dp_uint128 numerator,
					  uint64_t denominator, bool *result)
{
	*result = true;
	while (numerator > denominator)
	{
		DP_TRY(dp_bernoulli_exp_product(random, 1, 1, 1, 1, result));
		if (!*result)
			return DP_OK;
		numerator -= denominator;
	}
	return dp_bernoulli_exp(random, (uint64_t) numerator, denominator, result);
}

/*
 * The same count as above with B(g/2), B(g/3), B(g/4), ...: P(at least k) =
 * g^k / (k+1)!, so an even count has probability (1 - exp(-g)) / g.
 */
DpStatus
dp_bernoulli_phi(DpRandom *random, uint64_t numerator, uint64_t denominator,
				 bool *result)
{
	bool even = true;
	uint64_t k;

	for (k = 2;; k++)
	{
		bool success;

		DP_TRY(dp_bernoulli(random, 1, k, &success));
		if (success)
			DP_TRY(dp_bernoulli(random, numerator, denominator, &success));
		if (!success)
			break;
		even = !even;
	}
	*result = even;
	return DP_OK;
}
