/*
 * test_grid.c
 *		Grids, grid points, epsilon, 128-bit helpers.
 */
#include <float.h>
#include <math.h>

#include "core/epsilon.h"
#include "core/grid.h"
#include "support/random_fixed.h"
#include "support/tap.h"

#define LEAST 0x1p-1074

/* What grid.h says of every grid for doubles. */
static bool
is_sound(double lower, double upper, DpGridScale scale)
{
	DpGrid grid;
	double limit = 0x1p52;
	double step;
	double at[5];
	int64_t last;
	int i;

	if (dp_grid_for_doubles(lower, upper, scale, &grid) != DP_OK)
		return false;
	step = ldexp(1, grid.exponent);
	if (grid.lower > grid.upper || fabs((double) grid.lower) > limit ||
		fabs((double) grid.upper) > limit ||
		(double) grid.lower != grid.lower_double ||
		(double) grid.upper != grid.upper_double || grid.scale * step != 1)
		return false;
	if (scale == DP_GRID_MAGNITUDE && (fabs((double) grid.lower) > 0x1p40 ||
									   fabs((double) grid.upper) > 0x1p40))
		return false;
	if (scale == DP_GRID_SPAN && dp_grid_span(&grid) > (uint64_t) 1 << 40)
		return false;

	/* the points lie within the bounds, as far as there are any */
	if (grid.lower < grid.upper &&
		(dp_grid_to_double(&grid, (double) grid.lower) < lower ||
		 dp_grid_to_double(&grid, (double) grid.upper) > upper))
		return false;
	/* and cover them but for a step; one or more of it is lost to overflow */
	if (dp_grid_to_double(&grid, (double) grid.lower) - lower > step ||
		upper - dp_grid_to_double(&grid, (double) grid.upper) > step)
		return false;

	at[0] = -HUGE_VAL;
	at[1] = lower;
	at[2] = lower / 2 + upper / 2;
	at[3] = upper;
	at[4] = HUGE_VAL;
	last = grid.lower;
	for (i = 0; i < 5; i++)
	{
		int64_t k = dp_grid_from_double(&grid, at[i]);

		if (k < last || k > grid.upper)
			return false;
		last = k;
	}
	return dp_grid_from_double(&grid, -HUGE_VAL) == grid.lower &&
		   dp_grid_from_double(&grid, HUGE_VAL) == grid.upper &&
		   dp_grid_from_double(&grid, -DBL_MAX) <= grid.upper &&
		   dp_grid_from_double(&grid, lower) == grid.lower &&
		   dp_grid_from_double(&grid, upper) == grid.upper;
}

static void
test_doubles(void)
{
	static const double bounds[][2] = {
		{0, 1},
		{0, 0},
		{-0.0, 0},
		{0, -0.0},
		{0, LEAST},
		{-LEAST, LEAST},
		{-LEAST, 0},
		{LEAST, LEAST},
		{LEAST, 3 * LEAST},
		{-5 * LEAST, -3 * LEAST},
		{0, DBL_MIN},
		{-DBL_MIN, DBL_MIN},
		{-1e308, 1e308},
		{-DBL_MAX, DBL_MAX},
		{DBL_MAX, DBL_MAX},
		{0, DBL_MAX},
		{LEAST, DBL_MAX},
		{1e-300, 1e308},
		{-1e308, -1e-300},
		{-DBL_MAX, LEAST},
		{1, 1},
		{-0.1, -0.1},
		{1e300, 1e300},
		{1, 1 + DBL_EPSILON},
		{1 + DBL_EPSILON, 1 + 2 * DBL_EPSILON},
		{1e15, 1e15 + 1},
		{1e300, 1.0000000000000002e300},
		{-1, 1},
		{-10, 10},
		{0.1, 0.3},
		{100, 200},
		{-1, 0x1p-60},
		{1, 2},
		{0x1p40, 0x1p41},
		{-273.15, 1e6},
	};
	DpGrid grid;
	uint64_t state = 91;
	bool good = true;
	size_t i;

	for (i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
	{
		ok(is_sound(bounds[i][0], bounds[i][1], DP_GRID_SPAN),
		   "%g .. %g by span", bounds[i][0], bounds[i][1]);
		ok(is_sound(bounds[i][0], bounds[i][1], DP_GRID_MAGNITUDE),
		   "%g .. %g by magnitude", bounds[i][0], bounds[i][1]);
	}
	for (i = 0; i < 200000; i++)
	{
		double a = ldexp(random_next_double(&state) - 0.5,
						 (int) random_next_below(&state, 2090) - 1070);
		double b = i % 3 == 0
					   ? a * (1 + random_next_double(&state) * 1e-12)
					   : ldexp(random_next_double(&state) - 0.5,
							   (int) random_next_below(&state, 2090) - 1070);

		good = good && is_sound(fmin(a, b), fmax(a, b), DP_GRID_SPAN) &&
			   is_sound(fmin(a, b), fmax(a, b), DP_GRID_MAGNITUDE);
	}
	ok(good, "random bounds");

	is_int(dp_grid_for_doubles(NAN, 1, DP_GRID_SPAN, &grid),
		   DP_BOUNDS_NOT_FINITE, "a lower bound that is NaN");
	is_int(dp_grid_for_doubles(0, NAN, DP_GRID_SPAN, &grid),
		   DP_BOUNDS_NOT_FINITE, "an upper bound that is NaN");
	is_int(dp_grid_for_doubles(-INFINITY, 1, DP_GRID_MAGNITUDE, &grid),
		   DP_BOUNDS_NOT_FINITE, "an infinite lower bound");
	is_int(dp_grid_for_doubles(0, INFINITY, DP_GRID_MAGNITUDE, &grid),
		   DP_BOUNDS_NOT_FINITE, "an infinite upper bound");
	is_int(dp_grid_for_doubles(1, 0, DP_GRID_SPAN, &grid), DP_BOUNDS_REVERSED,
		   "reversed bounds");
	is_int(dp_grid_for_doubles(LEAST, 0, DP_GRID_SPAN, &grid),
		   DP_BOUNDS_REVERSED, "bounds reversed by the least number");

	dp_grid_for_doubles(0, 1, DP_GRID_SPAN, &grid);
	is_int(grid.exponent, -40, "a span of 1 has steps of 2^-40");
	is_int(grid.upper, (long long) 1 << 40, "as many as that");
	dp_grid_for_doubles(-3, 5, DP_GRID_SPAN, &grid);
	is_int(grid.exponent, -37, "a span of 8");
	dp_grid_for_doubles(-3, 5, DP_GRID_MAGNITUDE, &grid);
	is_int(grid.exponent, -37, "a magnitude of 5");
	dp_grid_for_doubles(1000, 1001, DP_GRID_SPAN, &grid);
	is_int(grid.exponent, -40, "an offset costs nothing");
}

static void
test_rounding(void)
{
	DpGrid grid;
	uint64_t state = 92;
	bool nearest = true;
	bool monotone = true;
	double last = -3;
	int i;

	dp_grid_for_doubles(-3, 5, DP_GRID_SPAN, &grid);
	for (i = 0; i < 200000; i++)
	{
		double x = -3 + 8 * random_next_double(&state);
		double next = x + fabs(last - x) * 1e-9;
		int64_t k = dp_grid_from_double(&grid, x);

		nearest = nearest && fabs(dp_grid_to_double(&grid, (double) k) - x) <=
								 ldexp(0.5, grid.exponent);
		monotone = monotone && dp_grid_from_double(&grid, next) >= k &&
				   (x < last) == (k < dp_grid_from_double(&grid, last));
		last = x;
	}
	ok(nearest, "the nearest point");
	ok(monotone, "monotone");
}

static void
test_integers(void)
{
	static const int64_t ends[] = {INT64_MIN,
								   INT64_MIN + 1,
								   -((int64_t) 1 << 62),
								   -((int64_t) 1 << 40) - 1,
								   -((int64_t) 1 << 40),
								   -1000,
								   -1,
								   0,
								   1,
								   7,
								   (int64_t) 1 << 40,
								   ((int64_t) 1 << 40) + 1,
								   (int64_t) 1 << 53,
								   INT64_MAX - 1000,
								   INT64_MAX - 1,
								   INT64_MAX};
	const size_t count = sizeof(ends) / sizeof(ends[0]);
	size_t a;
	size_t b;
	size_t v;
	int scale;
	bool good = true;
	DpGrid grid;

	for (scale = 0; scale < 2; scale++)
	{
		for (a = 0; a < count; a++)
		{
			for (b = a; b < count; b++)
			{
				int64_t last = INT64_MIN;
				dp_int128 size;

				good = good && dp_grid_for_integers(ends[a], ends[b],
													(DpGridScale) scale,
													&grid) == DP_OK;
				good = good && grid.exponent >= 0 && grid.lower <= grid.upper;
				size = scale == DP_GRID_SPAN
						   ? (dp_int128) ends[b] - ends[a]
						   : (dp_int128) (dp_int128_abs(ends[a]) >
												  dp_int128_abs(ends[b])
											  ? dp_int128_abs(ends[a])
											  : dp_int128_abs(ends[b]));
				/* the least exponent that suffices */
				good = good && size <= (dp_int128) 1 << (40 + grid.exponent) &&
					   (grid.exponent == 0 ||
						size > (dp_int128) 1 << (39 + grid.exponent));
				if (scale == DP_GRID_SPAN)
					good = good && dp_grid_span(&grid) <= (uint64_t) 1 << 40;
				else
					good = good && grid.lower >= -((int64_t) 1 << 40) &&
						   grid.upper <= (int64_t) 1 << 40;
				for (v = 0; v < count; v++)
				{
					int64_t k = dp_grid_from_integer(&grid, ends[v]);

					good =
						good && k >= grid.lower && k <= grid.upper && k >= last;
					if (grid.exponent == 0 && ends[v] >= ends[a] &&
						ends[v] <= ends[b])
						good = good && k == ends[v];
					last = k;
				}
				good = good &&
					   dp_grid_from_integer(&grid, INT64_MIN) == grid.lower &&
					   dp_grid_from_integer(&grid, INT64_MAX) == grid.upper;
			}
		}
	}
	ok(good, "grids of integers up to the ends of the type");
	is_int(dp_grid_for_integers(1, 0, DP_GRID_SPAN, &grid), DP_BOUNDS_REVERSED,
		   "reversed bounds of integers");
	dp_grid_for_integers(0, (int64_t) 1 << 42, DP_GRID_SPAN, &grid);
	is_int(dp_grid_from_integer(&grid, 5), 1, "rounded to the nearest");
	is_int(dp_grid_from_integer(&grid, 6), 2, "a half is rounded up");
	dp_grid_for_integers(-((int64_t) 1 << 42), 0, DP_GRID_SPAN, &grid);
	is_int(dp_grid_from_integer(&grid, -5), -1, "negative, to the nearest");
	is_int(dp_grid_from_integer(&grid, -6), -1, "a negative half too");
}

/* No order of rows changes a sum of grid points; doubles differ. */
static void
test_order(void)
{
	DpGrid grid;
	uint64_t state = 93;
	static double rows[10000];
	dp_int128 forwards = 0;
	dp_int128 backwards = 0;
	dp_int128 parts[4] = {0, 0, 0, 0};
	double sums[2] = {0, 0};
	size_t i;

	dp_grid_for_doubles(-0x1p53, 0x1p53, DP_GRID_MAGNITUDE, &grid);
	for (i = 0; i < 10000; i++)
		rows[i] = i % 100 == 0 ? 0x1p53 * (random_next_double(&state) - 0.5)
							   : random_next_double(&state);
	for (i = 0; i < 10000; i++)
	{
		forwards += dp_grid_from_double(&grid, rows[i]);
		backwards += dp_grid_from_double(&grid, rows[9999 - i]);
		parts[i % 4] += dp_grid_from_double(&grid, rows[i]);
		sums[0] += rows[i];
		sums[1] += rows[9999 - i];
	}
	ok(forwards == backwards &&
		   forwards == parts[3] + parts[1] + parts[0] + parts[2],
	   "sums of grid points do not depend on the order");
	ok(sums[0] != sums[1], "which sums of doubles do");
}

static void
test_epsilon(void)
{
	static const double refused[] = {0,
									 -0.0,
									 -1,
									 NAN,
									 INFINITY,
									 -INFINITY,
									 0x1p-1074,
									 0x1.fffffffffffffp-21,
									 1000000.0000000001,
									 1e300};
	DpEpsilon epsilon = {77};
	uint64_t state = 94;
	bool good = true;
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		is_int(dp_epsilon_from_double(refused[i], &epsilon),
			   DP_EPSILON_OUT_OF_RANGE, "epsilon %g", refused[i]);
	ok(dp_epsilon_from_double(DP_EPSILON_MIN, &epsilon) == DP_OK &&
		   epsilon.ticks == 1,
	   "the least epsilon");
	ok(dp_epsilon_from_double(DP_EPSILON_MAX, &epsilon) == DP_OK &&
		   epsilon.ticks == 1000000 * DP_EPSILON_ONE,
	   "the greatest epsilon");
	ok(dp_epsilon_from_double(0x1.fffffffffffffp-20, &epsilon) == DP_OK &&
		   epsilon.ticks == 1,
	   "it is rounded down");
	for (i = 0; i < 100000; i++)
	{
		double value = exp2(random_next_double(&state) * 39 - 20);
		double used;

		good = good && dp_epsilon_from_double(value, &epsilon) == DP_OK;
		used = dp_epsilon_to_double(epsilon);
		good = good && used <= value && used > value - 0x1p-20 &&
			   (double) epsilon.ticks * 0x1p-20 == used;
	}
	ok(good, "never more than was asked for, never 2^-20 less");
}

/* Points come back as the numbers that people write. */
static void
test_decimals(void)
{
	const double values[] = {474.83, 0.1, -17.999, 1e-7, 999999.99, 0};
	bool good = true;
	int bits;
	size_t i;

	for (bits = 20; bits <= 60; bits++)
	{
		for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		{
			double power = pow(10, dp_grid_decimals(-bits));
			double wanted = rint(values[i] * power) / power;

			if (fabs(values[i]) * ldexp(1, bits) > 0x1p51)
				continue;
			good = good && dp_grid_to_decimal(
							   -bits, rint(ldexp(values[i], bits))) == wanted;
		}
	}
	ok(good, "decimals that a grid tells apart come back");
	ok(dp_grid_decimals(0) == 0 && dp_grid_decimals(7) == 0 &&
		   dp_grid_decimals(-1) == 0 && dp_grid_decimals(-10) == 3 &&
		   dp_grid_decimals(-30) == 9,
	   "a decimal is no shorter than a step");
	ok(dp_grid_to_decimal(3, 5) == 40 && dp_grid_to_decimal(-1022, 1) > 0 &&
		   !signbit(dp_grid_to_decimal(-40, -0.3)),
	   "whole steps, very small ones, and no zero below zero");
}

static void
test_int128(void)
{
	ok(dp_int128_abs(DP_INT128_MIN) == (dp_uint128) 1 << 127,
	   "the least 128-bit integer has an absolute value");
	ok(dp_int128_add_saturating(DP_INT128_MAX, 1) == DP_INT128_MAX &&
		   dp_int128_add_saturating(DP_INT128_MIN, -1) == DP_INT128_MIN &&
		   dp_int128_add_saturating(DP_INT128_MIN, DP_INT128_MAX) == -1,
	   "sums stop at the ends");
	ok(dp_int128_clamp(5, 0, 3) == 3 && dp_int128_clamp(-5, 0, 3) == 0 &&
		   dp_int128_clamp(2, 0, 3) == 2,
	   "clamping");
	ok(dp_gcd(12, 18) == 6 && dp_gcd(0, 7) == 7 && dp_gcd(7, 0) == 7 &&
		   dp_gcd(1, UINT64_MAX) == 1,
	   "greatest common divisor");
}

int
main(void)
{
	test_doubles();
	test_rounding();
	test_integers();
	test_order();
	test_epsilon();
	test_decimals();
	test_int128();
	return done_testing();
}
