/*
 * test_selection.c
 *		Selections by count: laws, and privacy by enumeration.
 */
#include <math.h>
#include <stdlib.h>

#include "mechanisms/selection.h"
#include "support/data_sets.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

#define CANDIDATES 3

static TestRandom source;

static DpSelection
prepare(DpMechanism mechanism, double first_step, double epsilon,
		DpContribution contribution)
{
	DpMechanismChoice choice = {
		.mechanism = mechanism, .first_step = first_step, .rank = -1};
	DpSelection selection;

	if (dp_selection_init(&selection, &choice, epsilon_of(epsilon),
						  contribution) != DP_OK)
		abort();
	return selection;
}

/*
 * P(each candidate), from its definition: in proportion to its weight, or for
 * permute_and_flip the mean over all orders of the candidates not yet seen.
 */
static void
flip_law(const double *heads, int number, unsigned seen, double reach,
		 double *law)
{
	int left = 0;
	int i;

	for (i = 0; i < number; i++)
		left += !(seen >> i & 1);
	for (i = 0; i < number && left > 0; i++)
	{
		if (seen >> i & 1)
			continue;
		law[i] += reach / left * heads[i];
		flip_law(heads, number, seen | 1u << i, reach / left * (1 - heads[i]),
				 law);
	}
}

static void
law_of(const DpSelection *selection, const int64_t *counts, int number,
	   double *law)
{
	int64_t greatest = 0;
	double heads[8];
	double total = 0;
	int i;

	for (i = 0; i < number; i++)
		greatest = counts[i] > greatest ? counts[i] : greatest;
	for (i = 0; i < number; i++)
	{
		heads[i] = exp(-dp_selection_exponent(selection, counts[i], greatest));
		total += heads[i];
	}
	for (i = 0; i < number; i++)
		law[i] =
			selection->mechanism == DP_PERMUTE_AND_FLIP ? 0 : heads[i] / total;
	if (selection->mechanism == DP_PERMUTE_AND_FLIP)
		flip_law(heads, number, 0, 1, law);
}

static const struct
{
	DpMechanism mechanism;
	double first_step;
	const char *name;
} kinds[] = {
	{DP_AUTO, 0, "auto"},
	{DP_PERMUTE_AND_FLIP, 0, "permute_and_flip"},
	{DP_EXPONENTIAL, 0, "exponential"},
	{DP_ABSTRACT_STAIRCASE, 1, "abstract_staircase(r=1)"},
	{DP_ABSTRACT_STAIRCASE, 2, "abstract_staircase(r=2)"},
	{DP_ABSTRACT_STAIRCASE, 3, "abstract_staircase(r=3)"},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void
test_draws(void)
{
	static const int64_t counts[][5] = {
		{0, 0, 0, 0, 0}, {9, 7, 9, 0, 4}, {3, 100, 2, 1, 99}, {0, 0, 1, 0, 0}};
	DpRandom *random = random_seeded(&source, 541);
	const int draws = 60000;
	size_t k;
	size_t c;

	for (k = 0; k < KINDS; k++)
	{
		DpSelection selection =
			prepare(kinds[k].mechanism, kinds[k].first_step, 0.7,
					(DpContribution){DP_ADD_REMOVE, 3, 0});

		for (c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
		{
			uint64_t drawn[5] = {0};
			double law[5];
			int i;

			for (i = 0; i < draws; i++)
			{
				uint32_t order[5];
				size_t index = 9;

				if (dp_selection_draw(random, &selection, counts[c], 5, order,
									  &index) == DP_OK &&
					index < 5)
					drawn[index]++;
			}
			law_of(&selection, counts[c], 5, law);
			fits(drawn, law, 5, draws, "%s, counts %zu", kinds[k].name, c);
		}
	}
}

/* True when the counts differ by one unit of at most c rows. */
static bool
differ_by_unit(const int64_t *a, const int64_t *b, int64_t c,
			   DpNeighbours neighbours)
{
	int64_t more = 0;
	int64_t less = 0;
	int i;

	for (i = 0; i < CANDIDATES; i++)
	{
		more += b[i] > a[i] ? b[i] - a[i] : 0;
		less += b[i] < a[i] ? a[i] - b[i] : 0;
	}
	if (neighbours == DP_ADD_REMOVE)
		return (more == 0 || less == 0) && more + less <= c;
	return more <= c && less <= c;
}

/*
 * The greatest loss over all counts up to `most` and their neighbours, and how
 * far they are apart in rho.
 */
static double
greatest_loss(const DpSelection *selection, int64_t c, int64_t most,
			  DpNeighbours neighbours, double *rho)
{
	const int64_t side = most + 1;
	const int64_t all = side * side * side;
	double worst = 0;
	int64_t one;
	int64_t other;

	*rho = 0;
	for (one = 0; one < all; one++)
	{
		int64_t a[CANDIDATES] = {one % side, one / side % side,
								 one / side / side};
		double p[CANDIDATES];

		law_of(selection, a, CANDIDATES, p);
		for (other = 0; other < all; other++)
		{
			int64_t b[CANDIDATES] = {other % side, other / side % side,
									 other / side / side};
			double q[CANDIDATES];
			int i;

			if (!differ_by_unit(a, b, c, neighbours))
				continue;
			law_of(selection, b, CANDIDATES, q);
			for (i = 0; i < CANDIDATES; i++)
				worst = fmax(worst, log(p[i] / q[i]));
			*rho = fmax(*rho, distribution_rho(p, q, CANDIDATES));
		}
	}
	return worst;
}

static void
test_privacy(void)
{
	static const double epsilons[] = {0.1, 1, 2.5};
	size_t e;
	size_t k;
	int n;

	for (n = 0; n < 2; n++)
	{
		DpNeighbours neighbours = n ? DP_SUBSTITUTE : DP_ADD_REMOVE;
		const char *name = n ? "substitute" : "add_remove";

		for (k = 1; k < KINDS; k++)
		{
			uint32_t c;

			for (c = 1; c <= 3; c++)
			{
				bool good = true;
				bool cheap = true;
				bool ranged = true;
				double reached = 0;

				if (kinds[k].first_step > c)
					continue;
				for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
				{
					DpContribution contribution = {neighbours, c, 0};
					DpSelection selection =
						prepare(kinds[k].mechanism, kinds[k].first_step,
								epsilons[e], contribution);
					double rho;
					double loss =
						greatest_loss(&selection, c, c + 3, neighbours, &rho);
					DpRho cost;

					dp_selection_rho(&selection, epsilon_of(epsilons[e]),
									 contribution, &cost);
					cheap = cheap && rho <= (double) cost.ticks * 1e-24 + 1e-12;
					ranged = ranged && rho <= epsilons[e] * epsilons[e] / 8;

					good = good && loss <= epsilons[e] + 1e-9;
					reached = fmax(reached, loss / epsilons[e]);
				}
				ok(good, "%s is private, %s, units of %u rows", kinds[k].name,
				   name, c);
				ok(cheap, "and costs the rho that it tells");
				ok(ranged == (kinds[k].mechanism != DP_PERMUTE_AND_FLIP),
				   "which is epsilon^2/8, but not of permute_and_flip");
				/* so it could not do with less noise */
				ok(reached > 0.55, "it comes to %.2f of epsilon", reached);
			}
		}
	}
}

/*
 * A unit in two groups changes two answers, each as by one unit; an exchanged
 * one is one less in two groups and one more in two others.
 */
static void
test_groups(void)
{
	const double epsilon = 1;
	size_t k;
	int n;

	for (n = 0; n < 2; n++)
	{
		DpContribution contribution = {n ? DP_SUBSTITUTE : DP_ADD_REMOVE, 2, 2};

		for (k = 1; k < KINDS; k++)
		{
			DpSelection selection;
			DpRho cost;
			double loss;
			double rho;

			if (kinds[k].first_step > contribution.rows)
				continue;
			selection = prepare(kinds[k].mechanism, kinds[k].first_step,
								epsilon, contribution);
			loss = greatest_loss(&selection, contribution.rows, 5,
								 DP_ADD_REMOVE, &rho) *
				   (n ? 4 : 2);

			/* An exchange in both groups is worse than one in four. */
			if (n)
				(void) greatest_loss(&selection, contribution.rows, 5,
									 DP_SUBSTITUTE, &rho);
			dp_selection_rho(&selection, epsilon_of(epsilon), contribution,
							 &cost);
			ok(2 * rho <= (double) cost.ticks * 1e-24,
			   "%s in groups costs the rho that it tells", kinds[k].name);
			ok(loss <= epsilon + 1e-5 && loss > 0.55 * epsilon,
			   "%s in groups comes to %.2f of epsilon", kinds[k].name, loss);
		}
	}
}

static void
test_parameters(void)
{
	DpMechanismChoice choice = {.mechanism = DP_LAPLACE, .rank = -1};
	DpContribution row = dp_contribution_of_row(DP_ADD_REMOVE);
	DpRandom *random = random_seeded(&source, 542);
	DpSelection selection;
	DpSelection other;
	int64_t vast[2] = {INT64_MAX, INT64_MAX - 1};
	int64_t one[1] = {0};
	uint32_t order[2];
	size_t index = 9;
	bool good = true;
	int i;

	is_int(dp_selection_init(&selection, &choice, epsilon_of(1), row),
		   DP_MECHANISM_NOT_APPLICABLE, "another mechanism");
	choice.mechanism = DP_ABSTRACT_STAIRCASE;
	choice.first_step = 2;
	is_int(dp_selection_init(&selection, &choice, epsilon_of(1), row),
		   DP_PARAMETER_OUT_OF_RANGE, "a first step beyond the sensitivity");
	choice.first_step = 0;
	choice.gamma = 0.5;
	dp_selection_init(&selection, &choice, epsilon_of(1),
					  (DpContribution){DP_ADD_REMOVE, 10, 0});
	is_int((long long) selection.first_step, 5, "gamma");
	choice = (DpMechanismChoice){.mechanism = DP_EXPONENTIAL, .rank = 2};
	is_int(dp_selection_init(&selection, &choice, epsilon_of(1), row),
		   DP_PARAMETER_OUT_OF_RANGE, "a rank");
	is_int(prepare(DP_AUTO, 0, 1, (DpContribution){DP_ADD_REMOVE, 1, 4}).ticks,
		   (long long) (DP_EPSILON_ONE / 4),
		   "a quarter for each of four groups");

	/* a staircase of one row is the exponential mechanism */
	selection = prepare(DP_ABSTRACT_STAIRCASE, 1, 0.4, row);
	other = prepare(DP_EXPONENTIAL, 0, 0.4, row);
	for (i = 0; i < 50; i++)
		good = good && dp_selection_exponent(&selection, i, 60) ==
						   dp_selection_exponent(&other, i, 60);
	ok(good, "a staircase of one row");

	selection = prepare(DP_PERMUTE_AND_FLIP, 0, 1000000, row);
	good = true;
	for (i = 0; i < 100; i++)
		good = good &&
			   dp_selection_draw(random, &selection, vast, 2, order, &index) ==
				   DP_OK &&
			   index == 0;
	ok(good, "vast counts, vast epsilon");
	ok(dp_selection_draw(random, &selection, one, 1, order, &index) == DP_OK &&
		   index == 0,
	   "a single candidate");
}

int
main(void)
{
	test_draws();
	test_privacy();
	test_groups();
	test_parameters();
	return done_testing();
}
