/*
 * test_discrete_gaussian.c
 *		Discrete Gaussian draws.
 */
#include <math.h>
#include <stdio.h>

#include "samplers/discrete_gaussian.h"
#include "support/random_fixed.h"
#include "support/sample.h"

static DpStatus
draw(DpRandom *random, const void *context, dp_int128 *value)
{
	return dp_discrete_gaussian_draw(random, *(const uint64_t *) context,
									 value);
}

static double
pmf(const void *context, double z)
{
	return dp_discrete_gaussian_pmf((double) *(const uint64_t *) context, z);
}

/*
 * P(Z <= z) for a large sigma is that of the continuous distribution at
 * z + 1/2, but for about 1/(24 sigma^2).
 */
static double
below(const void *context, double z)
{
	double sigma = (double) *(const uint64_t *) context;

	return erfc(-(z + 0.5) / (sigma * sqrt(2.0))) / 2;
}

/* The textbook definition, in long doubles. */
static long double
naive_pmf(double sigma, double z)
{
	long double total = 1;
	int k;

	for (k = 1; k < 60 * sigma; k++)
		total += 2 * expl(-0.5L * (k / (long double) sigma) *
						  (k / (long double) sigma));
	return expl(-0.5L * (z / (long double) sigma) * (z / (long double) sigma)) /
		   total;
}

static void
test_distributions(void)
{
	static const uint64_t narrow[] = {1, 2, 3, 4, 7, 8, 10, 33};
	static const uint64_t wide[] = {1000, 1000003, (uint64_t) 1 << 20,
									(uint64_t) 1 << 40, DP_SIGMA_MAX};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 21);
	char name[128];
	size_t g;

	for (g = 0; g < sizeof(narrow) / sizeof(narrow[0]); g++)
	{
		snprintf(name, sizeof(name), "sigma %d", (int) narrow[g]);
		sample_fits(random, draw, pmf, &narrow[g], 200, 300000, name);
	}
	for (g = 0; g < sizeof(wide) / sizeof(wide[0]); g++)
	{
		snprintf(name, sizeof(name), "sigma %g", (double) wide[g]);
		sample_fits_binned(random, draw, below, &wide[g], (double) wide[g] / 8,
						   300000, name);
	}
}

static void
test_pmf(void)
{
	static const double sigmas[] = {0.3, 1, 2, 5, 7.99, 8, 9, 40};
	size_t g;
	int z;

	for (g = 0; g < sizeof(sigmas) / sizeof(sigmas[0]); g++)
	{
		double worst = 0;

		for (z = 0; z < 6 * sigmas[g] + 2; z++)
		{
			double expected = (double) naive_pmf(sigmas[g], z);

			worst = fmax(
				worst,
				fabs(dp_discrete_gaussian_pmf(sigmas[g], z) / expected - 1));
			worst = fmax(
				worst,
				fabs(dp_discrete_gaussian_pmf(sigmas[g], -z) / expected - 1));
		}
		is_double(worst, 0, 1e-13, "pmf of sigma %g", sigmas[g]);
	}
}

static void
test_limits(void)
{
	TestRandom source;
	DpRandom *random = random_seeded(&source, 22);
	dp_int128 value;

	is_int(dp_discrete_gaussian_draw(random, 0, &value),
		   DP_PARAMETER_OUT_OF_RANGE, "sigma 0");
	is_int(dp_discrete_gaussian_draw(random, DP_SIGMA_MAX + 1, &value),
		   DP_PARAMETER_OUT_OF_RANGE, "sigma above the limit");
	is_int((long long) random_consumed(&source), 0, "they take no words");
}

/*
 * sigma = 1: the proposal is discrete Laplace of scale 1 (test_geometric.c)
 * and d = |y| - 1 is accepted with exp(-d^2/2): 1 always; 0 and 2, whose d is
 * 1, with one coin exp(-1/2), which is true on {TOP}, false on {0, TOP}.
 */
static void
test_words(void)
{
#define TOP ((uint64_t) 1 << 63)
#define ONES (~(uint64_t) 0)
	static const struct
	{
		uint64_t words[12];
		size_t used;
		int expected;
	} cases[] = {
		{{0, 7, 0, ONES, TOP}, 5, 1},
		{{1, 7, 0, ONES, TOP}, 5, -1},
		{{0, 7, TOP, TOP}, 4, 0},
		{{1, 7, 0, ONES, 0, ONES, TOP, TOP}, 8, -2},
		{{0, 7, TOP, 0, TOP, 1, 7, 0, ONES, TOP}, 10, -1},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		TestRandom source;
		dp_int128 value;
		DpStatus status = dp_discrete_gaussian_draw(
			random_words(&source, cases[i].words, 12), 1, &value);

		ok(status == DP_OK && value == cases[i].expected &&
			   random_consumed(&source) == cases[i].used,
		   "words of a discrete Gaussian draw, case %zu", i);
	}
}

int
main(void)
{
	test_distributions();
	test_pmf();
	test_limits();
	test_words();
	return done_testing();
}
