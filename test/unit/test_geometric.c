/*
 * test_geometric.c
 *		Geometric and discrete Laplace draws.
 */
#include <math.h>
#include <stdio.h>

#include "core/epsilon.h"
#include "samplers/geometric.h"
#include "support/random_fixed.h"
#include "support/sample.h"

typedef struct Ratio
{
	uint64_t s;
	uint64_t t;
} Ratio;

static DpStatus
draw_laplace(DpRandom *random, const void *context, dp_int128 *value)
{
	const Ratio *ratio = context;

	return dp_discrete_laplace_draw(random, ratio->s, ratio->t, value);
}

static double
pmf(const void *context, double z)
{
	const Ratio *ratio = context;

	return dp_discrete_laplace_pmf(ratio->s, ratio->t, z);
}

/* P(Z <= z) = 1 - a^(z+1)/(1+a) for z >= -1, a^-z/(1+a) below */
static double
below(const void *context, double z)
{
	const Ratio *ratio = context;
	double x = (double) ratio->s / (double) ratio->t;

	if (z >= -1)
		return 1 - exp(-x * (z + 1)) / (1 + exp(-x));
	return exp(x * z) / (1 + exp(-x));
}

static DpStatus
draw_geometric(DpRandom *random, const void *context, dp_int128 *value)
{
	const Ratio *ratio = context;
	dp_uint128 magnitude;
	DpStatus status = dp_geometric_draw(random, ratio->s, ratio->t, &magnitude);

	*value = (dp_int128) magnitude;
	return status;
}

static double
geometric_pmf(const void *context, double z)
{
	const Ratio *ratio = context;
	double x = (double) ratio->s / (double) ratio->t;

	return z < 0 ? 0 : -expm1(-x) * exp(-x * z);
}

static double
geometric_below(const void *context, double z)
{
	const Ratio *ratio = context;
	double x = (double) ratio->s / (double) ratio->t;

	return z < 0 ? 0 : -expm1(-x * (z + 1));
}

static const Ratio narrow[] = {
	{1, 1},
	{1, 2},
	{2, 1},
	{7, 3},
	{3, 7},
	{5, 1},
	{1, 20},
	{13, 100},
	{DP_EPSILON_ONE - 1, DP_EPSILON_ONE},
	{((uint64_t) 1 << 61) + 1, (uint64_t) 1 << 62},
	{((uint64_t) 1 << 62) - 1, ((uint64_t) 1 << 62) - 57},
};

/* Scales of epsilon = 2^-20 and sensitivities up to 2^42. */
static const Ratio wide[] = {
	{1, 1000},
	{1, DP_EPSILON_ONE},
	{1, (uint64_t) 1 << 40},
	{3, (uint64_t) 1 << 40},
	{1, (uint64_t) 1 << 62},
	{12345677, ((uint64_t) 1 << 62) - 1},
};

static void
test_distributions(void)
{
	TestRandom source;
	DpRandom *random = random_seeded(&source, 11);
	char name[128];
	dp_int128 value;
	size_t g;
	int i;

	for (g = 0; g < sizeof(narrow) / sizeof(narrow[0]); g++)
	{
		double x = (double) narrow[g].s / (double) narrow[g].t;

		snprintf(name, sizeof(name), "discrete Laplace of ratio exp(-%g)", x);
		sample_fits(random, draw_laplace, pmf, &narrow[g], 200, 300000, name);
		snprintf(name, sizeof(name), "geometric of ratio exp(-%g)", x);
		sample_fits(random, draw_geometric, geometric_pmf, &narrow[g], 200,
					300000, name);
	}
	for (g = 0; g < sizeof(wide) / sizeof(wide[0]); g++)
	{
		double scale = (double) wide[g].t / (double) wide[g].s;

		snprintf(name, sizeof(name), "discrete Laplace of scale %g", scale);
		sample_fits_binned(random, draw_laplace, below, &wide[g], scale / 5,
						   300000, name);
		snprintf(name, sizeof(name), "geometric of scale %g", scale);
		sample_fits_binned(random, draw_geometric, geometric_below, &wide[g],
						   scale / 5, 300000, name);
	}

	/* epsilon 10^6 at sensitivity 1: never anything but zero */
	for (i = 0; i < 100000; i++)
	{
		if (dp_discrete_laplace_draw(random, 1000000, 1, &value) != DP_OK ||
			value != 0)
			break;
	}
	is_int(i, 100000, "no noise at epsilon 10^6");
}

static void
test_low_bits(void)
{
	TestRandom source;
	DpRandom *random = random_seeded(&source, 12);
	uint64_t counts[64] = {0};
	double probabilities[64];
	int i;

	for (i = 0; i < 64; i++)
		probabilities[i] = 1.0 / 64;
	for (i = 0; i < 300000; i++)
	{
		dp_uint128 value;

		if (dp_geometric_draw(random, 1, (uint64_t) 1 << 50, &value) != DP_OK)
			break;
		counts[value % 64]++;
	}
	fits(counts, probabilities, 64, 300000,
		 "the low bits of a wide geometric number are uniform");
}

/*
 * With s = t = 1 the number below 1 takes a word that says nothing; its coin,
 * exp(0), takes none. Then each exp(-1) comes up on
 * {0, ONES} and not on {TOP} (test_coins.c).
 */
static void
test_words(void)
{
#define TOP ((uint64_t) 1 << 63)
#define ONES (~(uint64_t) 0)
	static const struct
	{
		Ratio ratio;
		uint64_t words[10];
		size_t used;
		int expected;
	} cases[] = {
		/* sign, u = 0, no success */
		{{1, 1}, {0, 7, TOP}, 3, 0},
		/* one, two successes; the sign is the low bit of the first word */
		{{1, 1}, {0, 7, 0, ONES, TOP}, 5, 1},
		{{1, 1}, {1, 7, 0, ONES, TOP}, 5, -1},
		{{1, 1}, {2, 7, 0, ONES, 0, ONES, TOP}, 7, 2},
		/* a negative zero is drawn again */
		{{1, 1}, {1, 7, TOP, 1, 7, 0, ONES, TOP}, 8, -1},
		/* t = 4: u = 2 of 0 .. 3, exp(-2/4) at once, no success: 2 */
		{{1, 4}, {0, TOP, TOP, TOP}, 4, 2},
		/* u = 2, not accepted (one success), then u = 1; v = 1: 1 + 4 */
		{{1, 4}, {0, TOP, 0, TOP, TOP / 2, ONES, 0, ONES, TOP}, 9, 5},
		/* every third of its values: 5 / 3 = 1 */
		{{3, 4}, {0, TOP, 0, TOP, TOP / 2, ONES, 0, ONES, TOP}, 9, 1},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		TestRandom source;
		dp_int128 value;
		DpStatus status = dp_discrete_laplace_draw(
			random_words(&source, cases[i].words, 10), cases[i].ratio.s,
			cases[i].ratio.t, &value);

		ok(status == DP_OK && value == cases[i].expected &&
			   random_consumed(&source) == cases[i].used,
		   "words of a discrete Laplace draw, case %zu", i);
	}
}

static void
test_pmf(void)
{
	size_t g;
	int z;

	for (g = 0; g < sizeof(narrow) / sizeof(narrow[0]); g++)
	{
		double total = pmf(&narrow[g], 0);

		for (z = 1; z < 2000; z++)
			total += pmf(&narrow[g], z) + pmf(&narrow[g], -z);
		is_double(total, 1, 1e-12, "the pmf adds up to 1, case %zu", g);
	}
}

int
main(void)
{
	test_distributions();
	test_low_bits();
	test_words();
	test_pmf();
	return done_testing();
}
