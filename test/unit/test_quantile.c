/*
 * test_quantile.c
 *		Private quantiles and maxima: how good they are.
 */
#include <math.h>
#include <stdlib.h>

#include "mechanisms/extreme.h"
#include "mechanisms/quantile.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/tap.h"

#define ROWS 1000
#define DATA_SETS 200
#define DRAWS 25

static int
compare(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

/*
 * The row of Munoz Medina and Gillenwater's table 1: mean |error| x 100 of the
 * median of N(0,1), n = 1000, in -10 .. 10. A data set's error depends on its
 * gaps; over 200 of them the mean is known to a few percent, and the figures
 * are printed to one or two digits: tolerated are 15 percent.
 */
static void
test_median(void)
{
	static const double epsilons[] = {0.5, 1, 2};
	static const double printed[] = {0.57, 0.30, 0.15};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 121);
	DpGrid grid;
	int e;

	dp_grid_for_doubles(-10, 10, DP_GRID_SPAN, &grid);
	for (e = 0; e < 3; e++)
	{
		uint64_t state = 122;
		double total = 0;
		DpQuantile quantile;
		int set;

		dp_quantile_init(&quantile, 0.5, epsilon_of(epsilons[e]),
						 dp_contribution_of_row(DP_ADD_REMOVE));
		for (set = 0; set < DATA_SETS; set++)
		{
			double rows[ROWS];
			int64_t values[ROWS];
			double median;
			int i;

			for (i = 0; i < ROWS; i++)
			{
				rows[i] = random_next_normal(&state);
				values[i] = dp_grid_from_double(&grid, rows[i]);
			}
			qsort(rows, ROWS, sizeof(rows[0]), compare);
			median = (rows[ROWS / 2 - 1] + rows[ROWS / 2]) / 2;
			for (i = 0; i < DRAWS; i++)
			{
				int64_t k;

				if (dp_quantile_draw(random, &quantile, values, ROWS,
									 grid.lower, grid.upper, &k) != DP_OK)
					total = INFINITY;
				total += fabs(dp_grid_to_double(&grid, (double) k) - median);
			}
		}
		is_double(100 * total / (DATA_SETS * DRAWS), printed[e],
				  0.15 * printed[e], "error of the median at epsilon %g",
				  epsilons[e]);
	}
}

/*
 * The same data, maximum, epsilon 1: above_threshold 0.53, exponential 1.35,
 * rank 0 3.3 (the score is flat above the maximum). A quarter tolerated: the
 * data sets' own maxima vary.
 */
static void
test_maximum(void)
{
	static const struct
	{
		DpMechanism mechanism;
		double rank;
		double least;
		double greatest;
	} kinds[] = {
		{DP_ABOVE_THRESHOLD, -1, 0.4, 0.9},
		{DP_EXPONENTIAL, -1, 0.9, 1.7},
		{DP_EXPONENTIAL, 0, 2.4, 4.2},
		{DP_LAPLACE, -1, 4, 9},
	};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 123);
	DpGrid grid;
	size_t m;

	dp_grid_for_doubles(-10, 10, DP_GRID_SPAN, &grid);
	for (m = 0; m < sizeof(kinds) / sizeof(kinds[0]); m++)
	{
		DpMechanismChoice choice = {.mechanism = kinds[m].mechanism,
									.rank = kinds[m].rank};
		DpExtreme extreme;
		uint64_t state = 124;
		double total = 0;
		int set;

		dp_extreme_init(&extreme, &choice, epsilon_of(1), &grid,
						dp_contribution_of_row(DP_ADD_REMOVE));
		for (set = 0; set < DATA_SETS; set++)
		{
			int64_t values[ROWS];
			double greatest = -10;
			int i;

			for (i = 0; i < ROWS; i++)
			{
				double x = random_next_normal(&state);

				greatest = fmax(greatest, x);
				values[i] = dp_grid_from_double(&grid, x);
			}
			for (i = 0; i < DRAWS; i++)
			{
				int64_t k;

				if (dp_extreme_draw(random, &extreme, values, ROWS, grid.lower,
									grid.upper, &k) != DP_OK ||
					k < grid.lower || k > grid.upper)
					total = INFINITY;
				total += fabs(dp_grid_to_double(&grid, (double) k) - greatest);
			}
		}
		total /= DATA_SETS * DRAWS;
		if (!ok(total >= kinds[m].least && total <= kinds[m].greatest,
				"error of the maximum, mechanism %s, rank %g",
				dp_mechanism_name(kinds[m].mechanism), kinds[m].rank))
			diag("it is %g", total);
	}
}

/* Every fraction finds its rank in plenty of data. */
static void
test_fractions(void)
{
	static const double fractions[] = {0, 0.01, 0.25, 0.5, 0.9, 0.999, 1};
	static int64_t values[100001];
	TestRandom source;
	DpRandom *random = random_seeded(&source, 125);
	size_t f;
	int n;

	for (f = 0; f < sizeof(fractions) / sizeof(fractions[0]); f++)
	{
		for (n = 0; n < 2; n++)
		{
			DpQuantile quantile;
			int64_t result = -1;
			int64_t i;

			for (i = 0; i <= 100000; i++)
				values[i] = i * 37 % 100001;
			is_int(dp_quantile_init(&quantile, fractions[f], epsilon_of(1),
									dp_contribution_of_row(n ? DP_SUBSTITUTE
															 : DP_ADD_REMOVE)),
				   DP_OK, "fraction %g is one", fractions[f]);
			/* off by 200 ranks has a probability below e^-50 */
			ok(dp_quantile_draw(random, &quantile, values, 100001, 0, 100000,
								&result) == DP_OK &&
				   fabs((double) result - fractions[f] * 100000) < 200,
			   "and found");
		}
	}
}

static void
test_refused(void)
{
	static const double refused[] = {-0.1, 1.0000001, NAN, INFINITY, -INFINITY};
	DpQuantile quantile;
	DpExtreme extreme;
	DpMechanismChoice choice = {.mechanism = DP_GAUSSIAN};
	DpGrid grid;
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		is_int(dp_quantile_init(&quantile, refused[i], epsilon_of(1),
								dp_contribution_of_row(DP_ADD_REMOVE)),
			   DP_PARAMETER_OUT_OF_RANGE, "fraction %g", refused[i]);
	dp_grid_for_integers(0, 10, DP_GRID_SPAN, &grid);
	is_int(dp_extreme_init(&extreme, &choice, epsilon_of(1), &grid,
						   dp_contribution_of_row(DP_ADD_REMOVE)),
		   DP_PARAMETER_OUT_OF_RANGE, "gaussian without delta");
}

/* Maxima of no rows, of equal bounds, at extremes of epsilon and the type. */
static void
test_total_maxima(void)
{
	static const DpMechanism kinds[] = {DP_AUTO,		DP_ABOVE_THRESHOLD,
										DP_EXPONENTIAL, DP_LAPLACE,
										DP_STAIRCASE,	DP_GAUSSIAN};
	static const double epsilons[] = {0x1p-20, 0.01, 1, 30, 1e6};
	static const int64_t bounds[][2] = {
		{0, 0},
		{0, 1},
		{-5, 100},
		{INT64_MIN, INT64_MIN + 50},
		{INT64_MAX - 50, INT64_MAX},
		{-((int64_t) 1 << 39), (int64_t) 1 << 39},
	};
	TestRandom source;
	DpRandom *random = random_seeded(&source, 126);
	size_t k;
	size_t e;
	size_t b;
	int n;

	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
	{
		bool good = true;

		for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
		{
			if (kinds[k] == DP_GAUSSIAN && epsilons[e] < 1e-4)
				continue; /* its sigma would be above the limit */
			for (b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++)
			{
				for (n = 0; n < 2; n++)
				{
					DpMechanismChoice choice = {
						.mechanism = kinds[k], .rank = -1, .delta = 0.01};
					int64_t lower = bounds[b][0];
					int64_t upper = bounds[b][1];
					int64_t values[4] = {upper, lower, lower, upper};
					DpExtreme extreme;
					DpGrid grid;
					size_t count;

					dp_grid_for_integers(lower, upper, DP_GRID_SPAN, &grid);
					good =
						good &&
						dp_extreme_init(
							&extreme, &choice, epsilon_of(epsilons[e]), &grid,
							dp_contribution_of_row(
								n ? DP_SUBSTITUTE : DP_ADD_REMOVE)) == DP_OK &&
						extreme.limit >= 1;
					for (count = 0; good && count <= 4; count++)
					{
						int64_t result;

						good =
							dp_extreme_draw(random, &extreme, values, count,
											lower, upper, &result) == DP_OK &&
							result >= lower && result <= upper;
					}
				}
			}
		}
		ok(good, "maxima within their bounds, mechanism %s",
		   dp_mechanism_name(kinds[k]));
	}
}

int
main(void)
{
	test_median();
	test_maximum();
	test_fractions();
	test_refused();
	test_total_maxima();
	return done_testing();
}
