/*
 * test_sequential_choice.c
 *		Every subset is chosen with the same probability.
 */
#include "samplers/sequential_choice.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

#define ROWS 6
#define SUBSETS (1 << ROWS)
#define DRAWS 60000

/* The rows that are chosen of 0 .. ROWS-1, as bits. */
static unsigned
choose(DpRandom *random, uint64_t wanted)
{
	unsigned subset = 0;
	uint64_t left;

	for (left = ROWS; left > 0; left--)
	{
		bool chosen = false;

		if (dp_sequential_choice(random, left, wanted, &chosen) != DP_OK)
			return SUBSETS - 1;
		if (!chosen)
			continue;
		subset |= 1u << (left - 1);
		wanted--;
	}
	return subset;
}

static void
test_subsets(void)
{
	uint64_t wanted;

	for (wanted = 0; wanted <= ROWS; wanted++)
	{
		TestRandom source;
		DpRandom *random = random_seeded(&source, 500 + wanted);
		uint64_t counts[SUBSETS] = {0};
		double expected[SUBSETS] = {0};
		int subsets = 0;
		bool good = true;
		int i;

		for (i = 0; i < SUBSETS; i++)
			subsets += __builtin_popcount((unsigned) i) == (int) wanted;
		for (i = 0; i < SUBSETS; i++)
		{
			if (__builtin_popcount((unsigned) i) == (int) wanted)
				expected[i] = 1.0 / subsets;
		}
		for (i = 0; i < DRAWS; i++)
		{
			unsigned subset = choose(random, wanted);

			good = good && __builtin_popcount(subset) == (int) wanted;
			counts[subset]++;
		}
		ok(good, "%d of %d rows", (int) wanted, ROWS);
		if (subsets > 1)
			fits(counts, expected, SUBSETS, DRAWS,
				 "each subset alike, %d of %d", (int) wanted, ROWS);
		else
			is_int((long long) random_consumed(&source), 0,
				   "nothing is drawn where all or none are chosen");
	}
}

static void
test_failure(void)
{
	TestRandom source;
	DpRandom *random = random_failing_after(&source, 5, 0);
	bool chosen = true;

	is_int(dp_sequential_choice(random, 2, 1, &chosen), DP_RANDOM_FAILED,
		   "without random numbers nothing is chosen");
	is_int(dp_sequential_choice(random, 2, 2, &chosen), DP_OK,
		   "all of them need none");
	ok(chosen, "and are chosen");
	is_int(dp_sequential_choice(random, 2, 0, &chosen), DP_OK, "nor does none");
	ok(!chosen, "which is not");
}

int
main(void)
{
	test_subsets();
	test_failure();
	return done_testing();
}
