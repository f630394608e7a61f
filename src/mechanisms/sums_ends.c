/*
 * sums_ends.c
 *		Intervals of means and variances.
 *
 * Ends are computed in doubles, and widened by more than the rounding errors.
 */
#include <math.h>

#include "mechanisms/half_width.h"
#include "mechanisms/joint_shape.h"
#include "mechanisms/sums_ends.h"
#include "mechanisms/weighted_laplace.h"

/* The greatest error of doubles, relative to what they are computed from. */
#define ERROR 0x1p-46

/* How often ranges are made smaller. */
#define ROUNDS 5

/* Of the tail of a variance, what is for the mean and for the number of rows. */
#define SHARE_OF_MEAN 0.1
#define SHARE_OF_ROWS 0.02

/* What is possible. */
typedef struct Range
{
	double low;
	double high;
} Range;

/* What gives widths. */
typedef struct Widths
{
	const DpLaw *law;
	double tail;
	double width; /* of the level, as dp_law_width has it */
	double slack; /* more than the rounding errors of sums */
} Widths;

DpSumsWay
dp_sums_ends_way(const DpLaw *law)
{
	if (dp_mechanism_noise(law->noise.mechanism) == DP_NOISE_LAPLACE &&
		law->noise.quantum == 1)
		return DP_SUMS_LAPLACE;
	if (dp_mechanism_noise(law->noise.mechanism) == DP_NOISE_STAIRCASE &&
		law->noise.staircase.sums > 1)
		return DP_SUMS_STAIRCASE;
	return DP_SUMS_APART;
}

/* The width for draws that are all within it: 1 - L^(1/2), or 1 - L^(1/3). */
static DpStatus
width_apart(const DpLaw *law, double tail, dp_uint128 *width)
{
	double root = law->kind == DP_LAW_RATIO ? sqrt(1 - tail) : cbrt(1 - tail);
	double sum = law->kind == DP_LAW_RATIO ? 1 + root : 1 + root + root * root;

	return dp_half_width(&law->noise, tail / sum * (1 - ERROR), width);
}

DpStatus
dp_sums_ends_width(const DpLaw *law, double tail, dp_uint128 *width)
{
	static const double any[3] = {1, 1, 1}; /* of 1 in all */
	double share = law->kind == DP_LAW_RATIO ? 1 : DP_SUMS_ENDS_SHARE;
	dp_uint128 together;

	switch (dp_sums_ends_way(law))
	{
		case DP_SUMS_STAIRCASE:
			*width = (dp_uint128) ceil(dp_joint_weighted_width(
				&law->noise.staircase, tail * share, any, 1));
			return DP_OK;
		case DP_SUMS_LAPLACE:
			DP_TRY(dp_half_width_between(&law->noise, tail * share, &together));
			if (law->kind == DP_LAW_RATIO)
			{
				DP_TRY(width_apart(law, tail, width));
				together = *width < together ? *width : together;
			}
			*width = together;
			return DP_OK;
		case DP_SUMS_APART:
			break;
	}
	return width_apart(law, tail, width);
}

/*
 * The width of a sum with weights up to these, which add up to no more than
 * `most`, at a share of the tail.
 */
static double
width_of(const Widths *widths, double share, const double weights[3],
		 double most)
{
	double sum =
		fmin(fabs(weights[0]) + fabs(weights[1]) + fabs(weights[2]), most);

	switch (dp_sums_ends_way(widths->law))
	{
		case DP_SUMS_LAPLACE:
			return dp_weighted_laplace_width(&widths->law->noise,
											 widths->tail * share, weights,
											 sum) +
				   widths->slack;
		case DP_SUMS_STAIRCASE:
			return dp_joint_weighted_width(&widths->law->noise.staircase,
										   widths->tail * share, weights, sum) +
				   widths->slack;
		case DP_SUMS_APART:
			break;
	}
	return widths->width * sum * (1 + ERROR) + widths->slack;
}

/* numerator / denominator within 0 .. 1, rounded outwards except at 0 and 1. */
static double
part(dp_int128 numerator, dp_int128 denominator, bool is_high)
{
	double value;

	if (numerator <= 0)
		return 0;
	if (numerator >= denominator)
		return 1;
	value = (double) numerator / (double) denominator;
	return is_high ? fmin(value * (1 + ERROR), 1) : value * (1 - ERROR);
}

/* a number -+ a width */
static dp_int128
moved(dp_int128 number, dp_uint128 width, bool is_high)
{
	dp_int128 by =
		width > (dp_uint128) DP_INT128_MAX ? DP_INT128_MAX : (dp_int128) width;

	return dp_int128_add_saturating(number, is_high ? by : -by);
}

double
dp_law_ratio_end(const DpLaw *law, double level, dp_uint128 width,
				 const dp_int128 *sums, bool is_high)
{
	Widths widths = {
		.law = law, .tail = dp_law_tail(level), .width = (double) width};
	Range range = {0, 1};
	int round;

	if (sums[1] <= 0)
		return is_high ? 1 : 0;
	for (round = 0; round < ROUNDS; round++)
	{
		const double weights[3] = {1 - range.low, range.high, 0};
		double other = ceil(width_of(&widths, 1, weights, 1));

		if (round > 0 && other >= (double) width)
			break;
		if (other < (double) width)
			width = (dp_uint128) other;
		range.low = part(moved(sums[0], width, false), sums[1], false);
		range.high = part(moved(sums[0], width, true), sums[1], true);
	}
	return is_high ? range.high : range.low;
}

/* The range less what is not within a distance of a number; never empty. */
static void
narrow(Range *range, double low, double high)
{
	range->low = fmin(fmax(range->low, low), range->high);
	range->high = fmax(fmin(range->high, high), range->low);
}

/* The farthest that a number is from those in a range. */
static double
farthest(const Range *range, double from)
{
	return fmax(fabs(range->low - from), fabs(range->high - from));
}

/* c as above; total: T */
static Range
mean_range(const Widths *widths, double c, double total)
{
	Range range = {0, 1};
	int round;

	for (round = 0; round < ROUNDS; round++)
	{
		double middle = farthest(&range, 0.5);
		const double weights[3] = {range.high, middle, 1 - range.low};
		double distance = width_of(widths, SHARE_OF_MEAN, weights, 1 + middle) /
						  total * (1 + ERROR);

		narrow(&range, c - distance, c + distance);
	}
	return range;
}

/* The greatest m (1-m) of means in a range. */
static double
greatest_product(const Range *mean)
{
	double m = fmin(fmax(0.5, mean->low), mean->high);

	return m * (1 - m) * (1 + ERROR);
}

/* The greatest |m^2 - v|. */
static double
greatest_difference(const Range *mean, const Range *variance)
{
	return fmax(fabs(mean->low * mean->low - variance->high),
				fabs(mean->high * mean->high - variance->low)) +
		   ERROR;
}

/* apparent: B2~/T - c^2 */
static Range
variance_range(const Widths *widths, double apparent, double c,
			   const Range *mean, double total)
{
	const Range rest = {1 - mean->high, 1 - mean->low};
	Range range = {0, greatest_product(mean)};
	double far = farthest(mean, c) * (1 + ERROR);
	double near = c < mean->low	   ? mean->low - c
				  : c > mean->high ? c - mean->high
								   : 0;
	int round;

	near *= 1 - ERROR;
	for (round = 0; round < ROUNDS; round++)
	{
		const double weights[3] = {greatest_difference(mean, &range),
								   greatest_product(mean) + range.high,
								   greatest_difference(&rest, &range)};
		double distance = width_of(widths, DP_SUMS_ENDS_SHARE, weights, 1) /
						  total * (1 + ERROR);

		narrow(&range, apparent + near * near - distance,
			   apparent + far * far + distance);
	}
	return range;
}

double
dp_law_variance_end(const DpLaw *law, double level, dp_uint128 width,
					const dp_int128 *sums, bool is_high)
{
	static const double ones[3] = {1, 1, 1};
	double b0 = (double) sums[0];
	double b1 = (double) sums[1];
	double b2 = (double) sums[2];
	double total = b0 + b1 + b2;
	double size = fabs(b0) + fabs(b1) + fabs(b2);
	Widths widths = {.law = law,
					 .tail = dp_law_tail(level),
					 .width = (double) width,
					 .slack = 4 * (size + (double) width) * ERROR};
	bool over_all =
		law->kind == DP_LAW_VARIANCE_POP || law->kind == DP_LAW_DEVIATION_POP;
	double of_rows = width_of(&widths, SHARE_OF_ROWS, ones, 3);
	double c;
	double rows;
	Range mean;
	Range range;

	if (!(total - of_rows > 0))
		return !is_high ? 0 : over_all ? 0.25 : 0.5;
	c = (b1 / 2 + b2) / total;
	widths.slack *= 1 + c * c;
	mean = mean_range(&widths, c, total);
	range = variance_range(&widths, b2 / total - c * c, c, &mean, total);
	if (over_all)
		return fmin(is_high ? range.high : range.low, 0.25);
	if (!is_high)
		return range.low;
	rows = fmax(floor((total - of_rows) / (double) law->steps), 2);
	return fmin(range.high * rows / (rows - 1) * (1 + ERROR), 0.5);
}
