/*
 * test_discrete_gaussian.c
 *		Discrete Gaussian draws.
 */
#include <math.h>
#include <stdio.h>

#include "samplers/discrete_gaussian.h"
#include "support/random_fixed.h"
#include "support/sample.h"

static double
sigma_of(const void *context)
{
	const DpSigma *sigma = context;

	return (double) sigma->numerator / (double) sigma->denominator;
}

static DpStatus
draw(DpRandom *random, const void *context, dp_int128 *value)
{
	return dp_discrete_gaussian_draw(random, *(const DpSigma *) context, value);
}

static double
pmf(const void *context, double z)
{
	return dp_discrete_gaussian_pmf(sigma_of(context), z);
}

/*
 * P(Z <= z) for a large sigma is that of the continuous distribution at
 * z + 1/2, but for about 1/(24 sigma^2).
 */
static double
below(const void *context, double z)
{
	double sigma = sigma_of(context);

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
	const uint64_t one = (uint64_t) 1 << 20;
	const DpSigma narrow[] = {{1, 1},
							  {2, 1},
							  {3, 1},
							  {4, 1},
							  {7, 1},
							  {8, 1},
							  {10, 1},
							  {33, 1},
							  {1, 2},
							  {3, 10},
							  {104, 100},
							  {17, 4},
							  {2, 3},
							  {5, 3},
							  {one + 1, one},
							  {one - 1, one},
							  {7 * one + 3, one},
							  {DP_SIGMA_MAX - 1, DP_SIGMA_MAX},
							  {DP_SIGMA_MAX, (uint64_t) 3 << 59},
							  {DP_SIGMA_MAX / 5, DP_SIGMA_MAX / 26}};
	const DpSigma wide[] = {{1000, 1},
							{1000003, 1},
							{1000003, 7},
							{one, 1},
							{(uint64_t) 1 << 40, 1},
							{((uint64_t) 1 << 60) + 1, one},
							{DP_SIGMA_MAX, 3},
							{DP_SIGMA_MAX, 1}};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 21);
	char name[128];
	size_t g;

	for (g = 0; g < sizeof(narrow) / sizeof(narrow[0]); g++)
	{
		snprintf(name, sizeof(name), "sigma %.10g", sigma_of(&narrow[g]));
		sample_fits(random, draw, pmf, &narrow[g], 200, 300000, name);
	}
	for (g = 0; g < sizeof(wide) / sizeof(wide[0]); g++)
	{
		snprintf(name, sizeof(name), "sigma %.10g", sigma_of(&wide[g]));
		sample_fits_binned(random, draw, below, &wide[g],
						   sigma_of(&wide[g]) / 8, 300000, name);
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

/* Published digits of the probability of 0, and of the variance. */
static void
test_known(void)
{
	static const struct
	{
		double sigma;
		double at_zero;
		double variance;
	} known[] = {{0.3, 0.99232748, 0.00767252},
				 {0.5, 0.78657071, 0.21501268},
				 {1.04, 0.38359835, 1.08159995}};
	size_t i;
	int z;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		double variance = 0;

		for (z = 1; z < 60; z++)
			variance += 2 * z * z * dp_discrete_gaussian_pmf(known[i].sigma, z);
		is_double(dp_discrete_gaussian_pmf(known[i].sigma, 0), known[i].at_zero,
				  5e-9, "sigma %g: the probability of 0", known[i].sigma);
		is_double(variance, known[i].variance, 5e-9, "and the variance");
	}
}

static void
test_limits(void)
{
	static const DpSigma refused[] = {{0, 1},
									  {1, 0},
									  {DP_SIGMA_MAX + 1, 1},
									  {1, DP_SIGMA_MAX + 1},
									  {UINT64_MAX, UINT64_MAX}};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 22);
	dp_int128 value;
	size_t i;
	int draws = 0;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		is_int(dp_discrete_gaussian_draw(random, refused[i], &value),
			   DP_PARAMETER_OUT_OF_RANGE, "sigma out of range, case %zu", i);
	is_int((long long) random_consumed(&source), 0, "they take no words");

	/* So small that nothing but 0 is ever drawn. */
	for (i = 0; i < 1000; i++)
		draws += dp_discrete_gaussian_draw(random, (DpSigma){1, DP_SIGMA_MAX},
										   &value) == DP_OK &&
				 value == 0;
	is_int(draws, 1000, "the least sigma");
}

/*
 * sigma = 1: the proposal is discrete Laplace of scale 1 (test_geometric.c)
 * and d = |y| - 1 is accepted with exp(-d^2/2): 1 always; 0 and 2, whose d is
 * 1, with one coin exp(-1/2), which is true on {TOP}, false on {0, TOP}.
 *
 * sigma = 1/2: the proposal is half of such a number, rounded down; 0 and 1, with
 * d = | 2 |y| - 1 | = 1, are accepted by that coin.
 */
static void
test_words(void)
{
#define TOP ((uint64_t) 1 << 63)
#define ONES (~(uint64_t) 0)
	static const struct
	{
		DpSigma sigma;
		uint64_t words[12];
		size_t used;
		int expected;
	} cases[] = {
		{{1, 1}, {0, 7, 0, ONES, TOP}, 5, 1},
		{{1, 1}, {1, 7, 0, ONES, TOP}, 5, -1},
		{{1, 1}, {0, 7, TOP, TOP}, 4, 0},
		{{1, 1}, {1, 7, 0, ONES, 0, ONES, TOP, TOP}, 8, -2},
		{{1, 1}, {0, 7, TOP, 0, TOP, 1, 7, 0, ONES, TOP}, 10, -1},
		{{1, 2}, {0, 7, TOP, TOP}, 4, 0},
		{{1, 2}, {0, 7, 0, ONES, TOP, TOP}, 6, 0},
		{{1, 2}, {0, 7, 0, ONES, 0, ONES, TOP, TOP}, 8, 1},
		{{1, 2}, {1, 7, 0, ONES, 0, ONES, TOP, TOP}, 8, -1},
		{{1, 2}, {0, 7, TOP, 0, TOP, 0, 7, TOP, TOP}, 9, 0},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		TestRandom source;
		dp_int128 value;
		DpStatus status = dp_discrete_gaussian_draw(
			random_words(&source, cases[i].words, 12), cases[i].sigma, &value);

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
	test_known();
	test_limits();
	test_words();
	return done_testing();
}
