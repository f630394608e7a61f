/*
 * test_answer_error.c
 *		Errors in ranks and rows that are told beforehand: drawn answers keep them.
 */
#include <math.h>
#include <stdlib.h>

#include "mechanisms/bounds.h"
#include "mechanisms/extreme.h"
#include "mechanisms/quantiles.h"
#include "mechanisms/selection.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/tap.h"

#define ROUNDS 4000

/* 5% of 4000 draws and 8 standard deviations: more with a probability of 1e-13. */
#define MOST_MISSED 310

static TestRandom source;

static const DpContribution row = {DP_ADD_REMOVE, 1, 0};

static void
test_known(void)
{
	DpQuantile median;

	if (dp_quantile_init(&median, 0.5, epsilon_of(1), row) != DP_OK)
		abort();
	is_double(dp_rank_error(&median.rank, 0x1p40, 0.05), 31, 0,
			  "a median of 2^40 points");
	is_double(dp_rank_error(&median.rank, 0x1p20, 0.05), 17, 0, "of 2^20");
	is_double(dp_rank_error(&median.rank, 0x1p10, 0.05), 10, 0, "of 2^10");
}

/* How many values lie strictly between the fraction's rank and the answer. */
static double
ranks_off(const int64_t *values, int count, double fraction, int64_t answer)
{
	int below = 0;
	int up_to = 0;
	int i;

	for (i = 0; i < count; i++)
	{
		below += values[i] < answer;
		up_to += values[i] <= answer;
	}
	return fmax(fmax(below - fraction * count, fraction * count - up_to), 0);
}

static void
test_quantiles(double epsilon)
{
	static const double fractions[] = {0.1, 0.25, 0.5, 0.9};
	DpQuantiles *quantiles = malloc(dp_quantiles_size(4));
	DpRandom *random = random_seeded(&source, 61);
	int64_t values[600];
	int64_t copy[600];
	int64_t answers[4];
	double error;
	int missed = 0;
	int round;
	int i;

	if (dp_quantiles_init(quantiles, fractions, 4, epsilon_of(epsilon), row) !=
		DP_OK)
		abort();
	error = dp_quantiles_error(quantiles, 0, 1000000, 0.05);
	for (i = 0; i < 600; i++)
		values[i] = i < 200 ? 500 : i * 37;
	for (round = 0; round < ROUNDS / 4; round++)
	{
		bool good = true;

		for (i = 0; i < 600; i++)
			copy[i] = values[i];
		if (dp_quantiles_draw(random, quantiles, copy, 600, 0, 1000000,
							  answers) != DP_OK)
			abort();
		for (i = 0; i < 4; i++)
			good &= ranks_off(values, 600, fractions[i], answers[i]) <= error;
		missed += !good;
	}
	ok(missed <= MOST_MISSED / 4 + 40,
	   "quantiles at epsilon %g: %d beyond %g ranks", epsilon, missed, error);
	free(quantiles);
}

static void
test_extreme(DpMechanism mechanism, double epsilon)
{
	DpMechanismChoice choice = {.mechanism = mechanism, .rank = -1};
	DpRandom *random = random_seeded(&source, 62);
	DpGrid grid;
	DpExtreme extreme;
	int64_t values[2000];
	double error;
	int missed = 0;
	int round;
	int i;

	dp_grid_for_integers(0, 100000, DP_GRID_SPAN, &grid);
	if (dp_extreme_init(&extreme, &choice, epsilon_of(epsilon), &grid, row) !=
		DP_OK)
		abort();
	error = dp_extreme_rank_error(&extreme, 100001, 0.05);
	for (round = 0; round < ROUNDS; round++)
	{
		int64_t answer;
		int above = 0;

		for (i = 0; i < 2000; i++)
			values[i] = i * 50;
		if (dp_extreme_draw(random, &extreme, values, 2000, 0, 100000,
							&answer) != DP_OK)
			abort();
		for (i = 0; i < 2000; i++)
			above += i * 50 > answer;
		missed += above > error;
	}
	ok(missed <= MOST_MISSED, "%s at epsilon %g: %d beyond %g ranks",
	   dp_mechanism_name(mechanism), epsilon, missed, error);
}

static void
test_selection(DpMechanism mechanism, double epsilon, DpContribution of)
{
	DpMechanismChoice choice = {.mechanism = mechanism, .rank = -1};
	DpRandom *random = random_seeded(&source, 63);
	DpSelection selection;
	int64_t counts[40];
	uint32_t order[40];
	double error;
	int missed = 0;
	int round;
	size_t i;

	if (dp_selection_init(&selection, &choice, epsilon_of(epsilon), of) !=
		DP_OK)
		abort();
	error = dp_selection_error(&selection, 40, 0.05);

	/* The worst: all others are just beyond. */
	for (i = 0; i < 40; i++)
		counts[i] = i == 7 ? 100000 : 100000 - (int64_t) error - 1;
	for (round = 0; round < ROUNDS; round++)
	{
		size_t index;

		if (dp_selection_draw(random, &selection, counts, 40, order, &index) !=
			DP_OK)
			abort();
		missed += index != 7;
	}
	ok(missed <= MOST_MISSED, "%s at epsilon %g: %d beyond %g rows",
	   dp_mechanism_name(mechanism), epsilon, missed, error);
}

static void
test_bounds(double epsilon)
{
	DpRandom *random = random_seeded(&source, 64);
	DpBins bins = {0, 20};
	DpBounds bounds;
	int64_t counts[DP_BINS_MAX] = {0};
	double error = 0;
	int missed = 0;
	int round;

	if (dp_bounds_init(&bounds, bins, epsilon_of(epsilon), row) != DP_OK ||
		dp_bounds_error(&bounds, 0.05, &error) != DP_OK)
		abort();
	counts[30] = (int64_t) error;
	for (round = 0; round < ROUNDS; round++)
	{
		uint32_t first;
		uint32_t last;

		if (dp_bounds_draw(random, &bounds, counts, &first, &last) != DP_OK)
			abort();
		missed += first > 30 || last < 30;
	}
	ok(missed <= MOST_MISSED, "bounds at epsilon %g: %d without %g rows",
	   epsilon, missed, error);
}

int
main(void)
{
	static const double epsilons[] = {0.2, 1, 4};
	DpContribution units = {DP_ADD_REMOVE, 3, 0};
	size_t i;

	test_known();
	for (i = 0; i < 3; i++)
	{
		test_quantiles(epsilons[i]);
		test_extreme(DP_ABOVE_THRESHOLD, epsilons[i]);
		test_extreme(DP_EXPONENTIAL, epsilons[i]);
		test_selection(DP_PERMUTE_AND_FLIP, epsilons[i], row);
		test_selection(DP_EXPONENTIAL, epsilons[i], row);
		test_selection(DP_ABSTRACT_STAIRCASE, epsilons[i], units);
		test_bounds(epsilons[i]);
	}
	return done_testing();
}
