/*
 * test_group_people.c
 *		Groups of several units alone: what their thresholds give away, enumerated.
 */
#include <math.h>

#include "mechanisms/group_people.h"
#include "mechanisms/group_threshold.h"
#include "support/tap.h"

#define REACH 4000

/* Probabilities of a group: of each count that is shown, and of not being shown. */
typedef struct Law
{
	double shown[2 * REACH];
	double hidden;
} Law;

/* Of a group of so many units, whose count is `count`. */
static void
find_law(const DpNoise *noise, int64_t threshold, uint32_t people,
		 int64_t units, int64_t count, Law *law)
{
	int64_t y;

	law->hidden = 1;
	for (y = -REACH; y < REACH; y++)
	{
		bool is_shown =
			dp_group_people_suffice(units, people) && y >= threshold;
		double p = is_shown ? dp_noise_pmf(noise, (double) (y - count)) : 0;

		law->shown[y + REACH] = p;
		law->hidden -= p;
	}
}

/* The least delta for epsilon from one law to another. */
static double
delta_between(const Law *one, const Law *other, double epsilon)
{
	double delta = fmax(one->hidden - exp(epsilon) * other->hidden, 0);
	int y;

	for (y = 0; y < 2 * REACH; y++)
		delta += fmax(one->shown[y] - exp(epsilon) * other->shown[y], 0);
	return delta;
}

/*
 * The most that a group gives away by one unit more, of 1 .. rows rows, whatever
 * the others count. threshold: of counts of groups of one unit and more.
 */
static double
worst(const DpNoise *noise, double epsilon, int64_t threshold, uint32_t people,
	  uint32_t rows)
{
	static Law before;
	static Law after;
	double delta = 0;
	int64_t units;
	int64_t others;
	int64_t own;

	for (units = 0; units < 2 * (int64_t) people + 2; units++)
		for (others = units; others <= units * rows; others++)
			for (own = 1; own <= rows; own++)
			{
				find_law(noise, threshold, people, units, others, &before);
				find_law(noise, threshold, people, units + 1, others + own,
						 &after);
				delta = fmax(delta, delta_between(&before, &after, epsilon));
				delta = fmax(delta, delta_between(&after, &before, epsilon));
			}
	return delta;
}

static void
test_privacy(void)
{
	static const struct
	{
		double epsilon;
		double delta;
		uint32_t people;
		uint32_t rows;
	} cases[] = {{1, 1e-3, 1, 1},  {1, 1e-3, 2, 1}, {0.5, 0.05, 5, 1},
				 {2, 1e-6, 10, 1}, {1, 0.01, 3, 2}, {0.7, 0.1, 4, 3}};
	DpMechanismChoice choice = {.mechanism = DP_GEOMETRIC};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpContribution contribution = {DP_ADD_REMOVE, cases[i].rows, 1};
		DpEpsilon epsilon = {0};
		DpNoise noise;
		int64_t least = 0;
		int64_t threshold;
		double delta;

		dp_epsilon_from_double(cases[i].epsilon, &epsilon);
		is_int(dp_noise_init_groups(&noise, &choice, epsilon, cases[i].rows,
									contribution),
			   DP_OK, "noise for epsilon %g", cases[i].epsilon);
		is_int(dp_group_threshold(&noise, cases[i].rows,
								  (dp_int128) rint(cases[i].delta * 1e18) *
									  1000000,
								  contribution, &least),
			   DP_OK, "its threshold");
		threshold =
			dp_group_people_threshold(least, cases[i].rows, cases[i].people);
		is_int(threshold, least + (cases[i].people - 1) * cases[i].rows,
			   "is higher by what one unit less than %u count",
			   cases[i].people);
		delta = worst(&noise, cases[i].epsilon, threshold, cases[i].people,
					  cases[i].rows);
		ok(delta <= cases[i].delta * (1 + 1e-9) + 1e-12,
		   "groups of %u units of %u rows: delta is %g, at most %g",
		   cases[i].people, cases[i].rows, delta, cases[i].delta);
		ok(worst(&noise, cases[i].epsilon, threshold - 1, cases[i].people,
				 cases[i].rows) > cases[i].delta,
		   "and more with a threshold that is lower by one");
	}
}

static void
test_ends(void)
{
	ok(!dp_group_people_suffice(0, 1) && dp_group_people_suffice(1, 1),
	   "one unit at least");
	ok(!dp_group_people_suffice(2147483646, 2147483647) &&
		   dp_group_people_suffice(2147483647, 2147483647),
	   "as many units as there may be");
	ok(dp_group_people_threshold((int64_t) DP_THRESHOLD_MAX, 2147483647,
								 2147483647) > (int64_t) DP_THRESHOLD_MAX,
	   "the greatest threshold");
}

int
main(void)
{
	test_privacy();
	test_ends();
	return done_testing();
}
