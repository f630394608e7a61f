/*
 * discrete_gaussian.c
 *		Exact draws by rejection from the discrete Laplace distribution.
 */
#include <math.h>

#include "samplers/bernoulli.h"
#include "samplers/discrete_gaussian.h"
#include "samplers/geometric.h"

/*
 * True with probability exp(-(d/sigma)^2 / 2). With d = q sigma + r the
 * exponent is q^2/2 + q r/sigma + r^2/(2 sigma^2), each part small enough for
 * 64-bit fractions.
 */
static DpStatus
accept(DpRandom *random, dp_uint128 d, uint64_t sigma, bool *result)
{
	uint64_t q = (uint64_t) (d / sigma);
	uint64_t r = (uint64_t) (d % sigma);
	uint64_t i;

	*result = true;
	for (i = 0; i < q && *result; i++)
	{
		DP_TRY(dp_bernoulli_exp(random, q, 2, result));
		if (*result)
			DP_TRY(dp_bernoulli_exp(random, r, sigma, result));
	}
	if (*result)
		DP_TRY(
			dp_bernoulli_exp_product(random, r, sigma, r, 2 * sigma, result));
	return DP_OK;
}

DpStatus
dp_discrete_gaussian_draw(DpRandom *random, uint64_t sigma, dp_int128 *value)
{
	bool accepted;

	if (sigma < 1 || sigma > DP_SIGMA_MAX)
		return DP_PARAMETER_OUT_OF_RANGE;
	do
	{
		dp_uint128 magnitude;

		DP_TRY(dp_discrete_laplace_draw(random, 1, sigma, value));
		magnitude = dp_int128_abs(*value);
		DP_TRY(accept(random,
					  magnitude > sigma ? magnitude - sigma : sigma - magnitude,
					  sigma, &accepted));
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
