/*
 * test_points.c
 *		Draws from points that are not in an array: with the same random words
 *		they are those from an array, however few points are in hand at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "core/sort.h"
#include "mechanisms/extreme.h"
#include "mechanisms/median.h"
#include "mechanisms/quantiles.h"
#include "support/random_fixed.h"
#include "support/tap.h"

#define MOST 3000
#define UPPER 100000

/* Points elsewhere: in order, of which a page is in hand. */
typedef struct Elsewhere
{
	DpPoints points;
	const int64_t *all;
	size_t page;
	int64_t room[64];
} Elsewhere;

static void
order(DpPoints *points, size_t first, size_t last)
{
	(void) points;
	(void) first;
	(void) last;
}

static void
fetch(DpPoints *points, size_t rank)
{
	Elsewhere *elsewhere = (Elsewhere *) points;

	points->values = elsewhere->room;
	points->first = rank / elsewhere->page * elsewhere->page;
	points->last = points->first + elsewhere->page;
	if (points->last > points->count)
		points->last = points->count;
	memcpy(elsewhere->room, elsewhere->all + points->first,
		   (points->last - points->first) * sizeof(int64_t));
}

/* So many values, some of them equal. */
static void
make_values(int64_t *values, size_t count, uint64_t seed)
{
	size_t i;

	for (i = 0; i < count; i++)
	{
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		values[i] = (int64_t) ((seed >> 33) % (i % 3 == 0 ? 7 : UPPER));
	}
}

static Elsewhere
make_elsewhere(const int64_t *sorted, size_t count, size_t page)
{
	return (Elsewhere){
		.points = {.count = count, .order = order, .fetch = fetch},
		.all = sorted,
		.page = page};
}

static DpEpsilon
epsilon_of(double value)
{
	DpEpsilon epsilon;

	(void) dp_epsilon_from_double(value, &epsilon);
	return epsilon;
}

/* All ways of a draw from the same values; true when they agree. */
static bool
agree(size_t count, size_t page, double epsilon, int seed)
{
	static const DpMechanism mechanisms[] = {DP_EXPONENTIAL, DP_SMOOTH_CAUCHY};
	static const DpMechanism extremes[] = {DP_ABOVE_THRESHOLD, DP_EXPONENTIAL,
										   DP_STAIRCASE};
	DpGrid grid = {.lower = 0, .upper = UPPER};
	DpContribution row = dp_contribution_of_row(DP_ADD_REMOVE);
	int64_t values[MOST];
	int64_t sorted[MOST];
	int64_t one;
	int64_t other;
	bool result = true;
	size_t i;

	make_values(sorted, count, (uint64_t) seed);
	dp_sort(sorted, count);
	for (i = 0; i < 2 + 3; i++)
	{
		Elsewhere elsewhere = make_elsewhere(sorted, count, page);
		TestRandom a;
		TestRandom b;
		DpMechanismChoice choice = {
			.mechanism = i < 2 ? mechanisms[i] : extremes[i - 2], .rank = -1};
		DpMedian median;
		DpExtreme extreme;

		make_values(values, count, (uint64_t) seed);
		if (i < 2)
		{
			result = result &&
					 dp_median_init(&median, &choice, epsilon_of(epsilon),
									&grid, row) == DP_OK &&
					 dp_median_draw(random_seeded(&a, (uint64_t) seed), &median,
									values, count, 0, UPPER, &one) == DP_OK &&
					 dp_median_draw_points(random_seeded(&b, (uint64_t) seed),
										   &median, &elsewhere.points, 0, UPPER,
										   &other) == DP_OK;
		}
		else
			result =
				result &&
				dp_extreme_init(&extreme, &choice, epsilon_of(epsilon), &grid,
								row) == DP_OK &&
				dp_extreme_draw(random_seeded(&a, (uint64_t) seed), &extreme,
								values, count, 0, UPPER, &one) == DP_OK &&
				dp_extreme_draw_points(random_seeded(&b, (uint64_t) seed),
									   &extreme, &elsewhere.points, 0, UPPER,
									   &other) == DP_OK;
		result = result && one == other;
	}
	return result;
}

/* Quantiles: refined first in the same order of values, then sorted. */
static bool
quantiles_agree(size_t count, size_t page, double epsilon, int seed)
{
	static const double fractions[] = {0.9, 0.1, 0.5, 0.5, 0, 1, 0.37};
	DpQuantiles *quantiles = malloc(dp_quantiles_size(7));
	int64_t values[MOST];
	int64_t refined[MOST];
	int64_t one[7];
	int64_t other[7];
	Elsewhere elsewhere = make_elsewhere(refined, count, page);
	TestRandom a;
	TestRandom b;
	DpRandom *random = random_seeded(&b, (uint64_t) seed);
	bool result;

	make_values(values, count, (uint64_t) seed);
	memcpy(refined, values, sizeof(values));
	result =
		dp_quantiles_init(quantiles, fractions, 7, epsilon_of(epsilon),
						  dp_contribution_of_row(DP_ADD_REMOVE)) == DP_OK &&
		dp_quantiles_draw(random_seeded(&a, (uint64_t) seed), quantiles, values,
						  count, 0, UPPER, one) == DP_OK &&
		dp_quantiles_refine(random, refined, count, 0,
							dp_quantiles_digits(0, UPPER)) == DP_OK;
	dp_sort(refined, count);
	result = result &&
			 dp_quantiles_draw_refined(random, quantiles, &elsewhere.points, 0,
									   UPPER, other) == DP_OK &&
			 memcmp(one, other, sizeof(one)) == 0;
	free(quantiles);
	return result;
}

int
main(void)
{
	static const size_t counts[] = {0, 1, 2, 63, 64, 65, 1000, MOST};
	static const size_t pages[] = {1, 2, 7, 64};
	static const double epsilons[] = {0.001, 0.1, 10};
	size_t i;
	size_t j;
	size_t k;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
	{
		for (j = 0; j < sizeof(pages) / sizeof(pages[0]); j++)
		{
			bool draws = true;
			bool several = true;

			for (k = 0; k < sizeof(epsilons) / sizeof(epsilons[0]); k++)
			{
				int seed = (int) (100 * i + 10 * j + k + 1);

				draws = draws && agree(counts[i], pages[j], epsilons[k], seed);
				several = several && quantiles_agree(counts[i], pages[j],
													 epsilons[k], seed);
			}
			ok(draws, "%zu points, %zu in hand", counts[i], pages[j]);
			ok(several, "quantiles of %zu points, %zu in hand", counts[i],
			   pages[j]);
		}
	}
	return done_testing();
}
