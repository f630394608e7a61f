/*
 * test_unit.c
 *		What units contribute, by enumeration.
 *
 * All units of a few rows on small grids, and all pairs of them: no exchange
 * changes an answer by more than the sensitivity says, and some change it by
 * all of that.
 */
#include <math.h>
#include <stdlib.h>

#include "mechanisms/mean.h"
#include "mechanisms/noise.h"
#include "mechanisms/quantile.h"
#include "mechanisms/unit.h"
#include "support/epsilon.h"
#include "support/noise_loss.h"
#include "support/random_fixed.h"
#include "support/tap.h"

#define ROWS_MAX 5
#define UNITS_MAX 2000

typedef struct Unit
{
	int64_t rows[ROWS_MAX];
	int count;
	int64_t sum;
} Unit;

static Unit units[UNITS_MAX];
static int unit_count;

static void
list_units(Unit unit, int64_t least, int64_t upper)
{
	int64_t v;

	if (unit_count == UNITS_MAX)
		abort();
	units[unit_count++] = unit;
	if (unit.count == ROWS_MAX)
		return;
	for (v = least; v <= upper; v++)
	{
		Unit longer = unit;

		longer.rows[longer.count++] = v;
		longer.sum += v;
		list_units(longer, v, upper);
	}
}

static void
all_units(int64_t lower, int64_t upper)
{
	unit_count = 0;
	list_units((Unit){{0}, 0, 0}, lower, upper);
}

static DpGrid
grid_of(int64_t lower, int64_t upper, DpGridScale scale)
{
	DpGrid grid;

	dp_grid_for_integers(lower, upper, scale, &grid);
	return grid;
}

static int64_t
most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The empty unit stands for one that is not there. */
static bool
are_neighbours(int a, int b, DpNeighbours neighbours)
{
	return neighbours == DP_SUBSTITUTE || units[a].count == 0 ||
		   units[b].count == 0;
}

static const int64_t bounds[][2] = {{-5, -2}, {-3, 2}, {1, 5},	{0, 3},
									{-3, 0},  {2, 2},  {-1, -1}};
#define BOUNDS (sizeof(bounds) / sizeof(bounds[0]))

/* Is the clamped sum as near to the true one as that of any c of the rows? */
static bool
is_nearest(const Unit *unit, uint32_t c, int64_t clamped)
{
	unsigned subset;
	int i;

	for (subset = 0; subset < 1u << unit->count; subset++)
	{
		int64_t sum = 0;

		if (__builtin_popcount(subset) > (int) c)
			continue;
		for (i = 0; i < unit->count; i++)
			sum += subset >> i & 1 ? unit->rows[i] : 0;
		if (llabs(unit->sum - clamped) > llabs(unit->sum - sum))
			return false;
	}
	return true;
}

static void
test_counts_and_sums(void)
{
	uint32_t c;
	size_t b;
	int n;

	for (b = 0; b < BOUNDS; b++)
	{
		all_units(bounds[b][0], bounds[b][1]);
		for (c = 1; c <= 3; c++)
		{
			for (n = 0; n < 2; n++)
			{
				DpContribution contribution = {
					n ? DP_SUBSTITUTE : DP_ADD_REMOVE, c, 0};
				DpGrid grid =
					grid_of(bounds[b][0], bounds[b][1], DP_GRID_MAGNITUDE);
				DpUnitSum sum;
				int64_t count_change = 0;
				int64_t change = 0;
				bool nearest = true;
				bool whole = true;
				int i;
				int j;

				dp_unit_sum_init(&sum, &grid, contribution);
				for (i = 0; i < unit_count; i++)
				{
					int64_t here = dp_unit_sum_of(&sum, units[i].sum);

					nearest = nearest && is_nearest(&units[i], c, here);
					whole = whole &&
							(units[i].count > (int) c || here == units[i].sum);
					for (j = 0; j < unit_count; j++)
					{
						if (!are_neighbours(i, j, contribution.neighbours))
							continue;
						change = most(
							change,
							llabs(here - dp_unit_sum_of(&sum, units[j].sum)));
						count_change = most(
							count_change,
							llabs(dp_unit_count(units[i].count, contribution) -
								  dp_unit_count(units[j].count, contribution)));
					}
				}
				is_int(count_change, c, "counts, %d rows", (int) c);
				is_int((long long) sum.sensitivity, change,
					   "sums in %d .. %d, %d rows, %s: the sensitivity is true "
					   "and reached",
					   (int) bounds[b][0], (int) bounds[b][1], (int) c,
					   n ? "substitute" : "add_remove");
				ok(nearest, "no choice of rows loses less");
				ok(whole, "nothing is lost of units of so many rows");
			}
		}
	}
}

/* The most that what units add changes a sum that is rounded once, from any base. */
static int64_t
change_of_total(const DpUnitSum *sum, DpNeighbours neighbours,
				const dp_int128 *added, int count, dp_int128 base)
{
	int64_t change = 0;
	int i;
	int j;

	for (i = 0; i < count; i++)
		for (j = 0; j < count; j++)
		{
			if (neighbours == DP_ADD_REMOVE && added[i] != 0 && added[j] != 0)
				continue;
			change =
				most(change,
					 llabs((int64_t) (dp_unit_total_of(sum, base + added[i]) -
									  dp_unit_total_of(sum, base + added[j]))));
		}
	return change;
}

/* Sums of different values: what a unit adds is exact, and the total is rounded. */
static void
test_totals(void)
{
	static const struct
	{
		int64_t lower;
		int64_t upper;
		uint32_t rows;
		int shift;
	} cases[] = {{-5, -2, 2, 0},
				 {-3, 2, 3, 0},
				 {0, 0, 5, 0},
				 {0, INT64_C(1) << 40, 4, 0},
				 {-3, (INT64_C(1) << 40) - 1, 5, 1},
				 {-12345, (INT64_C(1) << 40) - 7, 999, 8},
				 {-(INT64_C(1) << 40) + 5, 1, 1000003, 18}};
	size_t k;
	int n;

	for (k = 0; k < sizeof(cases) / sizeof(*cases); k++)
		for (n = 0; n < 2; n++)
		{
			DpContribution contribution = {n ? DP_SUBSTITUTE : DP_ADD_REMOVE,
										   cases[k].rows, 0};
			DpGrid grid =
				grid_of(cases[k].lower, cases[k].upper, DP_GRID_MAGNITUDE);
			dp_int128 most_added =
				(dp_int128) cases[k].rows * (grid.upper > 0 ? grid.upper : 0);
			dp_int128 least_added =
				(dp_int128) cases[k].rows * (grid.lower < 0 ? grid.lower : 0);
			dp_int128 added[] = {0, most_added, least_added,
								 most_added - (most_added > 0),
								 least_added + (least_added < 0)};
			DpUnitSum sum;
			int64_t change = 0;
			int64_t base;

			dp_unit_total_init(&sum, &grid, contribution);
			for (base = -3000; base < 3000; base++)
				change =
					most(change, change_of_total(&sum, contribution.neighbours,
												 added, 3, base * 997));
			is_int((long long) sum.sensitivity, change,
				   "sums of different values, %u in %lld .. %lld: the "
				   "sensitivity is true and reached",
				   (unsigned) cases[k].rows, (long long) cases[k].lower,
				   (long long) cases[k].upper);
			is_int(sum.shift, cases[k].shift, "in steps of 2^%d",
				   cases[k].shift);
			ok(dp_unit_total_exchanged(&sum) >= sum.sensitivity,
			   "an exchange changes no less");
			ok(change_of_total(&sum, contribution.neighbours, added, 5, 1) <=
				   (int64_t) sum.sensitivity,
			   "less than most changes no more");
		}
}

static void
test_means(void)
{
	uint32_t c;
	size_t b;
	int n;

	for (b = 0; b < BOUNDS; b++)
	{
		all_units(bounds[b][0], bounds[b][1]);
		for (c = 1; c <= 3; c++)
		{
			for (n = 0; n < 2; n++)
			{
				DpContribution contribution = {
					n ? DP_SUBSTITUTE : DP_ADD_REMOVE, c, 0};
				DpGrid grid = grid_of(bounds[b][0], bounds[b][1], DP_GRID_SPAN);
				DpUnitMean mean;
				static int64_t as[UNITS_MAX];
				static int64_t bs[UNITS_MAX];
				int64_t change = 0;
				bool exact = true;
				int i;
				int j;

				is_int(dp_unit_mean_init(&mean, &grid, contribution), DP_OK,
					   "means are prepared");
				for (i = 0; i < unit_count; i++)
				{
					dp_int128 a;
					int64_t w;
					long double true_a;

					dp_unit_mean_of(&mean,
									units[i].sum - units[i].count * grid.lower,
									units[i].count, &a, &w);
					as[i] = (int64_t) a;
					bs[i] = w * (int64_t) mean.steps - as[i];
					true_a =
						units[i].count == 0 || mean.span == 0
							? 0
							: (long double) w * (long double) mean.steps *
								  (long double) (units[i].sum -
												 units[i].count * grid.lower) /
								  (long double) (units[i].count *
												 (int) mean.span);
					exact = exact &&
							w == dp_unit_count(units[i].count, contribution) &&
							as[i] >= 0 && bs[i] >= 0 &&
							fabsl(true_a - (long double) as[i]) <
								1 + true_a * 1e-15L;
				}
				for (i = 0; i < unit_count; i++)
				{
					for (j = 0; j < unit_count; j++)
					{
						if (are_neighbours(i, j, contribution.neighbours))
							change = most(change, llabs(as[i] - as[j]) +
													  llabs(bs[i] - bs[j]));
					}
				}
				ok(exact, "the pair is that of %d rows of the unit's mean",
				   (int) c);
				is_int((long long) mean.sensitivity, change,
					   "means in %d .. %d, %d rows, %s: the sensitivity is "
					   "true and reached",
					   (int) bounds[b][0], (int) bounds[b][1], (int) c,
					   n ? "substitute" : "add_remove");
			}
		}
	}
}

/* Random bounds, caps and units, up to the greatest there are. */
static void
test_extremes(void)
{
	uint64_t state = 4711;
	bool sums = true;
	bool means = true;
	int round;

	for (round = 0; round < 20000; round++)
	{
		int bits = (int) random_next_below(&state, 63);
		int64_t one = (int64_t) (random_next(&state) >> 1) >> bits;
		int64_t other = (int64_t) (random_next(&state) >> 1) >> bits;
		int64_t lower;
		int64_t upper;
		DpContribution contribution = {
			random_next_below(&state, 2) ? DP_SUBSTITUTE : DP_ADD_REMOVE,
			(uint32_t) (1 + random_next_below(
								&state,
								(uint64_t) 1 << random_next_below(&state, 32))),
			(uint32_t) random_next_below(
				&state, (uint64_t) 1 << random_next_below(&state, 32))};
		uint64_t greatest = dp_noise_greatest_sensitivity(contribution);
		int64_t count = (int64_t) (random_next(&state) >>
								   (1 + random_next_below(&state, 63)));
		DpGrid grid;
		DpUnitSum sum;
		DpUnitMean mean;
		dp_int128 total;
		dp_int128 a;
		int64_t w;
		int64_t here;

		if (random_next_below(&state, 2))
			one = -one;
		if (random_next_below(&state, 2))
			other = -other;
		lower = one < other ? one : other;
		upper = one < other ? other : one;

		grid = grid_of(lower, upper, DP_GRID_MAGNITUDE);
		dp_unit_sum_init(&sum, &grid, contribution);
		total = (dp_int128) count *
				(random_next_below(&state, 2) ? grid.lower : grid.upper);
		here = dp_unit_sum_of(&sum, total);
		sums = sums && sum.sensitivity <= greatest &&
			   (uint64_t) llabs(here) <= sum.sensitivity &&
			   dp_unit_sum_of(&sum, 0) == 0 &&
			   (sum.shift == 0 || sum.sensitivity > greatest / 4);

		grid = grid_of(lower, upper, DP_GRID_SPAN);
		if (dp_unit_mean_init(&mean, &grid, contribution) != DP_OK)
		{
			means = means && contribution.rows > greatest / 2;
			continue;
		}
		total = (dp_int128) count *
				(dp_int128) random_next_below(&state, mean.span + 1);
		dp_unit_mean_of(&mean, total, count, &a, &w);
		means = means && mean.sensitivity <= greatest &&
				w <= (int64_t) contribution.rows && a >= 0 &&
				a <= (dp_int128) w * mean.steps &&
				(dp_uint128) w * mean.steps <= mean.sensitivity;
	}
	ok(sums, "sums of any units stay within the sensitivity");
	ok(means, "means too");
}

/*
 * The losses of the groups add up, for every way to spread a unit's change:
 * each of the parts may change by all of the sensitivity.
 */
static void
test_groups(void)
{
	static const DpMechanism kinds[] = {DP_AUTO, DP_LAPLACE, DP_GEOMETRIC,
										DP_STAIRCASE, DP_DISCRETE_STAIRCASE};
	static const double epsilons[] = {0.1, 1, 4};
	uint32_t groups;
	size_t k;
	size_t e;
	int n;

	for (groups = 1; groups <= 5; groups++)
	{
		bool good = true;
		bool noticed = true;

		for (n = 0; n < 2; n++)
		{
			DpContribution contribution = {n ? DP_SUBSTITUTE : DP_ADD_REMOVE, 1,
										   groups};
			double parts = (n ? 2 : 1) * (double) groups;
			uint64_t d;

			for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
			{
				for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
				{
					for (d = 1; d <= 6; d++)
					{
						DpMechanismChoice choice = {.mechanism = kinds[k]};
						DpNoise noise;
						DpNoise half;

						if (dp_noise_init_groups(&noise, &choice,
												 epsilon_of(epsilons[e]), d,
												 contribution) != DP_OK)
							good = false;
						good =
							good && parts * noise_loss(&noise, (int64_t) d) <=
										epsilons[e] + 1e-9;
						contribution.groups = (groups + 1) / 2;
						if (groups == 1)
							contribution.groups = 0;
						dp_noise_init_groups(&half, &choice,
											 epsilon_of(epsilons[e]), d,
											 contribution);
						contribution.groups = groups;
						if (parts > 1)
							noticed = noticed &&
									  parts * noise_loss(&half, (int64_t) d) >
										  epsilons[e];
					}
				}
			}
		}
		ok(good, "%d groups together are private", (int) groups);
		ok(noticed, "but not with the noise for half of them");
	}
}

/*
 * Counts, of which a unit exchanged for another changes as many as both are in,
 * each by a unit's rows at most; and numbers of which nothing is known, which it
 * may change by twice that where both are in the same groups.
 */
static void
test_gaussian_groups(void)
{
	DpMechanismChoice choice = {.mechanism = DP_GAUSSIAN, .delta = 1e-6};
	DpChange count = {1000, 1000, 1};
	double one;
	uint32_t groups;
	int n;

	for (groups = 0; groups <= 100; groups += 10)
	{
		for (n = 0; n < 2; n++)
		{
			DpContribution contribution = {n ? DP_SUBSTITUTE : DP_ADD_REMOVE, 1,
										   groups};
			double reach = groups == 0 ? 1 : sqrt(groups);
			DpNoise noise;

			dp_noise_init(&noise, &choice, epsilon_of(1), 1000);
			one = dp_sigma_to_double(noise.sigma);
			dp_noise_init_change(&noise, &choice, epsilon_of(1), &count,
								 contribution);
			if (n && groups > 0)
				reach *= sqrt(2.0);
			is_double(dp_sigma_to_double(noise.sigma) / one, reach,
					  1e-3 * reach,
					  "gaussian noise of counts grows with the root of %d "
					  "groups, %s",
					  (int) groups, n ? "substitute" : "add_remove");

			/* with the margin of vectors, or by way of rho */
			dp_noise_init_groups(&noise, &choice, epsilon_of(1), 1000,
								 contribution);
			if (n && groups > 0)
				reach *= sqrt(2.0);
			ok(dp_sigma_to_double(noise.sigma) / one >= 0.999 * reach &&
				   dp_sigma_to_double(noise.sigma) / one <= 1.08 * reach,
			   "and with what else may be exchanged");
		}
	}
}

/* By twice the noise of one unit's part, where exchanges are opposite. */
static void
test_gaussian_exchange(void)
{
	static const struct
	{
		DpChange change;
		double squared; /* of the distance of 7 groups, in sensitivities^2 */
	} cases[] = {{{1000, 1000, 1}, 14},		  {{1000, 1400, 1}, 14},
				 {{1000, 1500, 1}, 7 * 2.25}, {{1000, 2000, 1}, 28},
				 {{1000, 0, 2}, 14},		  {{1000, 0, 3}, 14}};
	DpMechanismChoice choice = {.mechanism = DP_GAUSSIAN, .delta = 1e-6};
	DpContribution contribution = {DP_SUBSTITUTE, 1, 7};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpNoise noise = {0};

		dp_noise_init_change(&noise, &choice, epsilon_of(1), &cases[i].change,
							 contribution);
		ok((double) noise.sensitivity == ceil(1000 * sqrt(cases[i].squared)),
		   "seven groups and an exchange, case %zu", i);
	}
	contribution.groups = 0;
	{
		DpNoise noise = {0};
		DpChange mean = {2000, 0, 2};

		dp_noise_init_change(&noise, &choice, epsilon_of(1), &mean,
							 contribution);
		is_int((long long) noise.sensitivity, 1415,
			   "two sums, of which units take turns");
	}
}

/* Of a sigma that was found elsewhere: all but the calibration is the same. */
static void
test_given_sigma(void)
{
	static const DpChange changes[] = {
		{1, 1, 1}, {1000, 1000, 1}, {1000, 2000, 1}, {1000, 0, 3}};
	DpMechanismChoice choice = {.mechanism = DP_GAUSSIAN, .delta = 1e-6};
	DpContribution contribution = {DP_ADD_REMOVE, 1, 0};
	DpSigma sigma = {5, 2};
	DpChange wrong = {0, 0, 1};
	DpNoise noise;
	size_t i;
	int n;

	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
	{
		for (n = 0; n < 4; n++)
		{
			DpNoise calibrated = {0};

			contribution.neighbours = n & 1 ? DP_SUBSTITUTE : DP_ADD_REMOVE;
			contribution.groups = n & 2 ? 7 : 0;
			dp_noise_init_change(&calibrated, &choice, epsilon_of(1),
								 &changes[i], contribution);
			is_int(dp_noise_init_sigma(&noise, epsilon_of(1), &changes[i],
									   contribution, calibrated.sigma),
				   DP_OK, "change %zu, contribution %d, of a given sigma", i,
				   n);
			ok(noise.mechanism == DP_GAUSSIAN && noise.quantum == 1 &&
				   noise.epsilon.ticks == calibrated.epsilon.ticks &&
				   noise.sensitivity == calibrated.sensitivity &&
				   noise.squared == calibrated.squared &&
				   noise.sigma.numerator == calibrated.sigma.numerator &&
				   noise.sigma.denominator == calibrated.sigma.denominator,
			   "as it is when sigma is calibrated");
		}
	}
	is_int(
		dp_noise_init_sigma(&noise, epsilon_of(1), &wrong, contribution, sigma),
		DP_SENSITIVITY_OUT_OF_RANGE, "no change has no noise");
	wrong.sensitivity = DP_SENSITIVITY_MAX;
	is_int(
		dp_noise_init_sigma(&noise, epsilon_of(1), &wrong, contribution, sigma),
		DP_SENSITIVITY_OUT_OF_RANGE, "nor one too great in all groups");
}

/* Many values of one unit move a quantile's score by at most all of epsilon. */
static void
test_ranks(void)
{
	static const double fractions[] = {0, 0.3, 0.5, 1};
	uint32_t c;
	size_t f;
	int n;

	for (c = 1; c <= 4; c++)
	{
		for (f = 0; f < sizeof(fractions) / sizeof(fractions[0]); f++)
		{
			for (n = 0; n < 2; n++)
			{
				DpContribution contribution = {
					n ? DP_SUBSTITUTE : DP_ADD_REMOVE, c, 0};
				DpQuantile quantile;
				int64_t fraction;
				int64_t change = 0;
				uint32_t less;
				uint32_t below_less;
				uint32_t more;
				uint32_t below_more;

				dp_quantile_init(&quantile, fractions[f], epsilon_of(1),
								 contribution);
				fraction = quantile.fraction;

				/* F L - t, as `less` values go and `more` come */
				for (less = 0; less <= c; less++)
				{
					for (more = 0; more <= c; more++)
					{
						if (n == 0 && less > 0 && more > 0)
							continue;
						for (below_less = 0; below_less <= less; below_less++)
						{
							for (below_more = 0; below_more <= more;
								 below_more++)
								change = most(
									change,
									llabs(DP_RANK_ONE * ((int64_t) below_more -
														 (int64_t) below_less) -
										  fraction * ((int64_t) more -
													  (int64_t) less)));
						}
					}
				}
				ok((double) quantile.rank.epsilon.ticks * (double) change <=
						   (double) DP_EPSILON_ONE *
							   (double) quantile.rank.sensitivity &&
					   (double) (quantile.rank.epsilon.ticks + 1) *
							   (double) change >
						   (double) DP_EPSILON_ONE *
							   (double) quantile.rank.sensitivity,
				   "quantile %g of %d values a unit, %s: all of epsilon, no "
				   "more",
				   fractions[f], (int) c, n ? "substitute" : "add_remove");
			}
		}
	}
}

static void
test_refused(void)
{
	DpContribution contribution = {DP_ADD_REMOVE, 1000, 1000};
	DpGrid grid = grid_of(0, 10, DP_GRID_SPAN);
	DpQuantile quantile;
	DpUnitMean mean;

	is_int(dp_quantile_init(&quantile, 0.5, epsilon_of(0.5), contribution),
		   DP_EPSILON_OUT_OF_RANGE, "a share of epsilon below the least");
	is_int(dp_quantile_init(&quantile, 0.5, epsilon_of(1), contribution), DP_OK,
		   "and the least itself");
	contribution.rows = contribution.groups = INT32_MAX;
	is_int(dp_unit_mean_init(&mean, &grid, contribution),
		   DP_SENSITIVITY_OUT_OF_RANGE, "a mean of too many rows and groups");
}

int
main(void)
{
	test_counts_and_sums();
	test_totals();
	test_means();
	test_extremes();
	test_groups();
	test_gaussian_groups();
	test_gaussian_exchange();
	test_given_sigma();
	test_ranks();
	test_refused();
	return done_testing();
}
