/*
 * test_staircase.c
 *		Discrete staircase draws.
 */
#include <math.h>
#include <stdio.h>

#include "samplers/staircase.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/sample.h"

#define TOP ((uint64_t) 1 << 63)
#define ONES (~(uint64_t) 0)

static DpStatus
draw(DpRandom *random, const void *context, dp_int128 *value)
{
	return dp_staircase_draw(random, context, value);
}

/* The definition in staircase.h, by integers. */
static double
pmf(const void *context, double z)
{
	const DpStaircase *s = context;
	double epsilon = dp_epsilon_to_double(s->epsilon);
	double b = exp(-epsilon);
	double d = (double) s->sensitivity;
	double r = (double) s->first_step;
	uint64_t i = (uint64_t) fabs(z);
	double a = -expm1(-epsilon) / (2 * r + 2 * b * (d - r) + expm1(-epsilon));

	return a * exp(-epsilon * floor((double) i / d)) *
		   (i % s->sensitivity < s->first_step ? 1 : b);
}

/* P(X <= z), from the weight of the first m magnitudes. */
static double
below(const void *context, double z)
{
	const DpStaircase *s = context;
	double epsilon = dp_epsilon_to_double(s->epsilon);
	double b = exp(-epsilon);
	double d = (double) s->sensitivity;
	double r = (double) s->first_step;
	double a = -expm1(-epsilon) / (2 * r + 2 * b * (d - r) + expm1(-epsilon));
	double m = z >= 0 ? z + 1 : -z;
	double full = floor(m / d);
	double rest = m - full * d;
	double weight =
		(r + b * (d - r)) * expm1(-epsilon * full) / expm1(-epsilon) +
		exp(-epsilon * full) * (fmin(rest, r) + b * fmax(rest - r, 0));

	/* half of all but zero is negative */
	return z >= 0 ? (1 - a) / 2 + a * weight : (1 + a) / 2 - a * weight;
}

static void
test_narrow(void)
{
	static const struct
	{
		uint64_t d;
		uint64_t r;
		double epsilon;
	} grid[] = {
		{1, 1, 1},	   {1, 1, 0.1},	 {1, 1, 5},		{2, 1, 1},
		{2, 2, 1},	   {3, 2, 0.5},	 {5, 1, 2},		{5, 5, 2},
		{10, 3, 2},	   {10, 5, 0.1}, {12, 12, 0.3}, {100, 38, 2},
		{100, 1, 10},  {100, 3, 10}, {100, 100, 4}, {7, 2, 0.693147},
		{1000, 60, 5}, {40, 20, 15},
	};
	static const int bits[] = {1, 6, 9, 12, DP_REAL_BITS};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 51);
	char name[128];
	size_t g;

	for (g = 0; g < sizeof(grid) / sizeof(grid[0]); g++)
	{
		size_t b;

		for (b = 0; b < sizeof(bits) / sizeof(bits[0]); b++)
		{
			DpStaircase staircase;
			uint64_t before = random_consumed(&source);

			snprintf(name, sizeof(name), "D %d, r %d, epsilon %g, %d bits",
					 (int) grid[g].d, (int) grid[g].r, grid[g].epsilon,
					 bits[b]);
			is_int(dp_staircase_init(&staircase, grid[g].d, grid[g].r,
									 epsilon_of(grid[g].epsilon), bits[b]),
				   DP_OK, "%s: prepared", name);
			sample_fits(random, draw, pmf, &staircase, 3000,
						bits[b] < 9 ? 30000 : 150000, name);
			ok(random_consumed(&source) > before, "%s: took words", name);
		}
	}
}

static void
test_wide(void)
{
	static const uint64_t d[] = {1000000, (uint64_t) 1 << 40,
								 (uint64_t) 1 << 42};
	static const double epsilons[] = {0x1p-20, 0.001, 0.1, 1, 3, 20};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 52);
	char name[128];
	size_t i;
	size_t e;
	int step;

	for (i = 0; i < sizeof(d) / sizeof(d[0]); i++)
	{
		for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
		{
			/* r = 1, a third of D, D */
			for (step = 0; step < 3; step++)
			{
				uint64_t r = step == 0 ? 1 : step == 1 ? d[i] / 3 : d[i];
				double scale =
					fmax((double) d[i] / epsilons[e] / 5, (double) d[i] / 7.3);
				DpStaircase staircase;

				dp_staircase_init(&staircase, d[i], r, epsilon_of(epsilons[e]),
								  DP_REAL_BITS);
				snprintf(name, sizeof(name), "D %g, r %g, epsilon %g",
						 (double) d[i], (double) r, epsilons[e]);
				sample_fits_binned(random, draw, below, &staircase, scale,
								   60000, name);
			}
		}
	}
}

static void
test_extremes(void)
{
	TestRandom source;
	DpRandom *random = random_seeded(&source, 53);
	DpStaircase staircase;
	dp_int128 value;
	uint64_t counts[21] = {0};
	double probabilities[21];
	int i;

	/* At epsilon 10^6 only the first step is left. */
	dp_staircase_init(&staircase, 20, 11, epsilon_of(1e6), DP_REAL_BITS);
	for (i = 0; i < 100000; i++)
	{
		if (dp_staircase_draw(random, &staircase, &value) != DP_OK ||
			value < -10 || value > 10)
			break;
		counts[(int) value + 10]++;
	}
	for (i = 0; i <= 20; i++)
		probabilities[i] = 1.0 / 21;
	fits(counts, probabilities, 21, 100000,
		 "uniform on the first step at epsilon 10^6");
	dp_staircase_init(&staircase, (uint64_t) 1 << 42, 1, epsilon_of(1e6), 8);
	for (i = 0; i < 10000; i++)
	{
		if (dp_staircase_draw(random, &staircase, &value) != DP_OK ||
			value != 0)
			break;
	}
	is_int(i, 10000, "no noise with a first step of one, found lazily");
}

/*
 * The chance of the first step for D = 2^42, r = 1, epsilon = 2^-20 is about
 * 2^-62: it needs a first word of zeros.
 */
static void
test_tiny_first_step(void)
{
	DpStaircase staircase;
	double b = exp(-0x1p-20);
	double rest = -expm1(-0x1p-20);
	double p = rest / (rest + ldexp(b, 42));
	uint64_t state = 54;
	uint64_t count = 0;
	int i;

	dp_staircase_init(&staircase, (uint64_t) 1 << 42, 1, epsilon_of(0x1p-20),
					  DP_REAL_BITS);
	for (i = 0; i < 100000; i++)
	{
		uint64_t words[2] = {random_next(&state) >> 61, random_next(&state)};
		TestRandom source;
		bool first;

		if (dp_real_coin_draw(random_words_then_seeded(&source, words, 2, 1),
							  &staircase.first_coin, &staircase,
							  &first) != DP_OK)
			break;
		count += first;
	}
	fits_coin(count, ldexp(p, 61), 100000, "a first step of %g", p);
}

/*
 * epsilon 1: the chance of the first level for D = 4, r = 3 is
 * 3 (1-1/e) / (3 (1-1/e) + 4/e) = 0.563; word by word sign, coin (two),
 * geometric (u below 2^20 and its coin exp(-u/2^20), none for u = 0; then
 * coins exp(-1) as in test_coins.c), place in the level.
 */
static void
test_words(void)
{
	/* the coin: TOP is 0.5, the first level; TOP / 5 * 6 is 0.6, another */
	static const struct
	{
		uint64_t words[12];
		size_t used;
		int expected;
	} cases[] = {
		{{0, TOP, 0, ONES}, 4, 2},
		{{1, TOP, 0, ONES}, 4, -2},
		{{0, TOP, 0, 1}, 4, 0},
		/* a negative zero is drawn again */
		{{1, TOP, 0, 1, 1, TOP, 0, TOP}, 8, -1},
		/* no success: level 1, 3 .. 6; place 0 and 3 */
		{{0, TOP / 5 * 6, 0, (uint64_t) 1 << 43, TOP, 0}, 6, 3},
		{{0, TOP / 5 * 6, 0, (uint64_t) 1 << 43, TOP, ONES}, 6, 6},
		/* one success: level 2, 7 .. 10 */
		{{1, TOP / 5 * 6, 0, (uint64_t) 1 << 43, 0, ONES, TOP, TOP}, 8, -9},
	};
	DpStaircase staircase;
	size_t i;

	dp_staircase_init(&staircase, 4, 3, epsilon_of(1), DP_REAL_BITS);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		TestRandom source;
		dp_int128 value;
		DpStatus status = dp_staircase_draw(
			random_words(&source, cases[i].words, 12), &staircase, &value);

		ok(status == DP_OK && value == cases[i].expected &&
			   random_consumed(&source) == cases[i].used,
		   "words of a staircase draw, case %zu", i);
	}
}

static void
test_pmf(void)
{
	uint64_t d;
	uint64_t r;
	double worst = 0;
	double total_error = 0;

	for (d = 1; d <= 12; d++)
	{
		for (r = 1; r <= d; r++)
		{
			DpStaircase s = {
				.sensitivity = d, .first_step = r, .epsilon = epsilon_of(0.7)};
			double total = 0;
			int z;

			for (z = -1500; z <= 1500; z++)
			{
				double expected = pmf(&s, z);

				worst = fmax(
					worst,
					fabs(dp_staircase_pmf((double) d, (double) r,
										  dp_epsilon_to_double(s.epsilon), z) /
							 expected -
						 1));
				total += expected;
			}
			total_error = fmax(total_error, fabs(total - 1));
		}
	}
	is_double(worst, 0, 1e-11, "the pmf is the definition");
	is_double(total_error, 0, 1e-11, "it adds up to 1");
}

static void
test_limits(void)
{
	DpStaircase staircase;
	DpEpsilon one = epsilon_of(1);

	is_int(dp_staircase_init(&staircase, 0, 1, one, 128),
		   DP_SENSITIVITY_OUT_OF_RANGE, "D = 0");
	is_int(dp_staircase_init(&staircase, ((uint64_t) 1 << 42) + 1, 1, one, 128),
		   DP_SENSITIVITY_OUT_OF_RANGE, "D above 2^42");
	is_int(dp_staircase_init(&staircase, 5, 0, one, 128),
		   DP_PARAMETER_OUT_OF_RANGE, "r = 0");
	is_int(dp_staircase_init(&staircase, 5, 6, one, 128),
		   DP_PARAMETER_OUT_OF_RANGE, "r above D");
	is_int(dp_staircase_init(&staircase, 5, 5, one, 0),
		   DP_PARAMETER_OUT_OF_RANGE, "no bits");
	is_int(dp_staircase_init(&staircase, 5, 5, one, 129),
		   DP_PARAMETER_OUT_OF_RANGE, "too many bits");
}

int
main(void)
{
	test_narrow();
	test_wide();
	test_extremes();
	test_tiny_first_step();
	test_words();
	test_pmf();
	test_limits();
	return done_testing();
}
