/*
 * test_random_failure.c
 *		A source that fails is an error everywhere, whenever it fails.
 *
 * Every sampler and mechanism runs on sources that fail after 0, 1, 2, ...
 * words until one suffices: each run before that must say DP_RANDOM_FAILED,
 * ask the source no more than once, and leave the pool empty.
 */
#include "mechanisms/extreme.h"
#include "mechanisms/mean.h"
#include "mechanisms/quantile.h"
#include "samplers/bernoulli.h"
#include "samplers/discrete_gaussian.h"
#include "samplers/geometric.h"
#include "samplers/chain_step.h"
#include "support/random_fixed.h"
#include "support/tap.h"

static const DpEpsilon one = {DP_EPSILON_ONE};
static const DpEpsilon half = {DP_EPSILON_ONE / 2};
static int64_t values[8] = {3, 1, 4, 1, 5, 9, 2, 6};

static const DpGrid grid = {
	.lower = 0, .upper = 10, .scale = 1, .lower_double = 0, .upper_double = 10};

static DpStatus
run_word(DpRandom *random)
{
	uint64_t word;

	return dp_random_word(random, &word);
}

static DpStatus
run_below(DpRandom *random)
{
	uint64_t value;

	return dp_random_below(random, ((uint64_t) 1 << 63) + 1, &value);
}

static DpStatus
run_bernoulli(DpRandom *random)
{
	bool result;

	return dp_bernoulli(random, 1, 3, &result);
}

static DpStatus
run_bernoulli_exp(DpRandom *random)
{
	bool result;

	return dp_bernoulli_exp(random, 7, 2, &result);
}

static DpStatus
run_bernoulli_exp_product(DpRandom *random)
{
	bool result;

	return dp_bernoulli_exp_product(random, 5, 7, 2, 3, &result);
}

static DpStatus
run_geometric(DpRandom *random)
{
	dp_uint128 value;

	return dp_geometric_draw(random, 1, 10, &value);
}

static DpStatus
run_laplace(DpRandom *random)
{
	dp_int128 value;

	return dp_discrete_laplace_draw(random, 1, 10, &value);
}

static DpStatus
run_chain(DpRandom *random)
{
	dp_int128 value;

	return dp_chain_step_draw(random, 1, 2, 4, &value);
}

static DpStatus
run_gaussian(DpRandom *random)
{
	dp_int128 value;

	return dp_discrete_gaussian_draw(random, (DpSigma){12, 5}, &value);
}

static DpStatus
run_staircase(DpRandom *random)
{
	DpStaircase staircase;
	dp_int128 value;

	DP_TRY(dp_staircase_init(&staircase, 10, 3, one, 1));
	return dp_staircase_draw(random, &staircase, &value);
}

static DpStatus
run_rank(DpRandom *random)
{
	DpRankMechanism mechanism;
	int64_t result;

	DP_TRY(dp_rank_init(&mechanism, DP_RANK_ONE / 2, one, 1));
	return dp_rank_draw(random, &mechanism, 4 * DP_RANK_ONE, values, 8, 0, 10,
						&result);
}

static DpStatus
run_noise(DpRandom *random, DpMechanism mechanism)
{
	DpMechanismChoice choice = {.mechanism = mechanism, .delta = 1e-6};
	DpNoise noise;
	dp_int128 value;

	DP_TRY(dp_noise_init(&noise, &choice, half, 10));
	return dp_noise_draw(random, &noise, &value);
}

static DpStatus
run_noise_auto(DpRandom *random)
{
	return run_noise(random, DP_AUTO);
}

static DpStatus
run_noise_laplace(DpRandom *random)
{
	return run_noise(random, DP_LAPLACE);
}

static DpStatus
run_noise_gaussian(DpRandom *random)
{
	return run_noise(random, DP_GAUSSIAN);
}

static DpStatus
run_mean(DpRandom *random)
{
	DpMechanismChoice choice = {.mechanism = DP_AUTO};
	DpMean mean;
	DpFraction fraction;

	DP_TRY(dp_mean_init(&mean, &choice, one, &grid,
						dp_contribution_of_row(DP_ADD_REMOVE)));
	return dp_mean_draw(random, &mean, 31, 8, &fraction);
}

static DpStatus
run_quantile(DpRandom *random)
{
	DpQuantile quantile;
	int64_t result;

	DP_TRY(dp_quantile_init(&quantile, 0.5, one,
							dp_contribution_of_row(DP_ADD_REMOVE)));
	return dp_quantile_draw(random, &quantile, values, 8, 0, 10, &result);
}

static DpStatus
run_extreme(DpRandom *random, DpMechanism mechanism)
{
	DpMechanismChoice choice = {.mechanism = mechanism, .rank = -1};
	DpExtreme extreme;
	int64_t result;

	DP_TRY(dp_extreme_init(&extreme, &choice, one, &grid,
						   dp_contribution_of_row(DP_ADD_REMOVE)));
	return dp_extreme_draw(random, &extreme, values, 8, 0, 10, &result);
}

static DpStatus
run_above_threshold(DpRandom *random)
{
	return run_extreme(random, DP_ABOVE_THRESHOLD);
}

static DpStatus
run_exponential(DpRandom *random)
{
	return run_extreme(random, DP_EXPONENTIAL);
}

static DpStatus
run_additive(DpRandom *random)
{
	return run_extreme(random, DP_STAIRCASE);
}

static const struct
{
	const char *name;
	DpStatus (*run)(DpRandom *random);
} all[] = {
	{"word", run_word},
	{"uniform integer", run_below},
	{"coin", run_bernoulli},
	{"exponential coin", run_bernoulli_exp},
	{"exponential coin of a product", run_bernoulli_exp_product},
	{"geometric", run_geometric},
	{"discrete Laplace", run_laplace},
	{"chain", run_chain},
	{"discrete Gaussian", run_gaussian},
	{"staircase, lazily", run_staircase},
	{"rank draw, lazily", run_rank},
	{"noise, auto", run_noise_auto},
	{"noise, laplace", run_noise_laplace},
	{"noise, gaussian", run_noise_gaussian},
	{"mean", run_mean},
	{"quantile", run_quantile},
	{"maximum above a threshold", run_above_threshold},
	{"maximum by rank", run_exponential},
	{"maximum with noise", run_additive},
};

int
main(void)
{
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
	{
		bool good = true;
		long failures = 0;
		uint64_t seed;

		for (seed = 1; seed <= 100; seed++)
		{
			TestRandom source;
			uint64_t count;
			DpStatus status = DP_RANDOM_FAILED;

			for (count = 0; count < DP_RANDOM_WORDS && status != DP_OK; count++)
			{
				random_failing_after(&source, seed, count);
				status = all[i].run(&source.random);
				if (status == DP_OK)
					break;
				failures++;
				good = good && status == DP_RANDOM_FAILED &&
					   source.fills == 1 && source.pool.left == 0 &&
					   random_consumed(&source) == count;
			}
			/* it succeeded with the last word that it was given */
			good = good && status == DP_OK &&
				   random_consumed(&source) == count && source.fills == 0;
		}
		ok(good && failures > 0, "%s", all[i].name);
	}
	return done_testing();
}
