/*
 * test_privacy_levels.c
 *		The guarantee of rounded answers, by enumeration: geometric noise with a
 *		quantum, and two_stage for means and maxima.
 *
 * As in test_privacy.c, every check is repeated with less noise, where it must
 * fail.
 */
#include <math.h>

#include "mechanisms/mean.h"
#include "mechanisms/two_stage.h"
#include "support/data_sets.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

static const double epsilons[] = {0.1, 0.5, 1, 2.5};
#define EPSILONS (sizeof(epsilons) / sizeof(epsilons[0]))

/* To the multiple of quantum next to it, upwards from the middle. */
static int64_t
round_to(int64_t truth, int64_t quantum)
{
	int64_t rest = (truth + quantum / 2) % quantum;

	return truth + quantum / 2 - (rest < 0 ? rest + quantum : rest);
}

/*
 * The greatest loss of answers between truths at most `change` apart, where
 * noise of this sensitivity is added to the rounded truth.
 */
static double
quantum_loss(const DpNoise *noise, int64_t change)
{
	const int64_t quantum = (int64_t) noise->quantum;
	double worst = 0;
	int64_t truth;
	int64_t other;
	int64_t answer;

	for (truth = -quantum; truth <= quantum; truth++)
	{
		for (other = truth - change; other <= truth + change; other++)
		{
			for (answer = -20 * quantum; answer <= 20 * quantum;
				 answer += quantum)
				worst =
					fmax(worst,
						 log(dp_noise_pmf(
								 noise,
								 (double) (answer - round_to(truth, quantum))) /
							 dp_noise_pmf(
								 noise, (double) (answer -
												  round_to(other, quantum)))));
		}
	}
	return worst;
}

static void
test_quantum(void)
{
	size_t e;
	int64_t d;
	int64_t q;

	for (e = 0; e < EPSILONS; e++)
	{
		DpEpsilon epsilon = epsilon_of(epsilons[e]);
		double used = dp_epsilon_to_double(epsilon);
		bool good = true;
		bool noticed = true;

		for (d = 1; d <= 12; d++)
		{
			for (q = 1; q <= 8; q++)
			{
				DpMechanismChoice choice = {.mechanism = DP_GEOMETRIC,
											.quantum = (double) q};
				DpNoise noise;

				if (dp_noise_init(&noise, &choice, epsilon, (uint64_t) d) !=
					DP_OK)
					good = false;
				good = good && quantum_loss(&noise, d) <= used + 1e-9;
				/* one multiple less, where there is one to spare */
				if (d > q && dp_noise_init(&noise, &choice, epsilon,
										   (uint64_t) (((d + q - 1) / q - 1) *
													   q)) == DP_OK)
					noticed = noticed && quantum_loss(&noise, d) > used;
			}
		}
		ok(good, "every quantum and sensitivity, epsilon %g", epsilons[e]);
		ok(noticed, "and not with one multiple less");
	}
}

/*
 * A unit that moves the answers of several groups, each by d at most: the
 * losses of all of them add up.
 */
static void
test_quantum_groups(void)
{
	static const uint32_t groups[] = {1, 2, 3, 7};
	bool good = true;
	size_t e;
	size_t g;
	int64_t d;
	int64_t q;

	for (e = 0; e < EPSILONS; e++)
	{
		for (g = 0; g < sizeof(groups) / sizeof(groups[0]); g++)
		{
			DpContribution contribution = {DP_ADD_REMOVE, 1, groups[g]};

			for (d = 1; d <= 7; d++)
			{
				for (q = 1; q <= 10; q += 3)
				{
					DpMechanismChoice choice = {.mechanism = DP_GEOMETRIC,
												.quantum = (double) q};
					DpNoise noise;

					good = good &&
						   dp_noise_init_groups(
							   &noise, &choice, epsilon_of(epsilons[e]),
							   (uint64_t) d, contribution) == DP_OK &&
						   groups[g] * quantum_loss(&noise, d) <=
							   epsilons[e] + 1e-9;
				}
			}
		}
	}
	ok(good, "with a quantum, in several groups");
}

/* Draws of dp_noise_add are multiples around the rounded truth. */
static void
test_quantum_draws(void)
{
	TestRandom source;
	DpRandom *random = random_seeded(&source, 511);
	DpMechanismChoice choice = {.mechanism = DP_GEOMETRIC, .quantum = 5};
	DpNoise noise;
	int64_t truth;

	dp_noise_init(&noise, &choice, epsilon_of(1), 12);
	for (truth = -9; truth <= 9; truth += 3)
	{
		const int draws = 100000;
		uint64_t counts[21] = {0};
		double probabilities[21];
		bool multiples = true;
		int i;

		for (i = 0; i < draws; i++)
		{
			dp_int128 answer = 1;
			int64_t position;

			multiples = multiples &&
						dp_noise_add(random, &noise, truth, &answer) == DP_OK &&
						answer % 5 == 0;
			position = (int64_t) (answer - round_to(truth, 5)) / 5 + 10;
			if (position >= 0 && position < 21)
				counts[position]++;
		}
		for (i = 0; i < 21; i++)
			probabilities[i] = dp_noise_pmf(&noise, (i - 10) * 5.0);
		ok(multiples, "all answers are multiples");
		fits(counts, probabilities, 21, draws, "truth %d, quantum 5",
			 (int) truth);
	}
}

static double laws[SETS_MAX][8];

/* The law of the levels for every data set, by the true answer's position. */
static void
list_laws(const DpTwoStage *prepared, double (*position)(const Set *set))
{
	uint64_t level;
	size_t i;

	for (i = 0; i < set_count; i++)
	{
		uint64_t from = (uint64_t) floor(
			position(&sets[i]) * (double) (prepared->levels - 1) + 0.5);

		for (level = 0; level < 8; level++)
			laws[i][level] = level < prepared->levels
								 ? dp_two_stage_pmf(prepared, from, level)
								 : 1;
	}
}

#define LOWER (-2)
#define UPPER 4

/* As parts of the span. */
static double
mean_position(const Set *set)
{
	if (set->count == 0)
		return 0.5;
	return ((double) sum_of(set) / (double) set->count - LOWER) /
		   (UPPER - LOWER);
}

static double
maximum_position(const Set *set)
{
	if (set->count == 0)
		return 0;
	return (double) (set->rows[set->count - 1] - LOWER) / (UPPER - LOWER);
}

static void
test_two_stage(void)
{
	size_t e;
	int levels;
	int n;

	all_sets(LOWER, UPPER, 3);
	for (e = 0; e < EPSILONS; e++)
	{
		DpEpsilon epsilon = epsilon_of(epsilons[e]);
		double used = dp_epsilon_to_double(epsilon);

		for (n = 0; n < 2; n++)
		{
			DpNeighbours neighbours = n ? DP_SUBSTITUTE : DP_ADD_REMOVE;
			bool good = true;
			bool noticed = true;

			for (levels = 2; levels <= 7; levels++)
			{
				DpMechanismChoice choice = {.mechanism = DP_TWO_STAGE,
											.levels = levels};
				DpGrid grid = grid_of(LOWER, UPPER);
				DpTwoStage maximum;
				DpTwoStage less;
				DpMean mean;

				if (dp_mean_init(&mean, &choice, epsilon, &grid,
								 dp_contribution_of_row(neighbours)) != DP_OK ||
					dp_two_stage_init(&maximum, &choice, epsilon, false) !=
						DP_OK)
					good = false;
				list_laws(&mean.two_stage, mean_position);
				good = good &&
					   greatest_set_loss(laws[0], 8, neighbours) <= used + 1e-9;
				list_laws(&maximum, maximum_position);
				good = good &&
					   greatest_set_loss(laws[0], 8, neighbours) <= used + 1e-9;

				/* a maximum needs the noise of all its levels */
				dp_two_stage_init(&less, &choice, epsilon, true);
				list_laws(&less, maximum_position);
				if (levels > 2)
					noticed = noticed &&
							  greatest_set_loss(laws[0], 8, neighbours) > used;
			}
			ok(good, "two_stage for means and maxima, %s, epsilon %g",
			   n ? "substitute" : "add_remove", epsilons[e]);
			ok(noticed, "and not for maxima with the noise of means");
		}
	}
}

int
main(void)
{
	test_quantum();
	test_quantum_groups();
	test_quantum_draws();
	test_two_stage();
	return done_testing();
}
