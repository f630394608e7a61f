/*
 * test_above_threshold.c
 *		Where the one-sided walk stops: its law, and what that gives away.
 *
 * The law is summed up in doubles from the ratios that were prepared. The draws
 * must follow it, and the law must keep epsilon for all pairs of neighbouring
 * counts, and reach it for one of them, so that no noise is wasted. Of rho, too,
 * they tell no more than they cost.
 */
#include <math.h>

#include "mechanisms/above_threshold.h"
#include "mechanisms/zcdp.h"
#include "support/data_sets.h"
#include "support/random_fixed.h"
#include "support/statistic.h"
#include "support/tap.h"
#include "support/walk_law.h"

#define MARKS 4
#define GREATEST 3 /* of the counts that are enumerated */

static TestRandom source;

static DpAboveThreshold
prepare(double epsilon, DpNeighbours neighbours, uint64_t threshold)
{
	DpAboveThreshold walk = {0};
	DpEpsilon units = {0};

	dp_epsilon_from_double(epsilon, &units);
	dp_above_threshold_init(&walk, units, neighbours, threshold);
	return walk;
}

static void
test_draws(double epsilon, DpNeighbours neighbours, uint64_t threshold,
		   const uint64_t *counts)
{
	DpAboveThreshold walk = prepare(epsilon, neighbours, threshold);
	uint64_t stops[MARKS + 1] = {0};
	double p[MARKS + 1];
	int draws = 200000;
	int failed = 0;
	int i;

	walk_law(&walk, counts, MARKS, p);
	for (i = 0; i < draws; i++)
	{
		size_t stop = 0;

		if (dp_above_threshold_draw(&source.random, &walk, counts, MARKS,
									&stop) != DP_OK)
			failed++;
		stops[stop]++;
	}
	is_int(failed, 0, "no draw fails");
	fits(stops, p, MARKS + 1, (uint64_t) draws,
		 "stops at epsilon %g, %s, threshold %d", epsilon,
		 neighbours == DP_SUBSTITUTE ? "substitute" : "add_remove",
		 (int) threshold);
}

/* Digits of a number, as counts or as changes. */
static void
digits_of(int number, int base, int n, int64_t *digits)
{
	int i;

	for (i = 0; i < n; i++)
	{
		digits[i] = number % base;
		number /= base;
	}
}

/*
 * The greatest log ratio between these counts and neighbours of them; *rho: made
 * as great as any are apart in rho.
 */
static double
worst_of(const DpAboveThreshold *walk, const int64_t *counts, int marks,
		 bool is_monotone, double *rho)
{
	int changes = (int) (is_monotone ? pow(2, marks) : pow(3, marks));
	uint64_t before[MARKS];
	double p[MARKS + 1];
	double worst = 0;
	int number;
	int i;

	for (i = 0; i < marks; i++)
		before[i] = (uint64_t) counts[i];
	walk_law(walk, before, (size_t) marks, p);
	for (number = 0; number < changes; number++)
	{
		int64_t change[MARKS];
		uint64_t after[MARKS];
		double q[MARKS + 1];
		bool is_possible = true;

		digits_of(number, is_monotone ? 2 : 3, marks, change);
		for (i = 0; i < marks; i++)
		{
			int64_t count = counts[i] + change[i] - (is_monotone ? 0 : 1);

			is_possible = is_possible && count >= 0;
			after[i] = (uint64_t) count;
		}
		if (!is_possible)
			continue;
		walk_law(walk, after, (size_t) marks, q);
		for (i = 0; i <= marks; i++)
		{
			/* Both ways round, so that monotone changes go both ways, too. */
			if (p[i] > 0 || q[i] > 0)
				worst = fmax(worst, fabs(log(p[i] / q[i])));
		}
		*rho = fmax(*rho, distribution_rho(p, q, marks + 1));
		*rho = fmax(*rho, distribution_rho(q, p, marks + 1));
	}
	return worst;
}

static void
test_privacy(double epsilon, DpNeighbours neighbours, uint64_t threshold,
			 int marks)
{
	DpAboveThreshold walk = prepare(epsilon, neighbours, threshold);
	double used = (double) walk.s / (double) DP_EPSILON_ONE;
	bool is_monotone = neighbours == DP_ADD_REMOVE;
	int number;
	double worst = 0;
	double rho = 0;
	DpRho cost = {0};

	for (number = 0; number < pow(GREATEST + 1, marks); number++)
	{
		int64_t counts[MARKS];

		digits_of(number, GREATEST + 1, marks, counts);
		worst = fmax(worst, worst_of(&walk, counts, marks, is_monotone, &rho));
	}
	ok(worst <= used + 1e-9, "epsilon %g is kept, %s, threshold %d: %.9f",
	   epsilon, is_monotone ? "add_remove" : "substitute", (int) threshold,
	   worst);
	ok(worst >= used - 1e-6, "and used: %.9f", worst);
	if (is_monotone)
		dp_zcdp_of_one_sided((DpEpsilon){walk.s}, 1, &cost);
	else
		dp_zcdp_of_pure((DpEpsilon){walk.s}, 1, &cost);
	ok(rho <= (double) cost.ticks * 1e-24 + 1e-9 && rho > 0,
	   "it costs the rho that it tells: %.6f of %.6f", rho,
	   (double) cost.ticks * 1e-24);
}

/* Scale and sign: what walks over high counts stops where they become low. */
static void
test_walk(void)
{
	static const uint64_t high[MARKS] = {1000000, 100000, 0, 0};
	static const uint64_t never[MARKS] = {1000000, 100000, 100000, 100000};
	DpAboveThreshold walk = prepare(1, DP_ADD_REMOVE, 200);
	size_t stop = 0;

	/* Each misses with less than exp(-90). */
	(void) dp_above_threshold_draw(&source.random, &walk, high, MARKS, &stop);
	is_int((long long) stop, 2, "stops at the first low count");
	(void) dp_above_threshold_draw(&source.random, &walk, never, MARKS, &stop);
	is_int((long long) stop, MARKS, "or not at all");
	(void) dp_above_threshold_draw(&source.random, &walk, high, 0, &stop);
	is_int((long long) stop, 0, "without counts at once");
}

int
main(void)
{
	static const uint64_t falling[MARKS] = {9, 5, 2, 0};
	static const uint64_t level[MARKS] = {4, 4, 4, 4};
	static const double epsilons[] = {0.25, 1, 2.5};
	int e;

	random_seeded(&source, 20260401);
	for (e = 0; e < 3; e++)
	{
		test_draws(epsilons[e], DP_ADD_REMOVE, 2, falling);
		test_draws(epsilons[e], DP_SUBSTITUTE, 2, falling);
		test_draws(epsilons[e], DP_ADD_REMOVE, 0, level);
		test_privacy(epsilons[e], DP_ADD_REMOVE, 0, MARKS);
		test_privacy(epsilons[e], DP_ADD_REMOVE, 2, MARKS);
		test_privacy(epsilons[e], DP_SUBSTITUTE, 0, MARKS - 1);
		test_privacy(epsilons[e], DP_SUBSTITUTE, 2, MARKS - 1);
	}
	test_walk();
	return done_testing();
}
