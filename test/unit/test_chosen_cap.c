/*
 * test_chosen_cap.c
 *		Which caps there are, by what threshold one is chosen, and how often.
 */
#include <math.h>

#include "mechanisms/chosen_cap.h"
#include "support/random_fixed.h"
#include "support/statistic.h"
#include "support/tap.h"
#include "support/walk_law.h"

static TestRandom source;

static DpAboveThreshold
prepare(double epsilon, double rest, DpNeighbours neighbours)
{
	DpAboveThreshold walk = {0};
	DpEpsilon units = {0};

	dp_epsilon_from_double(epsilon, &units);
	dp_chosen_cap_init(&walk, units, rest, neighbours);
	return walk;
}

static void
test_candidates(void)
{
	static const struct
	{
		uint32_t most;
		uint32_t count;
	} cases[] = {{1, 0}, {2, 1},	 {3, 2},	 {4, 2},		  {5, 3},
				 {8, 3}, {1000, 10}, {1024, 10}, {2147483647, 31}};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_int(dp_chosen_cap_candidates(cases[i].most), cases[i].count,
			   "candidates below %u", cases[i].most);
	ok(dp_chosen_cap_candidates(UINT32_MAX) <= DP_CHOSEN_CAP_MAX,
	   "never too many");
	is_int(dp_chosen_cap_candidate(30), 1 << 30, "powers of two");
}

static void
test_thresholds(void)
{
	DpAboveThreshold walk = prepare(0.2, 0.8, DP_ADD_REMOVE);

	is_int((int64_t) walk.threshold, 8, "1/0.8 + 1.5/0.2");
	is_int((int64_t) prepare(0.1, 0.4, DP_SUBSTITUTE).threshold, 17,
		   "the same where units are exchanged");
	is_int((int64_t) prepare(10, 100, DP_ADD_REMOVE).threshold, 0,
		   "nobody exceeds the cap of a great epsilon");
	ok(prepare(1e-6, 1e-300, DP_ADD_REMOVE).threshold < (uint64_t) 1 << 62,
	   "no threshold is too great");
	ok(prepare(0.2, 0.8, DP_SUBSTITUTE).t_counts == 2 * walk.t_counts,
	   "more noise where units are exchanged");
}

/* Caps come as often as the walk stops there; the last one where it does not. */
static void
test_draws(double epsilon, double rest, const uint64_t *exceeding,
		   uint32_t most)
{
	DpAboveThreshold walk = prepare(epsilon, rest, DP_ADD_REMOVE);
	uint32_t count = dp_chosen_cap_candidates(most);
	uint64_t caps[DP_CHOSEN_CAP_MAX + 1] = {0};
	double p[DP_CHOSEN_CAP_MAX + 1];
	int draws = 100000;
	int failed = 0;
	int i;

	walk_law(&walk, exceeding, count, p);
	for (i = 0; i < draws; i++)
	{
		uint32_t cap = 0;
		uint32_t place = 0;

		failed += dp_chosen_cap_draw(&source.random, &walk, exceeding, most,
									 &cap) != DP_OK;
		while (place < count && dp_chosen_cap_candidate(place) != cap)
			place++;
		failed += place == count && cap != most;
		caps[place]++;
	}
	is_int(failed, 0, "all draws are candidates");
	fits(caps, p, (int) count + 1, (uint64_t) draws,
		 "caps at epsilon %g, at most %u", epsilon, most);
}

int
main(void)
{
	static const uint64_t falling[] = {30, 14, 6, 2};
	static const uint64_t many[] = {1000, 900, 40};

	random_seeded(&source, 20261130);
	test_candidates();
	test_thresholds();
	test_draws(0.3, 0.7, falling, 16);
	test_draws(0.3, 0.7, falling, 10);
	test_draws(0.1, 1, many, 5);
	test_draws(2, 2, falling, 16);
	return done_testing();
}
