/*
 * test_reservoir.c
 *		Every subset is kept with the same probability.
 */
#include "samplers/reservoir.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

#define ROWS 7
#define SUBSETS (1 << ROWS)
#define DRAWS 60000

typedef struct Choice
{
	uint64_t seen;
	int64_t values[ROWS];
} Choice;

static void
add(DpRandom *random, Choice *choice, uint64_t limit, int64_t value)
{
	uint64_t slot = 0;

	if (dp_reservoir_slot(random, choice->seen++, limit, &slot) == DP_OK &&
		slot < limit)
		choice->values[slot] = value;
}

/* One choice of 0 .. ROWS-1 by several reservoirs: row i goes to parts[i]. */
static void
choose(DpRandom *random, uint64_t limit, const int *parts, Choice *whole)
{
	Choice pieces[3] = {{0, {0}}, {0, {0}}, {0, {0}}};
	int i;

	for (i = 0; i < ROWS; i++)
		add(random, &pieces[parts[i]], limit, i);
	*whole = pieces[0];
	for (i = 1; i < 3; i++)
	{
		Choice joined = {whole->seen + pieces[i].seen, {0}};

		if (dp_reservoir_join(random, limit, whole->values, whole->seen,
							  pieces[i].values, pieces[i].seen,
							  joined.values) != DP_OK)
			joined.seen = 0;
		*whole = joined;
	}
}

static void
test_subsets(void)
{
	static const int parts[][ROWS] = {{0, 0, 0, 0, 0, 0, 0},
									  {1, 1, 1, 1, 1, 1, 1},
									  {0, 0, 0, 0, 1, 1, 1},
									  {0, 1, 0, 0, 2, 0, 0},
									  {2, 2, 1, 1, 2, 0, 0}};
	uint64_t limit;
	size_t p;

	for (limit = 1; limit <= ROWS; limit++)
	{
		for (p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
		{
			TestRandom source;
			DpRandom *random = random_seeded(&source, 100 * limit + p);
			uint64_t counts[SUBSETS] = {0};
			double expected[SUBSETS] = {0};
			int subsets = 0;
			bool good = true;
			int i;

			for (i = 0; i < SUBSETS; i++)
				subsets += __builtin_popcount((unsigned) i) == (int) limit;
			for (i = 0; i < SUBSETS; i++)
			{
				if (__builtin_popcount((unsigned) i) == (int) limit)
					expected[i] = 1.0 / subsets;
			}
			for (i = 0; i < DRAWS; i++)
			{
				Choice whole;
				unsigned subset = 0;
				uint64_t j;

				choose(random, limit, parts[p], &whole);
				for (j = 0; j < limit; j++)
					subset |= 1u << whole.values[j];
				good = good && whole.seen == ROWS &&
					   __builtin_popcount(subset) == (int) limit;
				counts[subset]++;
			}
			ok(good, "%d of %d rows are kept, division %d", (int) limit, ROWS,
			   (int) p);
			if (subsets > 1)
				fits(counts, expected, SUBSETS, DRAWS,
					 "each subset alike, %d of %d, division %d", (int) limit,
					 ROWS, (int) p);
			else
				is_int((long long) random_consumed(&source), 0,
					   "nothing is drawn where all are kept");
		}
	}
}

static void
test_failure(void)
{
	TestRandom source;
	DpRandom *random = random_failing_after(&source, 5, 0);
	int64_t a[] = {1, 2};
	int64_t b[] = {3, 4};
	int64_t joined[2];
	uint64_t slot = 77;

	is_int(dp_reservoir_slot(random, 1, 2, &slot), DP_OK,
		   "no random number is needed while there is room");
	is_int((long long) slot, 1, "the next slot");
	is_int(dp_reservoir_slot(random, 2, 2, &slot), DP_RANDOM_FAILED,
		   "without random numbers nothing is chosen");
	is_int(dp_reservoir_join(random, 2, a, 2, b, 2, joined), DP_RANDOM_FAILED,
		   "nor joined");
}

int
main(void)
{
	test_subsets();
	test_failure();
	return done_testing();
}
