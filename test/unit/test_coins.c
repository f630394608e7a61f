/*
 * test_coins.c
 *		Rational and exponential coins, and uniform integers.
 *
 * Coins of tiny probability are shown by fixing their first words to zero,
 * which multiplies the probability by a known power of two.
 */
#include <math.h>

#include "samplers/bernoulli.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

#define TOP ((uint64_t) 1 << 63)
#define ONES (~(uint64_t) 0)

static void
test_bernoulli(void)
{
	static const uint64_t grid[][2] = {
		{1, 2},
		{1, 3},
		{2, 3},
		{1, 7},
		{999, 1000},
		{1, 1000},
		{3, TOP - 1},
		{TOP / 3, TOP - 1},
		{TOP - 2, TOP - 1},
		{(uint64_t) 1 << 61, ((uint64_t) 1 << 62) - 57},
	};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 101);
	size_t g;

	for (g = 0; g < sizeof(grid) / sizeof(grid[0]); g++)
	{
		double p = (double) grid[g][0] / (double) grid[g][1];
		uint64_t count = 0;
		bool result;
		int i;

		for (i = 0; i < 400000; i++)
		{
			if (dp_bernoulli(random, grid[g][0], grid[g][1], &result) != DP_OK)
				break;
			count += result;
		}
		if (p > 1e-4 && p < 1 - 1e-4)
			fits_coin(count, p, 400000, "coin of %.6f", p);
		else
			is_int((long long) count, p > 0.5 ? 400000 : 0, "coin of %g", p);
	}
}

/* The second word of a coin, when the first decided nothing. */
static void
test_bernoulli_second_word(void)
{
	/*
	 * 2^64 / 3 = 0x5555555555555555 + 1/3: that word leaves 1/3 to decide.
	 * 3 / (2^63 - 1): the word 5 gives 5d < 3 * 2^64 = 6d + 6, the word 6
	 * leaves 6/d, so a second word of 12 leaves 12/d, of 13 gives false.
	 * (d - 1) 2^64 = (2^64 - 3) d + d - 2: the word 2^64 - 3 is the last that
	 * can come up.
	 */
	static const struct
	{
		uint64_t numerator;
		uint64_t denominator;
		uint64_t words[3];
		size_t used;
		bool expected;
	} cases[] = {
		{1, 2, {TOP - 1}, 1, true},
		{1, 2, {TOP}, 1, false},
		{1, 4, {0}, 1, true},
		{3, 4, {3 * (TOP / 2) - 1}, 1, true},
		{3, 4, {3 * (TOP / 2)}, 1, false},
		{1, 3, {0x5555555555555554}, 1, true},
		{1, 3, {0x5555555555555556}, 1, false},
		{1, 3, {0x5555555555555555, 0x5555555555555554}, 2, true},
		{1, 3, {0x5555555555555555, 0x5555555555555556}, 2, false},
		{1, 3, {0x5555555555555555, 0x5555555555555555, 0}, 3, true},
		{3, TOP - 1, {5}, 1, true},
		{3, TOP - 1, {7}, 1, false},
		{3, TOP - 1, {6, 11}, 2, true},
		{3, TOP - 1, {6, 13}, 2, false},
		{3, TOP - 1, {6, 12, 23}, 3, true},
		{3, TOP - 1, {6, 12, 25}, 3, false},
		{TOP - 2, TOP - 1, {ONES - 3}, 1, true},
		{TOP - 2, TOP - 1, {ONES - 2, 0}, 2, true},
		{TOP - 2, TOP - 1, {ONES - 1}, 1, false},
		{0, 5, {0}, 0, false},
		{5, 5, {0}, 0, true},
		{6, 5, {0}, 0, true},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		TestRandom source;
		bool result = !cases[i].expected;
		DpStatus status =
			dp_bernoulli(random_words(&source, cases[i].words, 3),
						 cases[i].numerator, cases[i].denominator, &result);

		ok(status == DP_OK && result == cases[i].expected &&
			   random_consumed(&source) == cases[i].used,
		   "words of a coin, case %zu", i);
	}
}

static void
test_tiny_bernoulli(void)
{
	/* 1 / (3 * 2^60) after a first word of 2^64 / (3 * 2^60) = 5: 1/3 left */
	uint64_t count = 0;
	uint64_t seed;
	uint64_t first = 5;
	bool result;

	for (seed = 0; seed < 100000; seed++)
	{
		TestRandom source;

		if (dp_bernoulli(random_words_then_seeded(&source, &first, 1,
												  seed * 0x100000001u),
						 1, (uint64_t) 3 << 60, &result) == DP_OK)
			count += result;
	}
	fits_coin(count, 1.0 / 3, 100000, "the rest of a tiny coin");
}

static void
test_bernoulli_exp(void)
{
	static const uint64_t grid[][2] = {
		{1, 1000000},
		{1, 10},
		{1, 2},
		{1, 1},
		{TOP / 3, TOP - 1},
		{TOP - 2, TOP - 1},
		{TOP - 1, TOP - 1},
		{3, 2},
		{2, 1},
		{17, 5},
		{5, 1},
		{10, 1},
		{TOP - 1, (uint64_t) 1 << 60},
	};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 202);
	bool result;
	size_t g;
	int i;

	for (g = 0; g < sizeof(grid) / sizeof(grid[0]); g++)
	{
		double x = (double) grid[g][0] / (double) grid[g][1];
		int draws = x > 4 ? 3000000 : 500000;
		uint64_t count = 0;

		for (i = 0; i < draws; i++)
		{
			if (dp_bernoulli_exp(random, grid[g][0], grid[g][1], &result) !=
				DP_OK)
				break;
			count += result;
		}
		if (x > 1e-5)
			fits_coin(count, exp(-x), (uint64_t) draws, "coin of exp(-%g)", x);
		else
			ok(count > 0.99 * draws && i == draws, "coin of exp(-%g)", x);
	}

	ok(dp_bernoulli_exp(random, 0, 1, &result) == DP_OK && result,
	   "exp(0) is certain");

	/* exp(-40) = 4e-18: by its factors e^-1, of which so many must come up */
	for (i = 0; i < 100000; i++)
	{
		if (dp_bernoulli_exp(random, 40, 1, &result) != DP_OK || result)
			break;
	}
	is_int(i, 100000, "exp(-40) does not come up");
	ok(dp_bernoulli_exp(random, TOP - 1, 1, &result) == DP_OK && !result,
	   "nor does exp(-2^63), and that at once");
}

static void
test_bernoulli_exp_product(void)
{
	static const uint64_t grid[][4] = {
		{1, 1, 1, 1},
		{1, 2, 2, 3},
		{TOP - 2, TOP - 1, 1, 3},
		{3, 7, TOP / 4, TOP - 1},
		{TOP / 2, TOP - 1, TOP / 5, TOP - 1},
		{0, 1, 1, 1},
		{1, 1, 0, 1},
	};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 303);
	size_t g;

	for (g = 0; g < sizeof(grid) / sizeof(grid[0]); g++)
	{
		double x = (double) grid[g][0] / (double) grid[g][1] *
				   ((double) grid[g][2] / (double) grid[g][3]);
		uint64_t count = 0;
		int i;

		for (i = 0; i < 500000; i++)
		{
			bool result;

			if (dp_bernoulli_exp_product(random, grid[g][0], grid[g][1],
										 grid[g][2], grid[g][3],
										 &result) != DP_OK)
				break;
			count += result;
		}
		if (x > 0)
			fits_coin(count, exp(-x), 500000, "coin of exp(-%g) as product", x);
		else
			is_int((long long) count, 500000, "a factor of zero");
	}
}

/*
 * exp(-1) is the chance that the first of B(1), B(1/2), B(1/3), ... to fail
 * comes after an even number of successes. B(1) takes no word.
 */
static void
test_bernoulli_exp_words(void)
{
	static const struct
	{
		uint64_t numerator;
		uint64_t denominator;
		uint64_t words[4];
		size_t used;
		bool expected;
	} cases[] = {
		/* B(1/2) fails after one success: odd */
		{1, 1, {TOP}, 1, false},
		/* B(1/2) comes up, B(1/3) fails: two */
		{1, 1, {0, ONES}, 2, true},
		/* so does B(1/3), B(1/4) fails: three */
		{1, 1, {0, 0, ONES}, 3, false},
		/* exp(-1/2): B(1/2) for the exponent fails at once: none */
		{1, 2, {TOP}, 1, true},
		/* it comes up; B(1/2) for k = 2 fails: one */
		{1, 2, {0, TOP}, 2, false},
		/* it, k = 2 and the exponent again come up; k = 3 fails: two */
		{1, 2, {0, 0, 0, ONES}, 4, true},
		/* exp(-2) = exp(-1) exp(-1): the first is false */
		{2, 1, {TOP}, 1, false},
		{2, 1, {0, ONES, TOP}, 3, false},
		{2, 1, {0, ONES, 0, ONES}, 4, true},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		TestRandom source;
		bool result = !cases[i].expected;
		DpStatus status =
			dp_bernoulli_exp(random_words(&source, cases[i].words, 4),
							 cases[i].numerator, cases[i].denominator, &result);

		ok(status == DP_OK && result == cases[i].expected &&
			   random_consumed(&source) == cases[i].used,
		   "words of an exponential coin, case %zu", i);
	}
}

static void
test_random_below(void)
{
	static const uint64_t bounds[] = {
		1,	 2,		  3,		   10,			 100, 1000,
		511, TOP - 1, TOP / 2 * 3, ONES / 3 * 2, TOP, ONES};
	static const struct
	{
		uint64_t bound;
		uint64_t words[2];
		size_t used;
		uint64_t expected;
	} cases[] = {
		{1, {ONES}, 1, 0},
		{10, {ONES}, 1, 9},
		/* 2^64 mod 10 = 6: the low halves 0 .. 5 are rejected */
		{10, {0, ONES}, 2, 9},
		{10, {TOP, TOP + 1}, 2, 5},
		{16, {0}, 1, 0},
		{16, {TOP}, 1, 8},
		/* 2^64 mod 3 = 1 */
		{3, {0, 1}, 2, 0},
		{3, {0x5555555555555556}, 1, 1},
		{3, {0x5555555555555555}, 1, 0},
	};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 404);
	uint64_t value;
	size_t g;

	for (g = 0; g < sizeof(bounds) / sizeof(bounds[0]); g++)
	{
		uint64_t bound = bounds[g];
		/* cells of equal width; the last may be narrower */
		uint64_t width = bound <= 1000 ? 1 : bound / 100;
		uint64_t cells = (bound - 1) / width + 1;
		uint64_t counts[1001] = {0};
		double probabilities[1001];
		int i;

		for (i = 0; i < 300000; i++)
		{
			if (dp_random_below(random, bound, &value) != DP_OK ||
				value >= bound)
				break;
			counts[value / width]++;
		}
		for (value = 0; value < cells; value++)
			probabilities[value] =
				(double) (value + 1 < cells ? width : bound - value * width) /
				(double) bound;
		if (bound == 1)
			is_int(i, 300000, "below 1 there is 0");
		else
			fits(counts, probabilities, cells, 300000, "uniform below %llu",
				 (unsigned long long) bound);
	}
	for (g = 0; g < sizeof(cases) / sizeof(cases[0]); g++)
	{
		DpStatus status = dp_random_below(
			random_words(&source, cases[g].words, 2), cases[g].bound, &value);

		ok(status == DP_OK && value == cases[g].expected &&
			   random_consumed(&source) == cases[g].used,
		   "words of a uniform integer, case %zu", g);
	}
}

int
main(void)
{
	test_bernoulli();
	test_bernoulli_second_word();
	test_tiny_bernoulli();
	test_bernoulli_exp();
	test_bernoulli_exp_product();
	test_bernoulli_exp_words();
	test_random_below();
	return done_testing();
}
