/*
 * double_range.c
 *		What lies between two doubles, and what is computed of it.
 */
#include <math.h>

#include "mechanisms/double_range.h"

static double
product_of(double a, double b)
{
	return a == 0 || b == 0 ? 0 : a * b;
}

DpRange
dp_range_times(DpRange a, DpRange b)
{
	double ends[4] = {product_of(a.low, b.low), product_of(a.low, b.high),
					  product_of(a.high, b.low), product_of(a.high, b.high)};

	return (DpRange){fmin(fmin(ends[0], ends[1]), fmin(ends[2], ends[3])),
					 fmax(fmax(ends[0], ends[1]), fmax(ends[2], ends[3]))};
}

DpRange
dp_range_minus(DpRange a, DpRange b)
{
	return (DpRange){a.low - b.high, a.high - b.low};
}

DpRange
dp_range_plus(DpRange a, DpRange b)
{
	return (DpRange){a.low + b.low, a.high + b.high};
}

DpRange
dp_range_just(double x)
{
	return (DpRange){x, x};
}

double
dp_range_size(DpRange a)
{
	return fmax(fabs(a.low), fabs(a.high)) + DP_RANGE_ERROR;
}

DpRange
dp_range_divided(DpRange a, DpRange by)
{
	return (DpRange){a.low > 0	  ? a.low / by.high
					 : by.low > 0 ? a.low / by.low
								  : -INFINITY,
					 a.high < 0	  ? a.high / by.high
					 : by.low > 0 ? a.high / by.low
								  : INFINITY};
}

DpRange
dp_range_squared(DpRange a)
{
	double low = a.low > 0 ? a.low : a.high < 0 ? -a.high : 0;
	double high = fmax(fabs(a.low), fabs(a.high));

	return (DpRange){low * low, high * high};
}

DpRange
dp_range_outwards(DpRange a)
{
	return (DpRange){
		isfinite(a.low) ? a.low - fabs(a.low) * DP_RANGE_ERROR : a.low,
		isfinite(a.high) ? a.high + fabs(a.high) * DP_RANGE_ERROR : a.high};
}

DpRange
dp_range_within(DpRange a, double low, double high)
{
	DpRange both;

	both.low = fmin(fmax(a.low, low), a.high);
	both.high = fmax(fmin(a.high, high), both.low);
	return both;
}
