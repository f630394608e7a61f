/*
 * test_group_threshold.c
 *		Thresholds for groups: least, safe, and what they give away.
 */
#include <math.h>

#include "mechanisms/group_threshold.h"
#include "support/random_fixed.h"
#include "support/statistic.h"
#include "support/tap.h"

static TestRandom source;

static DpContribution
in_groups(uint32_t groups)
{
	return (DpContribution){DP_ADD_REMOVE, 1, groups};
}

/* Noise of a count of units, each of which is in at most so many groups. */
static DpNoise
prepare(double epsilon, uint64_t sensitivity, DpContribution contribution)
{
	DpMechanismChoice choice = {.mechanism = DP_GEOMETRIC};
	DpNoise noise = {0};
	DpEpsilon units = {0};

	dp_epsilon_from_double(epsilon, &units);
	dp_noise_init_groups(&noise, &choice, units, sensitivity, contribution);
	return noise;
}

static dp_int128
delta_of(double delta)
{
	return (dp_int128) rint(delta * 1e18) * 1000000;
}

static int64_t
threshold_of(double epsilon, double delta, uint32_t groups)
{
	DpContribution contribution = in_groups(groups);
	DpNoise noise = prepare(epsilon, 1, contribution);
	int64_t threshold = 0;

	if (dp_group_threshold(&noise, 1, delta_of(delta), contribution,
						   &threshold) != DP_OK)
		return -1;
	return threshold;
}

/* log P(X >= k), k >= 1 */
static double
log_tail(const DpNoise *noise, double k)
{
	double x = (double) noise->s / (double) noise->t;

	return -k * x - log1p(exp(-x));
}

/* The threshold is the least one: against the closed form in doubles. */
static void
test_least(void)
{
	static const double epsilons[] = {1e-6, 0.001, 0.1, 0.5, 1, 3, 20, 1e6};
	static const double deltas[] = {1e-18, 1e-9, 1e-6, 0.001, 0.1, 0.4};
	static const uint32_t groups[] = {1, 2, 10, 1000, 2147483647};
	size_t i;
	size_t j;
	size_t l;
	int wrong = 0;

	for (i = 0; i < sizeof(epsilons) / sizeof(epsilons[0]); i++)
		for (j = 0; j < sizeof(deltas) / sizeof(deltas[0]); j++)
			for (l = 0; l < sizeof(groups) / sizeof(groups[0]); l++)
			{
				DpNoise noise = prepare(epsilons[i], 1, in_groups(groups[l]));
				int64_t threshold =
					threshold_of(epsilons[i], deltas[j], groups[l]);
				double limit = log(deltas[j] / groups[l]);
				double k = (double) threshold - 1;

				/* doubles are right to about 1e-13 of k here */
				if (threshold < 2 ||
					log_tail(&noise, k * (1 + 1e-12)) > limit ||
					(k > 1 && log_tail(&noise, (k - 1) * (1 - 1e-12)) <= limit))
				{
					wrong++;
					diag("epsilon %g, delta %g, %u groups: %lld", epsilons[i],
						 deltas[j], groups[l], (long long) threshold);
				}
			}
	is_int(wrong, 0, "the least threshold");
}

/*
 * Units of very many rows in very many groups: k times the exponent of the ratio
 * has more than 64 bits. Nothing but the sensitivity of them all decides.
 */
static void
test_wide(void)
{
	static const uint32_t rows[] = {2147483647, 2147483646, 1 << 20, 3};
	static const uint32_t groups[] = {1, 3, 2048, 1000000, 2147483647};
	static const double epsilons[] = {1e-5, 0.1, 1, 9.7, 1000};
	int wrong = 0;
	size_t i;
	size_t j;
	size_t e;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (j = 0; j < sizeof(groups) / sizeof(groups[0]); j++)
			for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
			{
				DpContribution contribution = {DP_ADD_REMOVE, rows[i],
											   groups[j]};
				DpNoise noise = prepare(epsilons[e], rows[i], contribution);
				double total = (double) rows[i] * groups[j];
				int64_t threshold = 0;
				DpStatus status =
					noise.t == 0
						? DP_EPSILON_OUT_OF_RANGE
						: dp_group_threshold(&noise, rows[i], delta_of(1e-6),
											 contribution, &threshold);
				double k = (double) threshold - rows[i];

				/* At least 13 scales, and at most 37; up to 2^62 in all. */
				if (status == DP_OK)
					wrong += k < total / epsilons[e] * 13 ||
							 log_tail(&noise, k * (1 + 1e-12)) >
								 log(1e-6 / groups[j]);
				else
					wrong += total / epsilons[e] * 37 < 0x1p62;
			}
	is_int(wrong, 0, "units of very many rows in very many groups");
}

/* By hand: a = exp(-1), P(X >= k) = exp(-k) / (1 + exp(-1)). */
static void
test_known(void)
{
	DpContribution contribution = in_groups(1);
	DpNoise noise = prepare(1, 1, contribution);
	DpContribution rows = {DP_ADD_REMOVE, 5, 3};
	DpNoise wide = prepare(1, 5, rows);
	int64_t threshold = 0;

	/* exp(-14) / 1.3679 = 6.08e-7, exp(-13) / 1.3679 = 1.65e-6 */
	is_int(threshold_of(1, 1e-6, 1), 15, "epsilon 1, delta 1e-6");
	/* P(X >= 1) = 0.2689 */
	is_int(threshold_of(1, 0.2690, 1), 2, "just enough");
	is_int(threshold_of(1, 0.2689, 1), 3, "just not");
	is_int(threshold_of(1, 0.9, 1), 2, "never below two");
	/* noise with a = exp(-1/15), 5 rows and 1e-6 / 3 in each of 3 groups */
	is_int(dp_group_threshold(&wide, 5, delta_of(1e-6), rows, &threshold),
		   DP_OK, "units of rows");
	is_int(threshold,
		   5 + (long long) ceil(15 * (log(3e6) - log1p(exp(-1.0 / 15)))),
		   "units of five rows in three groups");
	is_int(dp_group_threshold(&noise, 1, 1, contribution, &threshold), DP_OK,
		   "the least delta");
	is_int(threshold, 1 + 55, "and its threshold"); /* 24 ln 10 - 0.31 = 54.9 */
}

/* By big rationals, for noise of extreme ratios. */
static void
test_extreme(void)
{
	static const struct
	{
		uint64_t s;
		uint32_t groups;
		double delta;
		long long k;
	} cases[] = {
		{((uint64_t) 1 << 20) - 1, 1, 1e-6, 57712819508667},
		{(uint64_t) 1 << 20, 100, 1e-6, 77966517138958},
		{((uint64_t) 1 << 39) + 1, 20, 1e-9, 193154838},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpNoise noise = {.mechanism = DP_GEOMETRIC,
						 .quantum = 1,
						 .s = cases[i].s,
						 .t = (uint64_t) 1 << 62};
		int64_t threshold = 0;

		is_int(dp_group_threshold(&noise, 1, delta_of(cases[i].delta),
								  in_groups(cases[i].groups), &threshold),
			   DP_OK, "an extreme ratio");
		is_int(threshold - 1, cases[i].k, "and its threshold");
	}
}

static void
test_parameters(void)
{
	DpContribution contribution = in_groups(1);
	DpNoise noise = prepare(1, 1, contribution);
	DpMechanismChoice choice = {.mechanism = DP_GEOMETRIC, .quantum = 2};
	DpEpsilon epsilon = {DP_EPSILON_ONE};
	DpNoise other;
	int64_t threshold;

	is_int(dp_group_threshold(&noise, 1, 0, contribution, &threshold),
		   DP_PARAMETER_OUT_OF_RANGE, "delta 0");
	is_int(dp_group_threshold(&noise, 1, -1, contribution, &threshold),
		   DP_PARAMETER_OUT_OF_RANGE, "delta below 0");
	is_int(dp_group_threshold(&noise, 1, DP_DELTA_ONE + 1, contribution,
							  &threshold),
		   DP_PARAMETER_OUT_OF_RANGE, "delta above 1");
	is_int(dp_group_threshold(&noise, 1, 1, in_groups(0), &threshold),
		   DP_PARAMETER_OUT_OF_RANGE, "no groups");
	is_int(dp_group_threshold(&noise, 0, 1, contribution, &threshold),
		   DP_PARAMETER_OUT_OF_RANGE, "units of no rows");
	dp_noise_init(&other, &choice, epsilon, 1);
	is_int(dp_group_threshold(&other, 1, 1, contribution, &threshold),
		   DP_MECHANISM_NOT_APPLICABLE, "a quantum");
	choice = (DpMechanismChoice){.mechanism = DP_STAIRCASE};
	dp_noise_init(&other, &choice, epsilon, 2);
	is_int(dp_group_threshold(&other, 1, 1, contribution, &threshold),
		   DP_MECHANISM_NOT_APPLICABLE, "a staircase");
}

/* How often at least one of so many groups of one unit alone is shown. */
static double
rate_shown(double epsilon, double delta, uint32_t groups, int runs)
{
	DpNoise noise = prepare(epsilon, 1, in_groups(groups));
	int64_t threshold = threshold_of(epsilon, delta, groups);
	int shown = 0;
	int run;

	for (run = 0; run < runs; run++)
	{
		bool any = false;
		uint32_t group;

		for (group = 0; group < groups; group++)
		{
			dp_int128 value = 0;

			dp_noise_add(&source.random, &noise, 1, &value);
			any |= value >= threshold;
		}
		shown += any;
	}
	return (double) shown / runs;
}

/*
 * Data sets that differ by one unit differ in the groups shown with at most
 * delta, and nearly that: no less noise, no lower threshold would do.
 */
static void
test_delta(void)
{
	enum
	{
		RUNS = 200000
	};
	static const struct
	{
		double epsilon;
		double delta;
		uint32_t groups;
	} cases[] = {{1, 0.1, 1}, {0.1, 0.05, 1}, {1, 0.2, 4}, {0.5, 0.01, 10}};
	size_t i;

	random_seeded(&source, 20260805);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpNoise noise =
			prepare(cases[i].epsilon, 1, in_groups(cases[i].groups));
		int64_t threshold =
			threshold_of(cases[i].epsilon, cases[i].delta, cases[i].groups);
		double one = exp(log_tail(&noise, (double) threshold - 1));
		double expected = 1 - pow(1 - one, cases[i].groups);
		double rate =
			rate_shown(cases[i].epsilon, cases[i].delta, cases[i].groups, RUNS);
		double deviation = sqrt(expected * (1 - expected) / RUNS);

		ok(expected <= cases[i].delta,
		   "epsilon %g, delta %g, %u groups: %g is no more than delta",
		   cases[i].epsilon, cases[i].delta, cases[i].groups, expected);
		/* 6.5 standard deviations: false alarms below 1e-10 */
		is_double(rate, expected, 6.5 * deviation, "as often in %d runs", RUNS);
	}
}

/*
 * Groups of several units: shown or not, the probabilities under neighbours
 * are within exp(epsilon / groups) of each other, either way.
 */
static void
test_epsilon(void)
{
	static const uint32_t groups[] = {1, 3};
	size_t i;

	for (i = 0; i < 2; i++)
	{
		DpNoise noise = prepare(1, 1, in_groups(groups[i]));
		int64_t threshold = threshold_of(1, 1e-4, groups[i]);
		double worst = 0;
		int64_t units;

		for (units = 1; units < 3 * threshold; units++)
		{
			double shown = 0;
			double more = 0;
			double hidden = 0;
			double less = 0;
			int64_t x;

			for (x = -20 * threshold; x <= 20 * threshold; x++)
			{
				double p = dp_noise_pmf(&noise, (double) x);

				*(units + x >= threshold ? &shown : &hidden) += p;
				*(units + 1 + x >= threshold ? &more : &less) += p;
			}
			worst = fmax(worst, fmax(log(more / shown), log(hidden / less)));
		}
		ok(worst <= 1.0 / groups[i] + 1e-9,
		   "a unit in %u groups: each loses %g of epsilon 1", groups[i], worst);
	}
}

int
main(void)
{
	test_least();
	test_wide();
	test_known();
	test_extreme();
	test_parameters();
	test_delta();
	test_epsilon();
	return done_testing();
}
