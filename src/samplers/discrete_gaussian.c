/*
 * discrete_gaussian.c
 *		Exact draws by rejection from the discrete Laplace distribution.
 */
#include <math.h>

#include "samplers/bernoulli.h"
#include "samplers/discrete_gaussian.h"
#include "samplers/geometric.h"

/*
 * True with probability exp(-(d/p)^2 / 2). With d = q p + r the exponent is
 * q^2/2 + q r/p + r^2/(2 p^2), each part small enough for 64-bit fractions.
 */
static DpStatus
accept(DpRandom *random, dp_uint128 d, uint64_t p, bool *result)
{
	uint64_t q = (uint64_t) (d / p);
	uint64_t r = (uint64_t) (d % p);
	uint64_t i;

	*result = true;
	for (i = 0; i < q && *result; i++)
	{
		DP_TRY(dp_bernoulli_exp(random, q, 2, result));
		if (*result)
			DP_TRY(dp_bernoulli_exp(random, r, p, result));
	}
	if (*result)
		DP_TRY(dp_bernoulli_exp_product(random, r, p, r, 2 * p, result));
	return DP_OK;
}

/*
 * With sigma = p/q, y is drawn in proportion to exp(-|y| q/p) and accepted with
 * exp(-(d/p)^2 / 2), d = | |y| q - p |: the exponents add up to y^2 / (2 sigma^2)
 * and 1/2. |y| q is at most p times the coins of probability exp(-1) that came
 * up, and one more.
 */
DpStatus
dp_discrete_gaussian_draw(DpRandom *random, DpSigma sigma, dp_int128 *value)
{
	uint64_t p = sigma.numerator;
	uint64_t q = sigma.denominator;
	bool accepted;

	if (p < 1 || p > DP_SIGMA_MAX || q < 1 || q > DP_SIGMA_MAX)
		return DP_PARAMETER_OUT_OF_RANGE;
	do
	{
		dp_uint128 scaled;

		DP_TRY(dp_discrete_laplace_draw(random, q, p, value));
		scaled = dp_int128_abs(*value) * q;
		DP_TRY(
			accept(random, scaled > p ? scaled - p : p - scaled, p, &accepted));
	} while (!accepted);
	return DP_OK;
}

double
dp_discrete_gaussian_pmf(double sigma, double z)
{
	double total = sigma * sqrt(2 * acos(-1.0));
	int k;

	/* By Poisson summation the total is that but for 2 exp(-2 pi^2 sigma^2). */
	if (sigma < 8)
	{
		total = 1;
		for (k = 1; k < 40 * sigma; k++)
			total += 2 * exp(-0.5 * (k / sigma) * (k / sigma));
	}
	return exp(-0.5 * (z / sigma) * (z / sigma)) / total;
}
