/*
 * test_local_response.c
 *		Randomised response: the law of a draw, by going through all of its
 *		random choices; privacy; draws.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "local/estimate.h"
#include "local/randomized_response.h"
#include "support/big.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

#define ONES (~(uint64_t) 0)
#define VALUES_MAX 64

static TestRandom source;

static DpResponse
prepare(double epsilon, uint32_t values, int bits)
{
	DpResponse response;

	if (dp_response_init(&response, epsilon_of(epsilon), values, bits) != DP_OK)
		abort();
	return response;
}

static const struct
{
	double epsilon;
	uint32_t values;
} grid[] = {{DP_EPSILON_MIN, 2},
			{0.001, 7},
			{0.1, 2},
			{0.5, 3},
			{1, 2},
			{1, 10},
			{2, 10},
			{1.0986122886681098, 4},
			{5, 64},
			{20, 3},
			{1000000, 5}};
#define GRID (sizeof(grid) / sizeof(grid[0]))

/* The probability of the coin. */
static double
truth_of(const DpResponse *response)
{
	if (response->truth.upper_is_one && response->truth.lower[1] == ONES)
		return 1;
	return ldexp((double) response->truth.lower[1], -64) +
		   ldexp((double) response->truth.lower[0], -128);
}

/*
 * P(each report), by all ways in which the coin can fall and the uniform value
 * come out. The latter takes the same words whatever the coin said.
 */
static void
law_of(const DpResponse *response, uint32_t index, double *law)
{
	double truth = truth_of(response);
	uint32_t k = response->values;
	uint32_t report;
	uint32_t u;
	int coin;

	for (u = 0; u < k; u++)
		law[u] = 0;
	for (coin = 0; coin < 2; coin++)
	{
		for (u = 0; u < k; u++)
		{
			/* in the middle of the words that give u */
			uint64_t words[3] = {
				coin ? 0 : ONES, coin ? 0 : ONES,
				(uint64_t) ((((dp_uint128) 2 * u + 1) << 63) / k)};
			DpRandom *random = random_words(&source, words, 3);

			if (truth == 1 && !coin)
				continue;
			if (dp_response_draw(random, response, index, &report) != DP_OK ||
				report >= k || random_consumed(&source) != 3)
				abort();
			law[report] += (coin ? truth : 1 - truth) / k;
		}
	}
}

static void
test_laws(void)
{
	static double laws[VALUES_MAX + 1][VALUES_MAX];
	size_t g;
	uint32_t v;
	uint32_t w;
	uint32_t j;

	for (g = 0; g < GRID; g++)
	{
		uint32_t k = grid[g].values;
		DpResponse response = prepare(grid[g].epsilon, k, DP_REAL_BITS);
		DpReportLaw law = dp_report_law_of_response(response.epsilon, k);
		double bound = exp(dp_epsilon_to_double(response.epsilon));
		double worst = 0; /* of the laws from the closed forms */
		double loss = 0;  /* of ratios */

		for (v = 0; v <= k; v++)
		{
			law_of(&response, v, laws[v]);
			for (j = 0; j < k; j++)
				worst = fmax(worst, fabs(laws[v][j] - (v == k	? 1.0 / k
													   : j == v ? law.p
																: law.q)));
		}
		ok(worst < 1e-15, "law, epsilon %g, %u values", grid[g].epsilon, k);

		/* any two true values, also none of the declared ones */
		for (v = 0; v <= k; v++)
		{
			for (w = 0; w <= k; w++)
			{
				for (j = 0; j < k; j++)
					loss = fmax(loss, laws[v][j] / laws[w][j]);
			}
		}
		ok(loss <= bound * (1 + 1e-12) ||
			   (isinf(bound) && grid[g].epsilon > 700),
		   "privacy, epsilon %g, %u values", grid[g].epsilon, k);
		if (grid[g].epsilon < 30)
			ok(loss >= bound * (1 - 1e-7), "and epsilon is used, %g, %u values",
			   grid[g].epsilon, k);
	}
}

/*
 * The coin's enclosure holds p-q: with h from exp() enclosed in another way,
 * lower (1 + (k-1)h) <= 2^128 (1-h) <= upper (1 + (k-1)h), and is narrow.
 */
static void
test_enclosure(void)
{
	size_t g;

	for (g = 0; g + 1 < GRID; g++)
	{
		DpResponse response = prepare(grid[g].epsilon, grid[g].values, 128);
		dp_uint128 lower = (dp_uint128) response.truth.lower[1] << 64 |
						   response.truth.lower[0];
		dp_uint128 upper = (dp_uint128) response.truth.upper[1] << 64 |
						   response.truth.upper[0];
		Big *h[2];
		Big *one;
		bool holds = true;
		int i;

		big_begin();
		one = big_shift(big_of(1), 256);
		big_exp(big_of(response.epsilon.ticks), big_of(DP_EPSILON_ONE), 256,
				&h[0], &h[1]);
		for (i = 0; i < 2; i++)
		{
			Big *below =
				big_sum(one, big_product(big_of(response.values - 1), h[i]));
			Big *above = big_shift(big_difference(one, h[i]), 128);

			holds = holds &&
					big_at_most(big_product(big_of(lower), below), above) &&
					(response.truth.upper_is_one ||
					 big_at_most(above, big_product(big_of(upper), below)));
		}
		big_end();
		ok(holds && (response.truth.upper_is_one || upper - lower <= 4),
		   "the coin is enclosed, epsilon %g, %u values", grid[g].epsilon,
		   grid[g].values);
	}
}

static void
test_draws(void)
{
	static const int bits[] = {128, 6};
	DpRandom *random = random_seeded(&source, 801);
	const int draws = 200000;
	double expected[VALUES_MAX];
	uint32_t j;
	size_t g;
	size_t b;

	for (g = 1; g + 1 < GRID; g++)
	{
		uint32_t k = grid[g].values;
		uint32_t index = g % 3 == 0 ? k : k / 2;

		for (b = 0; b < 2; b++)
		{
			DpResponse response = prepare(grid[g].epsilon, k, bits[b]);
			DpReportLaw law = dp_report_law_of_response(response.epsilon, k);
			uint64_t counts[VALUES_MAX] = {0};
			uint32_t report;
			int i;

			for (i = 0; i < draws; i++)
			{
				if (dp_response_draw(random, &response, index, &report) !=
					DP_OK)
					abort();
				counts[report]++;
			}
			for (j = 0; j < k; j++)
				expected[j] =
					index == k ? 1.0 / k : (j == index ? law.p : law.q);
			if (grid[g].epsilon >= 20 && index < k)
				ok(counts[index] > (uint64_t) draws - 3, "draws, epsilon 20");
			else
				fits(counts, expected, k, (uint64_t) draws,
					 "draws, epsilon %g, %u values, %d bits", grid[g].epsilon,
					 k, bits[b]);
		}
	}
}

static void
test_edges(void)
{
	DpResponse response;
	uint32_t report = 7;
	uint32_t i;

	ok(dp_response_init(&response, epsilon_of(1), 1, 128) ==
		   DP_PARAMETER_OUT_OF_RANGE,
	   "one value");
	ok(dp_response_init(&response, epsilon_of(1), DP_LOCAL_VALUES_MAX + 1,
						128) == DP_PARAMETER_OUT_OF_RANGE,
	   "too many values");
	response = prepare(2, DP_LOCAL_VALUES_MAX, 128);
	ok(dp_response_draw(random_seeded(&source, 3), &response, 5, &report) ==
			   DP_OK &&
		   report < DP_LOCAL_VALUES_MAX,
	   "many values");
	response = prepare(1000000, 5, 128);
	for (i = 0; i < 10000; i++)
	{
		if (dp_response_draw(random_seeded(&source, i), &response, i % 5,
							 &report) != DP_OK ||
			report != i % 5)
			break;
	}
	is_int(i, 10000, "nothing but the truth at epsilon 10^6");
	response = prepare(1, 5, 128);
	for (i = 0; i < 3; i++)
		ok(dp_response_draw(random_failing_after(&source, 1, i), &response, 1,
							&report) == DP_RANDOM_FAILED,
		   "no words after %u", i);
}

int
main(void)
{
	test_laws();
	test_enclosure();
	test_draws();
	test_edges();
	return done_testing();
}
