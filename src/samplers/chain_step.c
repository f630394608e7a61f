/*
 * chain_step.c
 *		Steps from discrete Laplace noise to wider discrete Laplace noise.
 */
#include <math.h>

#include "samplers/bernoulli.h"
#include "samplers/geometric.h"
#include "samplers/chain_step.h"

/*
 * One round for y <= 1: true with probability (1 - exp(-x)) / y, false with
 * (exp(-x) - exp(-y)) / y, else undecided. The two add up to
 * (1 - exp(-y)) / y, which is at least 0.63.
 */
static DpStatus
small_round(DpRandom *random, uint64_t low, uint64_t high, uint64_t t,
			bool *decided, bool *result)
{
	DP_TRY(dp_bernoulli(random, low, high, result));
	if (*result)
		return dp_bernoulli_phi(random, low, t, decided);
	DP_TRY(dp_bernoulli_exp(random, low, t, decided));
	if (*decided)
		DP_TRY(dp_bernoulli_phi(random, high - low, t, decided));
	return DP_OK;
}

/*
 * One round for y > 1: true with probability 1 - exp(-x), false with
 * exp(-x) - exp(-y), else, with exp(-y), undecided.
 */
static DpStatus
large_round(DpRandom *random, uint64_t low, uint64_t high, uint64_t t,
			bool *decided, bool *result)
{
	bool beyond;

	DP_TRY(dp_bernoulli_exp(random, low, t, &beyond));
	*decided = *result = !beyond;
	if (beyond)
	{
		DP_TRY(dp_bernoulli_exp(random, high - low, t, &beyond));
		*decided = !beyond;
	}
	return DP_OK;
}

DpStatus
dp_chain_step_coin(DpRandom *random, uint64_t low, uint64_t high, uint64_t t,
				   bool *result)
{
	bool decided;

	do
	{
		if (high <= t)
			DP_TRY(small_round(random, low, high, t, &decided, result));
		else
			DP_TRY(large_round(random, low, high, t, &decided, result));
	} while (!decided);
	return DP_OK;
}

/* W1, or W2 */
static DpStatus
draw_part(DpRandom *random, uint64_t low, uint64_t high, uint64_t t,
		  dp_int128 *part)
{
	dp_uint128 more;
	bool zero;

	*part = 0;
	DP_TRY(dp_chain_step_coin(random, low, high, t, &zero));
	if (zero)
		return DP_OK;
	DP_TRY(dp_geometric_draw(random, low, t, &more));
	*part = (dp_int128) more + 1;
	return DP_OK;
}

DpStatus
dp_chain_step_draw(DpRandom *random, uint64_t low, uint64_t high, uint64_t t,
				   dp_int128 *value)
{
	dp_int128 down;

	DP_TRY(draw_part(random, low, high, t, value));
	DP_TRY(draw_part(random, low, high, t, &down));
	*value -= down;
	return DP_OK;
}

/*
 * With c = a - h and g = (1-a)/(1-h): P(0) = g^2 (1 + c^2/(1-a^2)), and
 * P(w) = g^2 c (a^(w-1) + c a^w/(1-a^2)) for w > 0.
 */
double
dp_chain_step_pmf(uint64_t low, uint64_t high, uint64_t t, double w)
{
	double x = (double) low / (double) t;
	double y = (double) high / (double) t;
	double g = expm1(-x) / expm1(-y);
	double c = -exp(-x) * expm1(-(double) (high - low) / (double) t);
	double ends = c / -expm1(-2 * x); /* c / (1 - a^2) */

	w = fabs(w);
	if (w == 0)
		return g * g * (1 + c * ends);
	return g * g * c * (exp(-x * (w - 1)) + ends * exp(-x * w));
}
