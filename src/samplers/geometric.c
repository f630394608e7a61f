/*
 * geometric.c
 *		Geometric and discrete Laplace draws.
 */
#include <math.h>

#include "samplers/bernoulli.h"
#include "samplers/geometric.h"

/*
 * A geometric number with ratio exp(-1/t) is u + t*v, where u < t is accepted
 * with probability exp(-u/t) and v counts coins of probability exp(-1); every
 * s-th of its values gives the ratio exp(-s/t).
 */
DpStatus
dp_geometric_draw(DpRandom *random, uint64_t s, uint64_t t, dp_uint128 *value)
{
	uint64_t u;
	dp_uint128 v = 0;
	bool success;

	do
	{
		DP_TRY(dp_random_below(random, t, &u));
		DP_TRY(dp_bernoulli_exp(random, u, t, &success));
	} while (!success);

	for (;;)
	{
		DP_TRY(dp_bernoulli_exp(random, 1, 1, &success));
		if (!success)
			break;
		v++;
	}
	*value = (u + t * v) / s;
	return DP_OK;
}

DpStatus
dp_discrete_laplace_draw(DpRandom *random, uint64_t s, uint64_t t,
						 dp_int128 *value)
{
	for (;;)
	{
		uint64_t sign;
		dp_uint128 magnitude;

		DP_TRY(dp_random_word(random, &sign));
		DP_TRY(dp_geometric_draw(random, s, t, &magnitude));
		if (magnitude == 0 && (sign & 1))
			continue; /* zero is counted for one sign only */
		*value = (sign & 1) ? -(dp_int128) magnitude : (dp_int128) magnitude;
		return DP_OK;
	}
}

double
dp_discrete_laplace_pmf(uint64_t s, uint64_t t, double z)
{
	double x = (double) s / (double) t;

	/* (1-a)/(1+a) = tanh(x/2) */
	return tanh(x / 2) * exp(-x * fabs(z));
}
