/*
 * test_privacy.c
 *		The guarantee, by enumeration.
 *
 * On small grids, all data sets of a few rows and all their neighbours: the
 * ratio of the probabilities of every answer is at most exp(epsilon). The
 * probabilities are those that the mechanisms' own pmf and weights give; that
 * draws follow them is shown elsewhere. Every check is repeated with half the
 * sensitivity, where it must fail: it can tell.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanisms/extreme.h"
#include "mechanisms/mean.h"
#include "mechanisms/quantile.h"
#include "support/data_sets.h"
#include "support/epsilon.h"
#include "support/noise_loss.h"
#include "support/random_fixed.h"
#include "support/rank_naive.h"
#include "support/statistic.h"
#include "support/walk_law.h"

#define SLACK (1 + 1e-9)
#define POINTS_MAX 64

static const double epsilons[] = {0.1, 0.5, 1, 2.5};
#define EPSILONS (sizeof(epsilons) / sizeof(epsilons[0]))

/* Noise of every kind for a change by so many steps. */
static bool
noise_is_private(double epsilon, uint64_t sensitivity, int64_t change)
{
	static const DpMechanism kinds[] = {DP_AUTO, DP_LAPLACE, DP_GEOMETRIC,
										DP_STAIRCASE, DP_DISCRETE_STAIRCASE};
	size_t i;
	bool good = true;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
	{
		DpMechanismChoice choice = {.mechanism = kinds[i]};
		DpNoise noise;

		good = good &&
			   dp_noise_init(&noise, &choice, epsilon_of(epsilon),
							 sensitivity) == DP_OK &&
			   noise_loss(&noise, change) <=
				   dp_epsilon_to_double(noise.epsilon) + 1e-9;
	}
	return good;
}

static void
test_noise(void)
{
	uint64_t d;
	uint64_t r;
	size_t e;
	bool good = true;
	bool loose = false;

	for (e = 0; e < EPSILONS; e++)
	{
		ok(noise_is_private(epsilons[e], dp_sensitivity_count(), 1),
		   "counts, epsilon %g", epsilons[e]);
		for (d = 1; d <= 12; d++)
		{
			for (r = 1; r <= d; r++)
			{
				DpMechanismChoice choice = {.mechanism = DP_DISCRETE_STAIRCASE,
											.first_step = (double) r};
				DpNoise noise;
				double used;

				if (dp_noise_init(&noise, &choice, epsilon_of(epsilons[e]),
								  d) != DP_OK)
					good = false;
				used = dp_epsilon_to_double(noise.epsilon);
				good = good && noise_loss(&noise, (int64_t) d) <= used + 1e-9;
				/* a step more than the sensitivity is seen */
				loose =
					loose || noise_loss(&noise, (int64_t) d + 1) <= used + 1e-9;
			}
		}
		ok(good, "staircase of every first step, D up to 12, epsilon %g",
		   epsilons[e]);
		ok(!loose, "and not for a change by D + 1");
		ok(!noise_is_private(epsilons[e], 3, 6), "nor for a change by 2 D");
	}
}

static void
test_sums(void)
{
	static const int64_t bounds[][2] = {{-5, -2}, {-4, 2}, {1, 6},	{0, 3},
										{-3, 0},  {2, 2},  {-1, -1}};
	size_t b;
	int n;

	for (b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++)
	{
		all_sets(bounds[b][0], bounds[b][1], 3);
		for (n = 0; n < 2; n++)
		{
			DpNeighbours neighbours = n ? DP_SUBSTITUTE : DP_ADD_REMOVE;
			DpGrid grid = grid_of(bounds[b][0], bounds[b][1]);
			uint64_t sensitivity = dp_sensitivity_sum(&grid, neighbours);
			int64_t change = 0;
			size_t i;
			size_t j;

			for (i = 0; i < set_count; i++)
			{
				for (j = 0; j < set_count; j++)
				{
					if (are_neighbours(&sets[i], &sets[j], neighbours) &&
						llabs(sum_of(&sets[i]) - sum_of(&sets[j])) > change)
						change = llabs(sum_of(&sets[i]) - sum_of(&sets[j]));
				}
			}
			is_int((long long) sensitivity, change,
				   "sums in %d .. %d, %s: the sensitivity is true and reached",
				   (int) bounds[b][0], (int) bounds[b][1],
				   n ? "substitute" : "add_remove");
			if (sensitivity == 0)
				continue;
			ok(noise_is_private(1, sensitivity, change), "they are private");
			if (sensitivity > 1)
				ok(!noise_is_private(1, sensitivity / 2, change),
				   "but not with half the sensitivity");
		}
	}
}

/*
 * The loss of a mean's pair: both sums get noise of their own, so the greatest
 * losses of the two add up.
 */
static double
mean_loss(const DpNoise *noise, int64_t da, int64_t db)
{
	double a = 0;
	double b = 0;
	int64_t z;

	for (z = -60; z <= 60; z++)
	{
		a = fmax(a, log(dp_noise_pmf(noise, (double) z) /
						dp_noise_pmf(noise, (double) (z - da))));
		b = fmax(b, log(dp_noise_pmf(noise, (double) z) /
						dp_noise_pmf(noise, (double) (z - db))));
	}
	return a + b;
}

static void
test_means(void)
{
	static const DpMechanism kinds[] = {DP_AUTO, DP_LAPLACE, DP_STAIRCASE,
										DP_DISCRETE_STAIRCASE};
	const int64_t lower = -2;
	const int64_t upper = 3;
	const int64_t span = upper - lower;
	DpGrid grid = grid_of(lower, upper);
	int n;

	all_sets(lower, upper, 3);
	for (n = 0; n < 2; n++)
	{
		DpNeighbours neighbours = n ? DP_SUBSTITUTE : DP_ADD_REMOVE;
		bool good = true;
		bool noticed = true;
		int64_t change = 0;
		size_t i;
		size_t j;
		size_t k;
		size_t e;

		for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		{
			for (e = 0; e <= EPSILONS; e++)
			{
				double epsilon = e < EPSILONS ? epsilons[e] : 12;
				DpMechanismChoice choice = {.mechanism = kinds[k]};
				DpMean mean;
				DpNoise half;
				double loss = 0;
				double half_loss = 0;

				if (dp_mean_init(&mean, &choice, epsilon_of(epsilon), &grid,
								 dp_contribution_of_row(neighbours)) != DP_OK)
					good = false;
				half = mean.noise;
				choice.mechanism = half.mechanism;
				dp_noise_init(&half, &choice, mean.noise.epsilon,
							  mean.noise.sensitivity / 2);
				for (i = 0; i < set_count; i++)
				{
					for (j = 0; j < set_count; j++)
					{
						int64_t a;
						int64_t b;
						int64_t rows =
							(int64_t) sets[i].count - (int64_t) sets[j].count;

						if (!are_neighbours(&sets[i], &sets[j], neighbours))
							continue;
						a = sum_of(&sets[i]) - sum_of(&sets[j]) - lower * rows;
						b = rows * span - a;
						if (llabs(a) + llabs(b) > change)
							change = llabs(a) + llabs(b);
						loss = fmax(loss, mean_loss(&mean.noise, a, b));
						half_loss = fmax(half_loss, mean_loss(&half, a, b));
					}
				}
				good = good &&
					   loss <= dp_epsilon_to_double(epsilon_of(epsilon)) + 1e-9;
				/* under substitution a staircase has twice what it needs */
				if (!(n == 1 && half.mechanism != DP_LAPLACE))
					noticed = noticed && half_loss > epsilon;
			}
		}
		is_int((long long) dp_sensitivity_mean(&grid, neighbours), change,
			   "means, %s: the sensitivity is true and reached",
			   n ? "substitute" : "add_remove");
		ok(good, "they are private");
		ok(noticed, "but not with half the sensitivity");
	}
}

/* How far two laws are apart: distribution_loss or distribution_rho. */
typedef double (*Measure)(const double *p, const double *q, int64_t points);

/*
 * The greatest of a measure of a rank mechanism's laws for all neighbours in
 * 0 .. upper.
 */
static double
rank_worst(DpRankMechanism *mechanism, int64_t fraction, int64_t offset,
		   DpNeighbours neighbours, int64_t upper, Measure measure)
{
	static double distributions[SETS_MAX][POINTS_MAX];
	double worst = 0;
	size_t i;
	size_t j;

	for (i = 0; i < set_count; i++)
	{
		if (!rank_piece_distribution(
				mechanism, fraction * (int64_t) sets[i].count - offset,
				sets[i].rows, sets[i].count, 0, upper, distributions[i]))
			return INFINITY;
	}
	for (i = 0; i < set_count; i++)
	{
		for (j = 0; j < set_count; j++)
		{
			if (are_neighbours(&sets[i], &sets[j], neighbours))
				worst = fmax(worst, measure(distributions[i], distributions[j],
											upper + 1));
		}
	}
	return worst;
}

static double
rank_loss(DpRankMechanism *mechanism, int64_t fraction, int64_t offset,
		  DpNeighbours neighbours, int64_t upper)
{
	return rank_worst(mechanism, fraction, offset, neighbours, upper,
					  distribution_loss);
}

/* Whether laws are apart in rho by no more than was asked for them. */
static bool
within(double worst, DpRho rho)
{
	bool good = worst <= (double) rho.ticks * 1e-24 + 1e-9;

	if (!good)
		diag("%.12g of rho, for %.12g", worst, (double) rho.ticks * 1e-24);
	return good;
}

/* The greatest change of the score k itself, over points and neighbours. */
static int64_t
rank_change(const DpRankMechanism *mechanism, int64_t fraction,
			DpNeighbours neighbours, int64_t upper)
{
	int64_t change = 0;
	size_t i;
	size_t j;
	int64_t v;

	for (i = 0; i < set_count; i++)
	{
		for (j = 0; j < set_count; j++)
		{
			if (!are_neighbours(&sets[i], &sets[j], neighbours))
				continue;
			for (v = 0; v <= upper; v++)
			{
				int64_t a = (int64_t) rank_naive_score(
					mechanism, fraction * (int64_t) sets[i].count, sets[i].rows,
					sets[i].count, v);
				int64_t b = (int64_t) rank_naive_score(
					mechanism, fraction * (int64_t) sets[j].count, sets[j].rows,
					sets[j].count, v);

				if (llabs(a - b) > change)
					change = llabs(a - b);
			}
		}
	}
	return change;
}

static void
test_quantiles(void)
{
	static const double fractions[] = {0, 0.1, 0.25, 0.5, 0.9, 1};
	const int64_t upper = 4;
	size_t f;
	int n;

	all_sets(0, upper, 4);
	for (f = 0; f < sizeof(fractions) / sizeof(fractions[0]); f++)
	{
		for (n = 0; n < 2; n++)
		{
			DpNeighbours neighbours = n ? DP_SUBSTITUTE : DP_ADD_REMOVE;
			DpQuantile quantile;
			DpRankMechanism part;
			/*
			 * Half of it; but scores far from the median move all one way,
			 * with the sum of the weights, and lose half of epsilon at most.
			 */
			int64_t parts = fractions[f] == 0.5 ? 2 : 4;
			bool good = true;
			bool cheap = true;
			DpRho rho;
			bool noticed = true;
			size_t e;

			for (e = 0; e < EPSILONS; e++)
			{
				DpEpsilon epsilon = epsilon_of(epsilons[e]);

				if (dp_quantile_init(&quantile, fractions[f], epsilon,
									 dp_contribution_of_row(neighbours)) !=
						DP_OK ||
					dp_rank_init(&part, quantile.rank.sensitivity / parts,
								 epsilon, 128) != DP_OK)
					good = false;
				good = good && rank_loss(&quantile.rank, quantile.fraction, 0,
										 neighbours, upper) <=
								   dp_epsilon_to_double(epsilon) + 1e-9;
				dp_quantile_rho(epsilon, dp_contribution_of_row(neighbours),
								&rho);
				cheap = within(rank_worst(&quantile.rank, quantile.fraction, 0,
										  neighbours, upper, distribution_rho),
							   rho) &&
						cheap;
				noticed = noticed && rank_loss(&part, quantile.fraction, 0,
											   neighbours, upper) > epsilons[e];
			}
			ok(good, "quantile %g is private, %s", fractions[f],
			   n ? "substitute" : "add_remove");
			ok(cheap, "and costs the rho that it tells");
			ok(rank_change(&quantile.rank, quantile.fraction, neighbours,
						   upper) == quantile.rank.sensitivity,
			   "the sensitivity of its score is true and reached");
			ok(noticed, "it is not private with a part of the sensitivity");
		}
	}
}

/*
 * The exact distribution of above_threshold over its stops, the last of which
 * is the upper bound; below are those of a grid 0 .. upper.
 */
static size_t
above_threshold_distribution(const DpExtreme *extreme, const int64_t *rows,
							 size_t count, int64_t upper, double *stops)
{
	uint64_t above[DP_EXTREME_STEPS];
	size_t steps = (size_t) extreme->steps;
	size_t i;
	size_t j;

	for (i = 0; i < steps; i++)
	{
		int64_t mark = (int64_t) ((uint64_t) upper * i / steps);

		above[i] = 0;
		for (j = 0; j < count; j++)
			above[i] += rows[j] > mark;
		if (above[i] > extreme->limit)
			above[i] = extreme->limit;
	}
	walk_law(&extreme->walk, above, steps, stops);
	return steps + 1;
}

static double
above_threshold_worst(const DpExtreme *extreme, DpNeighbours neighbours,
					  int64_t upper, Measure measure)
{
	static double stops[SETS_MAX][POINTS_MAX];
	double worst = 0;
	size_t number = 0;
	size_t i;
	size_t j;

	for (i = 0; i < set_count; i++)
		number = above_threshold_distribution(extreme, sets[i].rows,
											  sets[i].count, upper, stops[i]);
	for (i = 0; i < set_count; i++)
	{
		for (j = 0; j < set_count; j++)
		{
			if (are_neighbours(&sets[i], &sets[j], neighbours))
				worst =
					fmax(worst, measure(stops[i], stops[j], (int64_t) number));
		}
	}
	return worst;
}

static double
above_threshold_loss(const DpExtreme *extreme, DpNeighbours neighbours,
					 int64_t upper)
{
	return above_threshold_worst(extreme, neighbours, upper, distribution_loss);
}

static void
test_maxima(void)
{
	const int64_t upper = 4;
	DpGrid grid = grid_of(0, upper);
	int n;
	size_t e;

	all_sets(0, upper, 4);
	for (n = 0; n < 2; n++)
	{
		DpNeighbours neighbours = n ? DP_SUBSTITUTE : DP_ADD_REMOVE;
		const char *name = n ? "substitute" : "add_remove";

		for (e = 0; e < EPSILONS; e++)
		{
			double epsilon = epsilons[e];
			DpMechanismChoice choice = {.mechanism = DP_ABOVE_THRESHOLD};
			DpExtreme extreme;
			int threshold;
			int rank;
			bool good = true;
			double greatest = 0;
			double loss = 0;
			DpContribution row = dp_contribution_of_row(neighbours);
			DpRho rho;
			bool cheap;

			dp_extreme_init(&extreme, &choice, epsilon_of(epsilon), &grid,
							dp_contribution_of_row(neighbours));
			dp_extreme_rho(&extreme, epsilon_of(epsilon), row, &rho);
			cheap = within(above_threshold_worst(&extreme, neighbours, upper,
												 distribution_rho),
						   rho);
			/* The threshold is no part of the argument: try several. */
			for (threshold = 0; threshold <= 4; threshold++)
			{
				DpExtreme moved = extreme;

				if (threshold > 0)
					moved.walk.threshold = (uint64_t) (threshold - 1);
				greatest = fmax(
					greatest, above_threshold_loss(&moved, neighbours, upper));
				moved.walk.t_threshold /= 2;
				moved.walk.t_counts /= 2;
				loss =
					fmax(loss, above_threshold_loss(&moved, neighbours, upper));
			}
			ok(greatest <= epsilon + 1e-9 && greatest >= epsilon - 1e-5,
			   "above_threshold is private and uses all of it, %s, epsilon %g",
			   name, epsilon);
			ok(loss > epsilon, "but not with half the noise");
			ok(cheap, "and costs the rho that it tells");

			choice.mechanism = DP_EXPONENTIAL;
			good = true;
			for (rank = -1; rank <= 3; rank++)
			{
				choice.rank = rank;
				dp_extreme_init(&extreme, &choice, epsilon_of(epsilon), &grid,
								dp_contribution_of_row(neighbours));
				good = good && rank_loss(&extreme.ranks, DP_RANK_ONE,
										 extreme.rank * DP_RANK_ONE, neighbours,
										 upper) <= epsilon + 1e-9;
				dp_extreme_rho(&extreme, epsilon_of(epsilon), row, &rho);
				good = within(rank_worst(&extreme.ranks, DP_RANK_ONE,
										 extreme.rank * DP_RANK_ONE, neighbours,
										 upper, distribution_rho),
							  rho) &&
					   good;
			}
			ok(good, "exponential is private at every rank, %s, epsilon %g",
			   name, epsilon);

			choice.mechanism = DP_STAIRCASE;
			dp_extreme_init(&extreme, &choice, epsilon_of(epsilon), &grid,
							dp_contribution_of_row(neighbours));
			ok(noise_loss(&extreme.noise, upper) <= epsilon + 1e-9,
			   "noise on the maximum covers the span");
		}
	}
}

/*
 * The aggregate keeps only so many of the greatest values: the same words give
 * the same answer, and the weights are the same.
 */
static void
test_limited_lists(void)
{
	static const DpMechanism kinds[] = {DP_ABOVE_THRESHOLD, DP_EXPONENTIAL,
										DP_STAIRCASE, DP_LAPLACE, DP_AUTO};
	uint64_t state = 96;
	size_t k;

	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
	{
		bool same = true;
		bool truncated = false;
		int round;

		for (round = 0; round < 300; round++)
		{
			static int64_t all[2000];
			static int64_t some[2000];
			static int64_t greatest[2000];
			int64_t upper =
				1 + (int64_t) random_next_below(&state, round % 2 ? 40 : 900);
			DpGrid grid = grid_of(0, upper);
			DpNeighbours neighbours = round % 3 ? DP_ADD_REMOVE : DP_SUBSTITUTE;
			DpMechanismChoice choice = {
				.mechanism = kinds[k],
				.rank = (double) random_next_below(&state, 4) - 1};
			DpExtreme extreme;
			size_t count = random_next_below(&state, 2000);
			size_t kept;
			size_t i;
			int draw;

			if (dp_extreme_init(
					&extreme, &choice,
					epsilon_of(exp2(random_next_double(&state) * 6 - 2)), &grid,
					dp_contribution_of_row(neighbours)) != DP_OK)
				same = false;
			for (i = 0; i < count; i++)
				all[i] =
					(int64_t) random_next_below(&state, (uint64_t) upper + 1);
			kept = count < extreme.limit ? count : extreme.limit;
			truncated = truncated || kept < count;
			memcpy(greatest, all, sizeof(all));
			/* by counting: the grid is small */
			{
				size_t place = 0;
				int64_t v;

				for (v = upper; v >= 0; v--)
				{
					for (i = 0; i < count && place < kept; i++)
					{
						if (all[i] == v)
							greatest[place++] = v;
					}
				}
			}
			for (draw = 0; draw < 5; draw++)
			{
				TestRandom one;
				TestRandom other;
				uint64_t seed = random_next(&state);
				int64_t full = -1;
				int64_t limited = -2;

				memcpy(some, greatest, sizeof(some));
				same =
					same &&
					dp_extreme_draw(random_seeded(&one, seed), &extreme, all,
									count, 0, upper, &full) == DP_OK &&
					dp_extreme_draw(random_seeded(&other, seed), &extreme, some,
									kept, 0, upper, &limited) == DP_OK &&
					full == limited && full >= 0 && full <= upper &&
					random_consumed(&one) == random_consumed(&other);
			}
		}
		ok(same && truncated, "the greatest values suffice, mechanism %s",
		   dp_mechanism_name(kinds[k]));
	}
}

/* The enumeration of above_threshold is what is drawn. */
static void
test_above_threshold_draws(void)
{
	static const int64_t uppers[] = {1, 7, 50, 1000, 390, 5000};
	static const double at[] = {0.5, 0.5, 0.5, 0.5, 4, 9};
	uint64_t state = 97;
	size_t u;

	for (u = 0; u < sizeof(uppers) / sizeof(uppers[0]); u++)
	{
		int64_t upper = uppers[u];
		DpGrid grid = grid_of(0, upper);
		DpMechanismChoice choice = {.mechanism = DP_ABOVE_THRESHOLD};
		DpExtreme extreme;
		int64_t rows[50];
		double stops[DP_EXTREME_STEPS + 1];
		uint64_t counts[DP_EXTREME_STEPS + 1] = {0};
		TestRandom source;
		DpRandom *random = random_seeded(&source, 98);
		size_t number;
		int i;

		for (i = 0; i < 50; i++)
			rows[i] = (int64_t) random_next_below(&state, (uint64_t) upper + 1);
		dp_extreme_init(&extreme, &choice, epsilon_of(at[u]), &grid,
						dp_contribution_of_row(DP_ADD_REMOVE));
		number = above_threshold_distribution(&extreme, rows, 50, upper, stops);
		for (i = 0; i < 50000; i++)
		{
			int64_t result;
			size_t stop;

			if (dp_extreme_draw(random, &extreme, rows, 50, 0, upper,
								&result) != DP_OK)
				break;
			for (stop = 0;
				 stop < number - 1 &&
				 (int64_t) ((uint64_t) upper * stop / (number - 1)) != result;
				 stop++)
				;
			counts[stop]++;
		}
		fits(counts, stops, number, 50000,
			 "above_threshold in 0 .. %d, epsilon %g", (int) upper, at[u]);
	}
}

int
main(void)
{
	test_noise();
	test_sums();
	test_means();
	test_quantiles();
	test_maxima();
	test_limited_lists();
	test_above_threshold_draws();
	return done_testing();
}
