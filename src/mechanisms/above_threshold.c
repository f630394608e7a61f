/*
 * above_threshold.c
 *		One-sided sparse vector.
 */
#include <math.h>

#include "mechanisms/above_threshold.h"
#include "samplers/bernoulli.h"
#include "samplers/geometric.h"

/* Sums over the threshold's noise take this many steps to one of its scales ... */
#define STEPS_OF_SCALE 64

/* ... up to where less than exp(-36) is left. */
#define SCALES 36

/* The greatest relative error of sums of doubles. */
#define SLACK 1e-9

void
dp_above_threshold_init(DpAboveThreshold *walk, DpEpsilon epsilon,
						DpNeighbours neighbours, uint64_t threshold)
{
	walk->threshold = threshold;
	walk->s = epsilon.ticks;
	walk->t_threshold = 2 * DP_EPSILON_ONE;
	walk->t_counts = (neighbours == DP_SUBSTITUTE ? 4 : 2) * DP_EPSILON_ONE;
}

DpStatus
dp_above_threshold_draw(DpRandom *random, const DpAboveThreshold *walk,
						const uint64_t *counts, size_t n, size_t *stop)
{
	dp_uint128 nu;
	size_t i;
	DP_RECORD_CALL(random, "above_threshold");

	DP_RECORD_SAME("threshold", walk->threshold);
	DP_RECORD_SAME("s", walk->s);
	DP_RECORD_SAME("t_threshold", walk->t_threshold);
	DP_RECORD_SAME("t_counts", walk->t_counts);
	for (i = 0; i < n; i++)
		DP_RECORD_TRUE("count", counts[i]);
	DP_TRY(dp_geometric_draw(random, walk->s, walk->t_threshold, &nu));
	for (i = 0; i < n; i++)
	{
		dp_uint128 count = counts[i] + nu;
		bool stops = count <= walk->threshold;

		if (!stops)
			DP_TRY(dp_bernoulli_exp_wide(random,
										 (count - walk->threshold) * walk->s,
										 walk->t_counts, &stops));
		if (stops)
			break;
	}
	*stop = i;
	return DP_OK;
}

/*
 * An upper bound of the sum over the threshold's noise v of p(v) f(v), f
 * monotone: each run of v's counts with its greatest f(v).
 */
static double
sum_over_threshold(const DpAboveThreshold *walk,
				   double (*f)(const DpAboveThreshold *, double v, double n,
							   double r),
				   bool falls, double n, double r)
{
	double e1 = (double) walk->s / (double) walk->t_threshold;
	double stride = fmax(1, floor(1 / (e1 * STEPS_OF_SCALE)));
	double last = ceil(SCALES / e1);
	double sum = 0;
	double v;

	for (v = 0; v <= last; v += stride)
		sum += exp(-e1 * v) * -expm1(-e1 * stride) *
			   f(walk, falls ? v : v + stride - 1, n, r);
	return sum + exp(-e1 * v) + SLACK * sum;
}

/* P(N >= x) */
static double
reaches(const DpAboveThreshold *walk, double x)
{
	return x <= 0 ? 1 : exp(-x * (double) walk->s / (double) walk->t_counts);
}

/* The walk stops at one of n counts that are r + 1 above the threshold. */
static double
stops_early(const DpAboveThreshold *walk, double v, double n, double r)
{
	return -expm1(n * log1p(-reaches(walk, r + 1 + v)));
}

/* The walk stops at none of n counts of 0. */
static double
goes_past(const DpAboveThreshold *walk, double v, double n, double r)
{
	(void) r;
	return v <= (double) walk->threshold
			   ? 0
			   : exp(n * log1p(-reaches(walk, v - (double) walk->threshold)));
}

double
dp_above_threshold_excess(const DpAboveThreshold *walk, double n, double tail)
{
	double low = -1;
	double high = 1;

	while (sum_over_threshold(walk, stops_early, true, n, high) > tail)
		high *= 2;
	while (high - low > 1)
	{
		double middle = floor((low + high) / 2);

		if (sum_over_threshold(walk, stops_early, true, n, middle) > tail)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double
dp_above_threshold_overrun(const DpAboveThreshold *walk, double most,
						   double tail)
{
	double low = -1;
	double high = most;

	while (high - low > 1)
	{
		double middle = floor((low + high) / 2);

		if (sum_over_threshold(walk, goes_past, false, middle + 1, 0) > tail)
			low = middle;
		else
			high = middle;
	}
	return high;
}
