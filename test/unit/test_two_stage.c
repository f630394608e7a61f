/*
 * test_two_stage.c
 *		Answers from a few levels: law, error and the published figures.
 */
#include <math.h>
#include <stdlib.h>

#include "mechanisms/extreme.h"
#include "mechanisms/mean.h"
#include "mechanisms/two_stage.h"
#include "support/data_sets.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

static TestRandom source;

static DpTwoStage
prepare(double levels, double epsilon, bool half)
{
	DpMechanismChoice choice = {.mechanism = DP_TWO_STAGE, .levels = levels};
	DpTwoStage prepared = {0};

	dp_two_stage_init(&prepared, &choice, epsilon_of(epsilon), half);
	return prepared;
}

static void
test_parameters(void)
{
	static const double levels[] = {0, 1, 101, NAN, -3, INFINITY};
	size_t i;

	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
	{
		DpMechanismChoice choice = {.mechanism = DP_TWO_STAGE,
									.levels = levels[i]};
		DpTwoStage prepared;

		is_int(dp_two_stage_init(&prepared, &choice, epsilon_of(1), false),
			   DP_PARAMETER_OUT_OF_RANGE, "%g levels", levels[i]);
	}
	is_int((long long) prepare(3, 1, true).noise.sensitivity, 1,
		   "three levels, half of the span: one level");
	is_int((long long) prepare(4, 1, true).noise.sensitivity, 2,
		   "four levels, half of the span: two levels");
	is_int((long long) prepare(4, 1, false).noise.sensitivity, 3,
		   "four levels, all of the span: three levels");
}

/* Draws from every place between the bounds follow the closed form. */
static void
test_draws(void)
{
	static const double levels[] = {2, 3, 6};
	DpRandom *random = random_seeded(&source, 501);
	size_t l;
	int truth;

	for (l = 0; l < sizeof(levels) / sizeof(levels[0]); l++)
	{
		DpTwoStage prepared = prepare(levels[l], 0.8, false);

		for (truth = 0; truth <= 10; truth += 5)
		{
			const int draws = 200000;
			uint64_t from =
				(uint64_t) floor((levels[l] - 1) * truth / 10 + 0.5);
			uint64_t counts[10] = {0};
			double probabilities[10];
			double total = 0;
			uint64_t i;
			int d;

			for (d = 0; d < draws; d++)
			{
				uint64_t level = 99;

				if (dp_two_stage_draw(random, &prepared, truth, 10, &level) ==
						DP_OK &&
					level < prepared.levels)
					counts[level]++;
			}
			for (i = 0; i < prepared.levels; i++)
			{
				probabilities[i] = dp_two_stage_pmf(&prepared, from, i);
				total += probabilities[i];
			}
			is_double(total, 1, 1e-12, "%g levels: the law sums to 1",
					  levels[l]);
			fits(counts, probabilities, prepared.levels, draws,
				 "%g levels, truth at %d of 10", levels[l], truth);
		}
	}
}

/* The error by brute force over the truth, in fine steps. */
static void
test_error(void)
{
	static const double levels[] = {2, 3, 5, 8};
	static const double epsilons[] = {0.2, 1, 3, 8};
	size_t l;
	size_t e;

	for (l = 0; l < sizeof(levels) / sizeof(levels[0]); l++)
	{
		for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
		{
			DpTwoStage prepared = prepare(levels[l], epsilons[e], true);
			double parts = levels[l] - 1;
			double absolute = 0;
			double square = 0;
			double width = 0;
			DpError error;
			int step;

			for (step = 0; step <= 1000; step++)
			{
				double truth = step / 1000.0 * parts;
				double distances[16];
				double chances[16];
				double a = 0;
				double s = 0;
				double inside = 0;
				uint64_t i;
				uint64_t j;

				for (i = 0; i < prepared.levels; i++)
				{
					distances[i] = fabs((double) i - truth);
					chances[i] = dp_two_stage_pmf(
						&prepared, (uint64_t) floor(truth + 0.5), i);
					a += chances[i] * distances[i];
					s += chances[i] * distances[i] * distances[i];
				}
				absolute = fmax(absolute, a);
				square = fmax(square, s);
				for (i = 0; i < prepared.levels && inside < 0.95; i++)
				{
					uint64_t least = 0;

					for (j = 1; j < prepared.levels; j++)
					{
						if (distances[j] < distances[least])
							least = j;
					}
					inside += chances[least];
					if (inside >= 0.95)
						width = fmax(width, distances[least]);
					distances[least] = INFINITY;
				}
			}
			dp_two_stage_error(&prepared, &error);
			is_double(error.mean_absolute * parts, absolute, 5e-3,
					  "%g levels, epsilon %g: greatest E|error|", levels[l],
					  epsilons[e]);
			is_double(error.root_mean_square * parts, sqrt(square), 5e-3,
					  "and root mean square");
			is_double(error.half_width_95 * parts, width, 5e-3,
					  "and half-width");
		}
	}
}

/*
 * Chen, Pal, Golubchik, 5.2, a mean whose prior is normal about the middle with
 * a standard deviation of a tenth of the sensitivity: 0.575 at epsilon 1, where
 * the staircase has 0.960, and 0.092 at epsilon 5, where it has 0.083.
 */
static double
prior_error(double epsilon)
{
	DpTwoStage prepared = prepare(3, epsilon, true);
	double rounding = 0.1 * sqrt(2 / acos(-1.0)); /* E|truth - middle| */

	return 2 * dp_two_stage_pmf(&prepared, 1, 0) +
		   rounding * dp_two_stage_pmf(&prepared, 1, 1);
}

static void
test_published(void)
{
	is_double(prior_error(1), 0.575, 0.0005, "published error at epsilon 1");
	is_double(prior_error(5), 0.092, 0.0005, "published error at epsilon 5");
}

/* Means and extremes hand the right truth over. */
static void
test_callers(void)
{
	DpRandom *random = random_seeded(&source, 502);
	DpMechanismChoice choice = {.mechanism = DP_TWO_STAGE, .levels = 5};
	DpGrid grid;
	DpMean mean;
	DpExtreme extreme;
	int64_t values[] = {-7, 3, 12};
	int64_t result;
	DpFraction fraction;

	dp_grid_for_integers(-10, 30, DP_GRID_SPAN, &grid);
	is_int(dp_mean_init(&mean, &choice, epsilon_of(10000), &grid,
						dp_contribution_of_row(DP_ADD_REMOVE)),
		   DP_OK, "a mean");
	is_int((long long) mean.two_stage.noise.sensitivity, 2,
		   "half of four parts");
	dp_mean_draw(random, &mean, 3 + 13 + 22, 3, &fraction); /* 2.67 - -10 */
	ok(fraction.numerator == 1 && fraction.denominator == 4,
	   "the level next to the mean");
	dp_mean_draw(random, &mean, 0, 0, &fraction);
	ok(fraction.numerator == 2 && fraction.denominator == 4,
	   "without rows the middle");
	dp_mean_draw(random, &mean, 0, 3, &fraction);
	ok(fraction.numerator == 0, "all at the lower bound");
	dp_mean_draw(random, &mean, (dp_int128) 40 * INT64_MAX, INT64_MAX,
				 &fraction);
	ok(fraction.numerator == 4, "2^63 rows at the upper bound");
	dp_mean_init(&mean, &choice, epsilon_of(1), &grid,
				 dp_contribution_of_row(DP_SUBSTITUTE));
	is_int((long long) mean.two_stage.noise.sensitivity, 4,
		   "all of them under substitution");
	dp_mean_init_units(&mean, &choice, epsilon_of(1), &grid,
					   (DpContribution){DP_ADD_REMOVE, 2, 0});
	is_int((long long) mean.two_stage.noise.sensitivity, 4,
		   "and for units of several rows");
	dp_mean_draw(random, &mean, (dp_int128) 3 * mean.steps, 3, &fraction);
	ok(fraction.denominator == 4, "whose steps are finer");
	dp_mean_init(&mean, &choice, epsilon_of(1), &grid,
				 (DpContribution){DP_SUBSTITUTE, 1, 3});
	is_int((long long) mean.two_stage.noise.epsilon.ticks,
		   (long long) (DP_EPSILON_ONE / 6), "a sixth for each of six groups");

	is_int(dp_extreme_init(&extreme, &choice, epsilon_of(10000), &grid,
						   dp_contribution_of_row(DP_ADD_REMOVE)),
		   DP_OK, "a maximum");
	is_int((long long) extreme.two_stage.noise.sensitivity, 4,
		   "all four parts");
	dp_extreme_draw(random, &extreme, values, 3, -10, 30, &result);
	is_int(result, 10, "the level next to the maximum");
	dp_extreme_draw(random, &extreme, values, 0, -10, 30, &result);
	is_int(result, -10, "without values the lower bound");

	choice.levels = 4;
	dp_extreme_init(&extreme, &choice, epsilon_of(10000), &grid,
					dp_contribution_of_row(DP_ADD_REMOVE));
	dp_extreme_draw(random, &extreme, values, 3, -10, 30, &result);
	is_int(result, 17, "two thirds of 40, rounded");

	/* quanta of extremes count from the lower bound */
	choice = (DpMechanismChoice){.mechanism = DP_GEOMETRIC, .quantum = 7};
	dp_extreme_init(&extreme, &choice, epsilon_of(10000), &grid,
					dp_contribution_of_row(DP_ADD_REMOVE));
	dp_extreme_draw(random, &extreme, values, 3, -10, 30, &result);
	is_int(result, 11, "-10 + 3 * 7");
	is_int(dp_mean_init(&mean, &choice, epsilon_of(1), &grid,
						dp_contribution_of_row(DP_ADD_REMOVE)),
		   DP_PARAMETER_OUT_OF_RANGE, "a mean has no quantum");
}

/* What answers from that many levels apart tell, at most, in rho. */
static double
rho_of_levels(const DpTwoStage *prepared, uint64_t apart)
{
	double worst = 0;
	uint64_t from;
	uint64_t other;
	uint64_t to;

	for (from = 0; from < prepared->levels; from++)
	{
		for (other = 0; other < prepared->levels; other++)
		{
			double p[10];
			double q[10];

			if (other + apart < from || from + apart < other)
				continue;
			for (to = 0; to < prepared->levels; to++)
			{
				p[to] = dp_two_stage_pmf(prepared, from, to);
				q[to] = dp_two_stage_pmf(prepared, other, to);
			}
			worst =
				fmax(worst, distribution_rho(p, q, (int64_t) prepared->levels));
		}
	}
	return worst;
}

/* They cost what they tell: means, and maxima. */
static void
test_rho(void)
{
	static const double epsilons[] = {0.1, 1, 2.5, 6};
	static const double levels[] = {2, 3, 6};
	DpContribution row = dp_contribution_of_row(DP_ADD_REMOVE);
	size_t e;
	size_t l;

	for (l = 0; l < sizeof(levels) / sizeof(levels[0]); l++)
	{
		bool cheap = true;
		bool noticed = true;

		for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
		{
			DpMechanismChoice choice = {.mechanism = DP_TWO_STAGE,
										.levels = levels[l]};
			DpEpsilon epsilon = epsilon_of(epsilons[e]);
			DpGrid grid = grid_of(-10, 30);
			DpMean mean;
			DpExtreme extreme;
			DpRho of_mean = {0};
			DpRho of_extreme = {0};

			if (dp_mean_init(&mean, &choice, epsilon, &grid, row) != DP_OK ||
				dp_extreme_init(&extreme, &choice, epsilon, &grid, row) !=
					DP_OK)
				abort();
			dp_mean_rho(&mean, epsilon, row, &of_mean);
			dp_extreme_rho(&extreme, epsilon, row, &of_extreme);
			cheap =
				cheap &&
				rho_of_levels(&mean.two_stage,
							  (uint64_t) mean.two_stage.noise.sensitivity) <=
					(double) of_mean.ticks * 1e-24 + 1e-12 &&
				rho_of_levels(&extreme.two_stage,
							  (uint64_t) extreme.two_stage.noise.sensitivity) <=
					(double) of_extreme.ticks * 1e-24 + 1e-12;
			noticed = noticed && (levels[l] > 2 ||
								  rho_of_levels(&extreme.two_stage, 1) >
									  0.6 * (double) of_extreme.ticks * 1e-24);
		}
		ok(cheap, "%g levels cost the rho that they tell", levels[l]);
		ok(noticed, "and not much more");
	}
}

int
main(void)
{
	test_parameters();
	test_draws();
	test_error();
	test_published();
	test_callers();
	test_rho();
	return done_testing();
}
