/*
 * test_extreme.c
 *		Private maxima by above_threshold: how they walk, how good they are, when
 *		auto takes something else, and what their intervals cover.
 *
 * That they are private is shown in test_privacy.c, by enumeration.
 */
#include <math.h>

#include "mechanisms/confidence.h"
#include "mechanisms/extreme.h"
#include "support/data_sets.h"
#include "support/random_fixed.h"
#include "support/statistic.h"
#include "support/tap.h"
#include "support/walk_law.h"

#define ROWS 1000
#define DATA_SETS 200
#define DRAWS 10
#define UPPER 12 /* of small grids */

static TestRandom source;

static DpExtreme
prepare(DpMechanism mechanism, double epsilon, const DpGrid *grid,
		DpContribution contribution)
{
	DpMechanismChoice choice = {.mechanism = mechanism, .rank = -1};
	DpEpsilon units = {0};
	DpExtreme extreme = {0};

	dp_epsilon_from_double(epsilon, &units);
	is_int(dp_extreme_init(&extreme, &choice, units, grid, contribution), DP_OK,
		   "%s at epsilon %g", dp_mechanism_name(mechanism), epsilon);
	return extreme;
}

/* Marks and thresholds, which depend on the epsilon of one group. */
static void
test_walks(void)
{
	static const struct
	{
		double epsilon;
		int64_t span;
		uint32_t groups;
		int steps;
		int threshold;
		int limit;
	} walks[] = {
		{0.125, 1000, 0, 100, 16, 1040}, {1, 1000, 0, 100, 2, 130},
		{1, 37, 0, 37, 2, 130},			 {1, 1000, 2, 100, 4, 260},
		{2.99, 1000, 0, 100, 1, 44},	 {3, 1000, 0, 400, 0, 43},
		{7.99, 1000, 0, 400, 0, 17},	 {8, 1000, 0, 800, 0, 16},
		{8, 500, 0, 500, 0, 16},		 {8, 1000, 2, 400, 0, 32},
	};
	size_t i;
	int n;

	for (i = 0; i < sizeof(walks) / sizeof(walks[0]); i++)
	{
		DpGrid grid = grid_of(0, walks[i].span);

		for (n = 0; n < 2; n++)
		{
			DpContribution one = {n ? DP_SUBSTITUTE : DP_ADD_REMOVE, 1,
								  n ? walks[i].groups / 2 : walks[i].groups};
			DpExtreme extreme =
				prepare(DP_ABOVE_THRESHOLD, walks[i].epsilon, &grid, one);

			is_int((long long) extreme.steps, walks[i].steps, "marks");
			is_int((long long) extreme.walk.threshold, walks[i].threshold,
				   "threshold");
			is_int((long long) extreme.limit, walks[i].limit, "values kept");
			is_int((long long) extreme.walk.t_counts,
				   2 * (long long) DP_EPSILON_ONE,
				   "half of epsilon for the numbers, of either neighbours");
		}
	}
}

/* From where on auto takes staircase: exp(-epsilon/2) about 1/250. */
static void
test_auto(void)
{
	static const struct
	{
		double epsilon;
		int64_t span;
		DpMechanism mechanism;
	} choices[] = {
		{0.01, 1 << 30, DP_ABOVE_THRESHOLD},
		{10, 1 << 30, DP_ABOVE_THRESHOLD},
		{11, 1 << 30, DP_ABOVE_THRESHOLD},
		{11.1, 1 << 30, DP_STAIRCASE},
		{1000, 1 << 30, DP_STAIRCASE},
		{5, 1, DP_ABOVE_THRESHOLD},
		{7, 1, DP_STAIRCASE},
	};
	size_t i;

	for (i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
	{
		DpGrid grid = grid_of(0, choices[i].span);
		DpContribution row = dp_contribution_of_row(DP_ADD_REMOVE);
		DpContribution units = {DP_SUBSTITUTE, 5, 2};
		DpExtreme extreme = prepare(DP_AUTO, choices[i].epsilon, &grid, row);

		is_int(extreme.mechanism, choices[i].mechanism, "is %s",
			   dp_mechanism_name(choices[i].mechanism));
		extreme = prepare(DP_AUTO, 4 * choices[i].epsilon, &grid, units);
		is_int(extreme.mechanism, choices[i].mechanism,
			   "also of units in two groups that are exchanged");
	}
}

/* Mean errors of 1000 values in a span of 20, as they were computed elsewhere. */
static void
test_errors(void)
{
	static const struct
	{
		bool is_normal;
		double epsilon;
		double error;
		double tolerance;
	} errors[] = {
		{true, 0.1, 1.252, 0.1},  {true, 0.5, 0.714, 0.08},
		{true, 1, 0.529, 0.08},	  {true, 3, 0.301, 0.06},
		{true, 5, 0.182, 0.05},	  {true, 10, 0.053, 0.03},
		{false, 0.1, 3.87, 0.25}, {false, 1, 1.83, 0.2},
		{false, 5, 0.73, 0.15},	  {false, 10, 0.23, 0.1},
	};
	size_t e;

	for (e = 0; e < sizeof(errors) / sizeof(errors[0]); e++)
	{
		uint64_t state = 124;
		double total = 0;
		DpGrid grid;
		DpExtreme extreme;
		int set;

		dp_grid_for_doubles(errors[e].is_normal ? -10 : 0,
							errors[e].is_normal ? 10 : 20, DP_GRID_SPAN, &grid);
		extreme = prepare(DP_ABOVE_THRESHOLD, errors[e].epsilon, &grid,
						  dp_contribution_of_row(DP_ADD_REMOVE));
		for (set = 0; set < DATA_SETS; set++)
		{
			int64_t values[ROWS];
			int64_t greatest = grid.lower;
			int i;

			for (i = 0; i < ROWS; i++)
			{
				double x = errors[e].is_normal
							   ? random_next_normal(&state)
							   : -log(1 - random_next_double(&state));

				values[i] = dp_grid_from_double(&grid, x);
				if (values[i] > greatest)
					greatest = values[i];
			}
			for (i = 0; i < DRAWS; i++)
			{
				int64_t point = grid.lower;

				(void) dp_extreme_draw(&source.random, &extreme, values, ROWS,
									   grid.lower, grid.upper, &point);
				total += fabs((double) (point - greatest));
			}
		}
		total *= ldexp(1, grid.exponent) / (DATA_SETS * DRAWS);
		is_double(total, errors[e].error, errors[e].tolerance,
				  "mean error of a maximum of %s values, epsilon %g",
				  errors[e].is_normal ? "normal" : "exponential",
				  errors[e].epsilon);
	}
}

/* Ranks and marks that 95% of the walks over 100 marks keep to. */
static void
test_ranks(void)
{
	static const struct
	{
		double epsilon;
		uint64_t threshold;
		double ranks;
		double marks;
	} walks[] = {{0.5, 4, 31, 5}, {1, 2, 16, 4}, {2, 1, 8, 3}, {5, 1, 3, 0}};
	size_t i;

	for (i = 0; i < sizeof(walks) / sizeof(walks[0]); i++)
	{
		DpAboveThreshold walk;
		DpEpsilon epsilon;

		dp_epsilon_from_double(walks[i].epsilon, &epsilon);
		dp_above_threshold_init(&walk, epsilon, DP_ADD_REMOVE,
								walks[i].threshold);
		is_double((double) walk.threshold +
					  dp_above_threshold_excess(&walk, 100, 0.05),
				  walks[i].ranks, 0, "ranks at epsilon %g", walks[i].epsilon);
		is_double(dp_above_threshold_overrun(&walk, 100, 0.05), walks[i].marks,
				  0, "marks at epsilon %g", walks[i].epsilon);
	}
}

/* The greatest mark or upper; marks are the points of small grids. */
static double
covered(const DpExtreme *extreme, int64_t maximum, uint64_t many, int64_t width)
{
	uint64_t above[UPPER];
	double p[UPPER + 1];
	double result = 0;
	int64_t i;

	for (i = 0; i < UPPER; i++)
		above[i] = i < maximum ? many : 0;
	walk_law(&extreme->walk, above, UPPER, p);
	for (i = 0; i <= UPPER; i++)
		result += i - width <= maximum ? p[i] : 0;
	return result;
}

/*
 * The interval from the answer minus its width has the maximum: however many
 * values are that great, and not with a lesser width.
 */
static void
test_coverage(void)
{
	static const double epsilons[] = {0.05, 0.3, 1, 2, 3, 5, 9};
	static const double levels[] = {0.5, 0.8, 0.95, 0.999};
	DpGrid grid = grid_of(0, UPPER);
	size_t e;
	size_t l;

	for (e = 0; e < sizeof(epsilons) / sizeof(epsilons[0]); e++)
	{
		DpExtreme extreme = prepare(DP_ABOVE_THRESHOLD, epsilons[e], &grid,
									dp_contribution_of_row(DP_ADD_REMOVE));

		for (l = 0; l < sizeof(levels) / sizeof(levels[0]); l++)
		{
			DpLaw law = {
				.kind = DP_LAW_WALK_UP,
				.noise = {.s = extreme.walk.s, .t = extreme.walk.t_counts},
				.greatest = UPPER,
				.steps = extreme.steps,
				.threshold = (int64_t) extreme.walk.threshold};
			dp_uint128 width = 0;
			bool good = true;
			int64_t maximum;
			uint64_t many;

			is_int(dp_law_width(&law, levels[l], &width), DP_OK, "a width");
			for (maximum = 0; maximum <= UPPER; maximum++)
				for (many = 1; many < 50; many *= 3)
					good = good && covered(&extreme, maximum, many,
										   (int64_t) width) >= levels[l];
			ok(good, "epsilon %g, level %g: %d", epsilons[e], levels[l],
			   (int) width);
			ok(width == 0 ||
				   covered(&extreme, 0, 1, (int64_t) width - 1) < levels[l],
			   "and no wider than it must be");
		}
	}
}

/* Where marks are several points apart. */
static void
test_widths(void)
{
	DpLaw law = {.kind = DP_LAW_WALK_DOWN,
				 .noise = {.s = DP_EPSILON_ONE, .t = 2 * DP_EPSILON_ONE},
				 .least = -500,
				 .greatest = 550,
				 .steps = 100,
				 .threshold = 2};
	dp_uint128 width;

	(void) dp_law_width(&law, 0.95, &width); /* j = 4, marks 10.5 apart */
	is_int((long long) width, 52, "five marks but for a point");
	law.steps = 4;
	(void) dp_law_width(&law, 0.95, &width);
	is_int((long long) width, 1050, "all of the span");
}

int
main(void)
{
	random_seeded(&source, 20260402);
	test_walks();
	test_auto();
	test_errors();
	test_ranks();
	test_coverage();
	test_widths();
	return done_testing();
}
