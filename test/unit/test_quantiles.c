/*
 * test_quantiles.c
 *		Several quantiles at once: where they lie, their order, equal values, no
 *		values, and what one value may change.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanisms/quantiles.h"
#include "support/data_sets.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/rank_naive.h"
#include "support/tap.h"

#define MOST 20000

static TestRandom source;

static DpQuantiles *
prepare(const double *fractions, uint32_t count, double epsilon,
		DpContribution contribution)
{
	DpQuantiles *quantiles = malloc(dp_quantiles_size(count));

	if (quantiles == NULL ||
		dp_quantiles_init(quantiles, fractions, count, epsilon_of(epsilon),
						  contribution) != DP_OK)
		abort();
	return quantiles;
}

static DpContribution
of_row(DpNeighbours neighbours)
{
	return dp_contribution_of_row(neighbours);
}

/* Each fraction finds its rank, for any number of them and any order. */
static void
test_ranks(DpRandom *random)
{
	static int64_t values[MOST];
	double fractions[DP_QUANTILES_MAX];
	int64_t results[DP_QUANTILES_MAX];
	uint32_t count;
	uint32_t i;
	int64_t v;

	for (count = 1; count <= DP_QUANTILES_MAX; count += count < 10 ? 1 : 59)
	{
		DpQuantiles *quantiles;
		double worst = 0;

		/* descending, the first and the last at the ends */
		for (i = 0; i < count; i++)
			fractions[i] = count == 1 ? 0.3 : 1 - i / (count - 1.0);
		quantiles = prepare(fractions, count, 8, of_row(DP_ADD_REMOVE));
		for (v = 0; v < MOST; v++)
			values[v] = 3 * (v * 7919 % MOST);
		is_int(dp_quantiles_draw(random, quantiles, values, MOST, 0, 3 * MOST,
								 results),
			   DP_OK, "%u fractions", count);
		for (i = 0; i < count; i++)
			worst = fmax(worst,
						 fabs((double) results[i] / 3 - fractions[i] * MOST));

		/* 8 levels at epsilon 1: 128 draws, each off by 150 with e^-60 */
		if (!ok(worst < 600, "and all are found"))
			diag("off by %g ranks", worst);
		free(quantiles);
	}
}

/* Equal fractions have equal answers, all stand where they were asked for. */
static void
test_order(DpRandom *random)
{
	static const double fractions[] = {0.75, 0.25, 0.75, 0, 1, 0.5, 0.25};
	DpQuantiles *quantiles = prepare(fractions, 7, 0.5, of_row(DP_ADD_REMOVE));
	int64_t values[40];
	int64_t r[7];
	bool same = true;
	bool monotone = true;
	bool kept = true;
	int i;
	int v;

	for (i = 0; i < 2000; i++)
	{
		int64_t sum = 0;

		for (v = 0; v < 40; v++)
			values[v] = -20 + v % (1 + i % 40);
		for (v = 0; v < 40; v++)
			sum += values[v];
		if (dp_quantiles_draw(random, quantiles, values, i % 41 == 0 ? 0 : 40,
							  -20, 20, r) != DP_OK)
			abort();
		same = same && r[0] == r[2] && r[1] == r[6];
		monotone = monotone && -20 <= r[3] && r[3] <= r[1] && r[1] <= r[5] &&
				   r[5] <= r[0] && r[0] <= r[4] && r[4] <= 20;
		for (v = 0; v < 40; v++)
			sum -= values[v];
		kept = kept && sum == 0;
	}
	is_int(quantiles->distinct, 5, "five different fractions");
	ok(same, "equal fractions have equal answers");
	ok(monotone,
	   "answers never cross, whatever the noise, and keep the bounds");
	ok(kept, "the values are the same afterwards");
	free(quantiles);
}

/* Runs of equal values, where halves must keep what a quantile falls into. */
static void
test_ties(DpRandom *random)
{
	static const double fractions[] = {0.1, 0.25, 0.5, 0.75, 0.9};
	DpQuantiles *quantiles = prepare(fractions, 5, 1, of_row(DP_ADD_REMOVE));
	static int64_t values[MOST];
	int64_t r[5];
	int64_t v;

	for (v = 0; v < MOST; v++)
		values[v] = 42;
	ok(dp_quantiles_draw(random, quantiles, values, MOST, 0, 1000000, r) ==
			   DP_OK &&
		   r[0] == 42 && r[4] == 42,
	   "all equal: all quantiles are that value");
	for (v = 0; v < MOST; v++)
		values[v] = v < MOST / 2 ? 0 : v;
	ok(dp_quantiles_draw(random, quantiles, values, MOST, 0, MOST, r) ==
			   DP_OK &&
		   r[0] == 0 && r[1] == 0 && fabs((double) r[3] / MOST - 0.75) < 0.03 &&
		   fabs((double) r[4] / MOST - 0.9) < 0.03,
	   "half of the values equal: the others' quantiles are not moved");
	for (v = 0; v < MOST; v++)
		values[v] = v % 2 == 0 ? 0 : ((int64_t) 1 << 40);
	ok(dp_quantiles_draw(random, quantiles, values, MOST, 0, (int64_t) 1 << 40,
						 r) == DP_OK &&
		   r[0] == 0 && r[1] == 0 && r[3] == (int64_t) 1 << 40 && r[4] == r[3],
	   "two values at the ends of the widest grid");
	free(quantiles);
}

static void
test_total(DpRandom *random)
{
	static const int64_t bounds[][2] = {
		{0, 0},
		{-1, 0},
		{INT64_MIN, INT64_MIN + 9},
		{INT64_MAX - 9, INT64_MAX},
		{-((int64_t) 1 << 51), ((int64_t) 1 << 51) - 1},
	};
	static const double epsilons[] = {0x1p-18, 0.01, 1, 1e6};
	static const double fractions[] = {0, 0.5, 1};
	bool good = true;
	size_t b;
	size_t e;
	size_t count;
	int n;

	for (b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++)
		for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
			for (n = 0; n < 2; n++)
			{
				DpQuantiles *quantiles =
					prepare(fractions, 3, epsilons[e],
							of_row(n ? DP_SUBSTITUTE : DP_ADD_REMOVE));

				for (count = 0; count <= 3; count++)
				{
					int64_t lower = bounds[b][0];
					int64_t upper = bounds[b][1];
					int64_t values[3] = {upper, lower, upper};
					int64_t r[3];

					good = good &&
						   dp_quantiles_draw(random, quantiles, values, count,
											 lower, upper, r) == DP_OK &&
						   lower <= r[0] && r[0] <= r[1] && r[1] <= r[2] &&
						   r[2] <= upper;
				}
				free(quantiles);
			}
	ok(good, "few values or none, extreme bounds and epsilons");
}

/* How epsilon is shared among levels and, for an exchange, between two nodes. */
static void
test_shares(void)
{
	static const double fractions[] = {0.25, 0.5, 0.75, 0.875};
	DpContribution units = {DP_SUBSTITUTE, 3, 2};
	DpQuantiles *q = prepare(fractions, 4, 3, of_row(DP_ADD_REMOVE));
	int i;

	/* 0.75 is the root, then 0.5 and 0.875, then 0.25 */
	is_int(q->levels, 3, "four fractions, three levels");
	for (i = 0; i < 4; i++)
		is_int((int64_t) q->nodes[i].rank.epsilon.ticks, DP_EPSILON_ONE,
			   "a third of epsilon at node %d", i);
	is_int(q->nodes[2].fraction, DP_RANK_ONE * 3 / 4, "the root");
	is_int(q->nodes[1].fraction, llrint((double) DP_RANK_ONE * 2 / 3),
		   "a half is two thirds of three quarters");
	is_int(q->nodes[0].fraction, DP_RANK_ONE / 2,
		   "a quarter is half of a half");
	is_int(q->nodes[3].fraction, llrint(0.5 * (double) DP_RANK_ONE),
		   "and 0.875 a part of the last quarter");
	is_double(dp_quantiles_sensitivity(q), 0.75, 1e-9, "the greatest score");
	free(q);

	q = prepare(fractions, 4, 3, of_row(DP_SUBSTITUTE));
	for (i = 0; i < 4; i++)
	{
		const DpRankMechanism *rank = &q->nodes[i].rank;
		double f = (double) q->nodes[i].fraction / (double) DP_RANK_ONE;

		is_int((int64_t) rank->epsilon.ticks,
			   i == 2 ? DP_EPSILON_ONE : DP_EPSILON_ONE / 2,
			   "half below the root, node %d", i);
		is_double((double) rank->sensitivity / (double) DP_RANK_ONE,
				  i == 2 ? 1 : fmax(f, 1 - f), 1e-9,
				  "for one value more or less there");
	}
	free(q);

	/* an exchange of units in groups: 12 shares, one value more or less each */
	q = prepare(fractions, 4, 36, units);
	for (i = 0; i < 4; i++)
		is_int((int64_t) q->nodes[i].rank.epsilon.ticks, DP_EPSILON_ONE,
			   "units of three rows in two groups, node %d", i);
	free(q);
}

static void
test_refused(void)
{
	static const double bad[] = {-0.1, 1.0000001, NAN, INFINITY};
	double many[DP_QUANTILES_MAX + 1] = {0};
	double sevenths[7];
	DpQuantiles *q = malloc(dp_quantiles_size(DP_QUANTILES_MAX + 1));
	size_t i;

	if (q == NULL)
		abort();
	for (i = 0; i < 4; i++)
		is_int(dp_quantiles_init(q, (double[]){0.5, bad[i]}, 2, epsilon_of(1),
								 of_row(DP_ADD_REMOVE)),
			   DP_PARAMETER_OUT_OF_RANGE, "fraction %g", bad[i]);
	is_int(dp_quantiles_init(q, many, 0, epsilon_of(1), of_row(DP_ADD_REMOVE)),
		   DP_PARAMETER_OUT_OF_RANGE, "no fraction");
	is_int(dp_quantiles_init(q, many, DP_QUANTILES_MAX + 1, epsilon_of(1),
							 of_row(DP_ADD_REMOVE)),
		   DP_PARAMETER_OUT_OF_RANGE, "too many fractions");
	for (i = 0; i < 7; i++)
		sevenths[i] = (double) i / 7;
	is_int(dp_quantiles_init(q, sevenths, 7, (DpEpsilon){2},
							 of_row(DP_ADD_REMOVE)),
		   DP_EPSILON_OUT_OF_RANGE, "nothing is left for three levels");
	is_int(dp_quantiles_init(q, sevenths, 7, (DpEpsilon){5},
							 of_row(DP_SUBSTITUTE)),
		   DP_EPSILON_OUT_OF_RANGE, "nor for halves of them");
	free(q);
}

/*
 * What comes out of small data and of each of their neighbours, counted: no
 * triple of answers is more than exp(epsilon) times as likely. A ratio of two
 * counts of N p >= 400 is off by 6 standard deviations with e^-18, which the
 * bound allows for.
 */
#define TINY 3 /* points of the grid */
#define OUTCOMES (TINY * TINY * TINY)
#define TRIES 20000

static void
count_outcomes(DpRandom *random, DpQuantiles *quantiles, const int64_t *data,
			   size_t count, double *outcomes)
{
	int i;

	for (i = 0; i < OUTCOMES; i++)
		outcomes[i] = 0;
	for (i = 0; i < TRIES; i++)
	{
		int64_t values[8];
		int64_t r[3];
		size_t v;

		for (v = 0; v < count; v++)
			values[v] = data[v];
		if (dp_quantiles_draw(random, quantiles, values, count, 0, TINY - 1,
							  r) != DP_OK)
			abort();
		outcomes[(r[0] * TINY + r[1]) * TINY + r[2]]++;
	}
}

/* The greatest of |ln ratio| less what chance may add. */
static double
loss_between(const double *a, const double *b)
{
	double worst = 0;
	int i;

	for (i = 0; i < OUTCOMES; i++)
	{
		if (a[i] < 400 || b[i] < 100)
			continue;
		worst =
			fmax(worst, fabs(log(a[i] / b[i])) - 6 * sqrt(1 / a[i] + 1 / b[i]));
	}
	return worst;
}

static void
test_privacy(DpRandom *random)
{
	static const double fractions[] = {0.25, 0.5, 0.9};
	static const int64_t data[] = {0, 1, 1, 2, 2};
	int n;

	for (n = 0; n < 2; n++)
	{
		DpQuantiles *quantiles =
			prepare(fractions, 3, 2, of_row(n ? DP_SUBSTITUTE : DP_ADD_REMOVE));
		double before[OUTCOMES];
		double after[OUTCOMES];
		double worst = 0;
		int place;
		int64_t value;

		count_outcomes(random, quantiles, data, 5, before);
		for (value = 0; value < TINY; value++)
			for (place = 0; place < (n ? 5 : 1); place++)
			{
				int64_t other[6] = {0, 1, 1, 2, 2, value};

				if (n)
					other[place] = value;
				count_outcomes(random, quantiles, other, n ? 5 : 6, after);
				worst = fmax(worst, loss_between(before, after));
				worst = fmax(worst, loss_between(after, before));
			}
		if (!ok(worst <= 2, n ? "one value exchanged" : "one value more"))
			diag("it loses %g", worst);
		ok(worst > 0.3, "and it is seen");
		free(quantiles);
	}
}

/*
 * The law of three quantiles at once, of values that are on the finer grid
 * already: the middle one, and on each side of it another, of the values there.
 */
#define JOINT 4 /* points of that grid */

static void
joint_law(DpQuantiles *quantiles, const Set *set, double *law)
{
	double middle[JOINT];
	int64_t values[ROWS_MAX];
	int64_t v;
	size_t i;

	memcpy(values, set->rows, sizeof(values));
	if (!rank_piece_distribution(&quantiles->nodes[1].rank,
								 quantiles->nodes[1].fraction *
									 (int64_t) set->count,
								 values, set->count, 0, JOINT - 1, middle))
		abort();
	for (v = 0; v < JOINT; v++)
	{
		double low[JOINT] = {0};
		double high[JOINT] = {0};
		size_t below = 0;
		int64_t a;
		int64_t b;

		memcpy(values, set->rows, sizeof(values)); /* in ascending order */
		while (below < set->count && values[below] <= v)
			below++;
		if (!rank_piece_distribution(&quantiles->nodes[0].rank,
									 quantiles->nodes[0].fraction *
										 (int64_t) below,
									 values, below, 0, v, low) ||
			!rank_piece_distribution(
				&quantiles->nodes[2].rank,
				quantiles->nodes[2].fraction * (int64_t) (set->count - below),
				values + below, set->count - below, v, JOINT - 1, high))
			abort();
		for (a = 0; a < JOINT; a++)
		{
			for (b = 0; b < JOINT; b++)
			{
				i = (size_t) ((v * JOINT + a) * JOINT + b);
				law[i] = middle[v] * (a <= v ? low[a] : 0) *
						 (b >= v ? high[b - v] : 0);
			}
		}
	}
}

static void
test_rho(void)
{
	static const double fractions[] = {0.25, 0.5, 0.9};
	static const double epsilons[] = {0.5, 2, 6};
	static double laws[SETS_MAX][JOINT * JOINT * JOINT];
	size_t e;
	size_t i;
	size_t j;
	int n;

	all_sets(0, JOINT - 1, 4);
	for (n = 0; n < 2; n++)
	{
		DpNeighbours neighbours = n ? DP_SUBSTITUTE : DP_ADD_REMOVE;

		for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
		{
			DpQuantiles *quantiles =
				prepare(fractions, 3, epsilons[e], of_row(neighbours));
			DpRho rho = {0};
			double worst = 0;
			double loss = 0;
			double cost;

			for (i = 0; i < set_count; i++)
				joint_law(quantiles, &sets[i], laws[i]);
			for (i = 0; i < set_count; i++)
			{
				for (j = 0; j < set_count; j++)
				{
					double p[JOINT * JOINT * JOINT];
					double q[JOINT * JOINT * JOINT];
					int64_t points = 0;
					size_t k;

					if (!are_neighbours(&sets[i], &sets[j], neighbours))
						continue;
					for (k = 0; k < JOINT * JOINT * JOINT; k++)
					{
						if (laws[i][k] == 0)
							continue;
						p[points] = laws[i][k];
						q[points++] = laws[j][k];
					}
					worst = fmax(worst, distribution_rho(p, q, points));
					loss = fmax(loss, distribution_loss(p, q, points));
				}
			}
			dp_quantiles_rho(quantiles, epsilon_of(epsilons[e]),
							 of_row(neighbours), &rho);
			cost = (double) rho.ticks * 1e-24;
			ok(worst <= cost + 1e-12 && loss <= epsilons[e] + 1e-9,
			   "three quantiles cost the rho that they tell, %s, epsilon %g: "
			   "%.4f of %.4f",
			   n ? "substitute" : "add_remove", epsilons[e], worst, cost);
			free(quantiles);
		}
	}
}

int
main(void)
{
	DpRandom *random = random_seeded(&source, 311);

	test_ranks(random);
	test_order(random);
	test_ties(random);
	test_total(random);
	test_shares();
	test_refused();
	test_privacy(random);
	test_rho();
	return done_testing();
}
