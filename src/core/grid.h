/*
 * grid.h
 *		The dyadic grid: how values become integers.
 *
 * A grid is made from public facts alone: the kind of value and its bounds.
 * Every row's value is clamped to the bounds and rounded to a multiple k of
 * 2^exponent; sums of k are sums of integers, which depend neither on the order
 * of rows nor on the number of workers, so that the claimed sensitivity is the
 * true one (Mironov 2012, Casacuberta et al. 2022).
 */
#ifndef DP_CORE_GRID_H
#define DP_CORE_GRID_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/int128.h"
#include "core/status.h"

/* The span of a grid is at most 2^DP_GRID_BITS steps. */
#define DP_GRID_BITS 40

typedef struct DpGrid
{
	int exponent;		 /* a step is 2^exponent, in the value's unit */
	int64_t lower;		 /* least k:    lower bound / step, rounded up */
	int64_t upper;		 /* greatest k: upper bound / step, rounded down */
	double scale;		 /* 2^-exponent; for dp_grid_from_double */
	double lower_double; /* lower as a double, exactly within 2^53 */
	double upper_double; /* upper, likewise */
} DpGrid;

/* What the grid must resolve: the span of the bounds, or their magnitude. */
typedef enum DpGridScale
{
	DP_GRID_SPAN,	   /* means, maxima, quantiles: upper - lower */
	DP_GRID_MAGNITUDE, /* sums: max(|lower|, |upper|) */
	DP_GRID_SQUARE	   /* variances: the span, of half as many bits */
} DpGridScale;

/*
 * A grid for binary floating-point (and numeric) values.
 *
 * lower, upper: finite, lower <= upper, in the value's unit. Afterwards
 * |k| <= 2^52, so every k is exact as a double. Equal bounds give one point.
 * Errors: DP_BOUNDS_NOT_FINITE, DP_BOUNDS_REVERSED.
 */
extern DpStatus dp_grid_for_doubles(double lower, double upper,
									DpGridScale scale, DpGrid *grid);

/*
 * A grid for integer values: step 1 where the scale is at most 2^40, else the
 * least sufficient power of two. Errors: DP_BOUNDS_REVERSED.
 */
extern DpStatus dp_grid_for_integers(int64_t lower, int64_t upper,
									 DpGridScale scale, DpGrid *grid);

/* Number of steps between the least and the greatest point. */
static inline uint64_t
dp_grid_span(const DpGrid *grid)
{
	return (uint64_t) grid->upper - (uint64_t) grid->lower;
}

/*
 * The integer nearest to k, ties to even, for |k| <= 2^52: what rint() gives,
 * without a call for every row. Added to 2^52, k has no room for a fraction.
 */
static inline double
dp_grid_round(double k)
{
	double shift = copysign(4503599627370496.0, k);

	return (k + shift) - shift;
}

/*
 * The grid point of a double from a grid made by dp_grid_for_doubles.
 * Infinities and everything outside the bounds are clamped. The value must not
 * be NaN: callers skip NaN as they skip NULL.
 */
static inline int64_t
dp_grid_from_double(const DpGrid *grid, double value)
{
	double k = value * grid->scale;

	if (k <= grid->lower_double)
		return grid->lower;
	if (k >= grid->upper_double)
		return grid->upper;
	return (int64_t) dp_grid_round(k);
}

/* The grid point of an integer from a grid made by dp_grid_for_integers. */
static inline int64_t
dp_grid_from_integer(const DpGrid *grid, int64_t value)
{
	int64_t k = value;

	if (grid->exponent > 0)
		k = (int64_t) (((dp_int128) value +
						((dp_int128) 1 << (grid->exponent - 1))) >>
					   grid->exponent);
	if (k < grid->lower)
		return grid->lower;
	return k > grid->upper ? grid->upper : k;
}

/* k steps as a double: exact while |k| < 2^53 and the result is in range. */
extern double dp_grid_to_double(const DpGrid *grid, double k);

/*
 * The number of decimal places that steps of 2^exponent can tell apart: no step
 * is longer than a unit in the last of them. So a number of no more places is
 * restored by rounding the nearest point of the grid. 0 for whole steps.
 */
extern int dp_grid_decimals(int exponent);

/*
 * k steps of 2^exponent as the double nearest to that value rounded to those
 * decimals. Not rounded where that would lose bits.
 */
extern double dp_grid_to_decimal(int exponent, double k);

#endif
