/*
 * test_truncated_count.c
 *		Counts with noise that ends: least thresholds, draws, and what they give away.
 */
#include <math.h>

#include "mechanisms/group_threshold.h"
#include "mechanisms/truncated_count.h"
#include "support/random_fixed.h"
#include "support/statistic.h"
#include "support/tap.h"

static TestRandom source;

static dp_int128
delta_of(double delta)
{
	return (dp_int128) rint(delta * 1e18) * 1000000;
}

static DpNoise
prepare(double epsilon, DpContribution contribution)
{
	DpMechanismChoice choice = {.mechanism = DP_GEOMETRIC};
	DpChange change = {1, 1, 1};
	DpNoise noise = {0};
	DpEpsilon units = {0};

	dp_epsilon_from_double(epsilon, &units);
	dp_noise_init_change(&noise, &choice, units, &change, contribution);
	return noise;
}

static long long
threshold_of(double epsilon, double delta, DpContribution contribution)
{
	DpNoise noise = prepare(epsilon, contribution);
	int64_t threshold = 0;

	if (dp_truncated_count_threshold(&noise, delta_of(delta), contribution,
									 &threshold) != DP_OK)
		return -1;
	return threshold;
}

/* Against 80 digits of decimals; beside those of noise that does not end. */
static void
test_known(void)
{
	static const struct
	{
		double epsilon;
		double delta;
		DpContribution contribution;
		long long threshold;
		long long endless;
	} cases[] = {
		{0.01, 1e-6, {DP_ADD_REMOVE, 1, 1}, 853, 1314},
		{0.1, 1e-6, {DP_ADD_REMOVE, 1, 1}, 110, 133},
		{0.5, 1e-6, {DP_ADD_REMOVE, 1, 1}, 26, 28},
		{1, 1e-6, {DP_ADD_REMOVE, 1, 1}, 15, 15},
		{1, 1e-6, {DP_ADD_REMOVE, 1, 2}, 28, 30},
		{0.1, 1e-6, {DP_SUBSTITUTE, 1, 1}, 218, 264},
		{1, 1e-6, {DP_ADD_REMOVE, 1, 20}, 264, 324},
		{1, 0.12, {DP_ADD_REMOVE, 1, 4}, 8, 13},
		{1, 1, {DP_ADD_REMOVE, 1, 1}, 2, 2},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpNoise noise = prepare(cases[i].epsilon, cases[i].contribution);
		int64_t endless = 0;

		is_int(threshold_of(cases[i].epsilon, cases[i].delta,
							cases[i].contribution),
			   cases[i].threshold, "epsilon %g, delta %g, %u groups",
			   cases[i].epsilon, cases[i].delta, cases[i].contribution.groups);
		dp_group_threshold(&noise, 1, delta_of(cases[i].delta),
						   cases[i].contribution, &endless);
		is_int(endless, cases[i].endless, "and of noise that does not end");
	}
}

/* P(shown) of a group of n units. */
static double
shown(const DpNoise *noise, int64_t k, int64_t n)
{
	double all = 0;
	double some = 0;
	int64_t x;

	for (x = -k; x <= k; x++)
	{
		double p = dp_noise_pmf(noise, (double) x);

		all += p;
		some += n + x > k ? p : 0;
	}
	return some / all;
}

/*
 * One group: whether it is shown is (epsilon/N, delta/N)-DP, enumerated over all
 * numbers of units; with a lesser k it is not. Where delta/N is P(X = k) the best of
 * all such rules shows it as often: the recursion of Desfontaines et al.
 */
static void
test_privacy(void)
{
	static const struct
	{
		double epsilon;
		double delta;
		DpContribution contribution;
	} cases[] = {{1, 0.01, {DP_ADD_REMOVE, 1, 1}},
				 {0.1, 1e-4, {DP_ADD_REMOVE, 1, 1}},
				 {0.3, 0.05, {DP_ADD_REMOVE, 1, 3}},
				 {2, 1e-6, {DP_SUBSTITUTE, 1, 2}}};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpContribution contribution = cases[i].contribution;
		DpNoise noise = prepare(cases[i].epsilon, contribution);
		double parts = (double) dp_contribution_parts(contribution);
		double ratio = exp((double) noise.s / (double) noise.t);
		double delta = cases[i].delta / parts;
		int64_t k =
			threshold_of(cases[i].epsilon, cases[i].delta, contribution) - 1;
		double exact = shown(&noise, k, 1);
		double best = 0;
		double worst = 0;
		double off = 0;
		int64_t n;

		for (n = 0; n < 2 * k + 3; n++)
		{
			double p = shown(&noise, k, n);
			double q = shown(&noise, k, n + 1);

			worst = fmax(worst, fmax(q - ratio * p, p - ratio * q));
			worst = fmax(worst, (1 - p) - ratio * (1 - q));
			worst = fmax(worst, (1 - q) - ratio * (1 - p));
			off = fmax(off, fabs(p - best));
			best = fmin(
				fmin(ratio * best + exact, 1 - (1 - best - exact) / ratio), 1);
		}
		is_double(shown(&noise, k, 0), 0, 0, "a group of nobody is not shown");
		ok(worst <= delta * (1 + 1e-9), "delta is %g, at most %g", worst,
		   delta);
		ok(shown(&noise, k - 1, 1) > delta,
		   "and more if noise ends one earlier");
		is_double(off, 0, 1e-9, "no rule shows groups more often");
	}
}

/* Draws have that law. */
static void
test_draws(void)
{
	enum
	{
		RUNS = 200000,
		K = 7
	};
	DpContribution contribution = {DP_ADD_REMOVE, 1, 1};
	DpNoise noise = prepare(0.3, contribution);
	int64_t n;

	random_seeded(&source, 20260806);
	for (n = 0; n <= 2 * K + 1; n += 3)
	{
		double expected = shown(&noise, K, n);
		int passed = 0;
		int beyond = 0;
		int run;

		for (run = 0; run < RUNS; run++)
		{
			dp_int128 count = 0;

			dp_truncated_count_add(&source.random, &noise, K, n, &count);
			passed += count > K;
			beyond += count < n - K || count > n + K;
		}
		is_int(beyond, 0, "noise ends");
		/* 6.5 standard deviations: false alarms below 1e-10 */
		is_double((double) passed / RUNS, expected,
				  6.5 * sqrt(expected * (1 - expected) / RUNS),
				  "a group of %d is shown as often", (int) n);
	}
}

static void
test_parameters(void)
{
	DpContribution contribution = {DP_ADD_REMOVE, 1, 1};
	DpNoise noise = prepare(1, contribution);
	DpNoise other = {.mechanism = DP_STAIRCASE};
	DpContribution none = {DP_ADD_REMOVE, 1, 0};
	DpNoise faint = {.mechanism = DP_GEOMETRIC,
					 .quantum = 1,
					 .s = 1,
					 .t = (uint64_t) 1 << 62};
	int64_t threshold = 0;

	is_int(dp_truncated_count_threshold(&noise, 0, contribution, &threshold),
		   DP_PARAMETER_OUT_OF_RANGE, "delta 0");
	is_int(dp_truncated_count_threshold(&noise, DP_DELTA_ONE + 1, contribution,
										&threshold),
		   DP_PARAMETER_OUT_OF_RANGE, "delta above 1");
	is_int(dp_truncated_count_threshold(&noise, 1, none, &threshold),
		   DP_PARAMETER_OUT_OF_RANGE, "no groups");
	is_int(dp_truncated_count_threshold(&other, 1, contribution, &threshold),
		   DP_MECHANISM_NOT_APPLICABLE, "a staircase");
	is_int(dp_truncated_count_threshold(&faint, 1, contribution, &threshold),
		   DP_PARAMETER_OUT_OF_RANGE, "a threshold beyond 2^62");
	faint.s = (uint64_t) 1 << 32;
	is_int(dp_truncated_count_threshold(&faint, DP_DELTA_ONE / 100,
										contribution, &threshold),
		   DP_OK, "a delta above that of noise without an end");
	is_int(threshold, ((int64_t) 1 << 30) + 1,
		   "noise ends at its scale at least");
}

int
main(void)
{
	test_known();
	test_privacy();
	test_draws();
	test_parameters();
	return done_testing();
}
