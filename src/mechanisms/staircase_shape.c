/*
 * staircase_shape.c
 *		Moments of the staircase, and the step that minimises them.
 */
#include <math.h>

#include "mechanisms/staircase_shape.h"

/* Sums of i^p over 0 <= i < n, for p = 0, 1, 2. */
static double
power_sum(int p, double n)
{
	if (p == 0)
		return n;
	if (p == 1)
		return n * (n - 1) / 2;
	return n * (n - 1) * (2 * n - 1) / 6;
}

/* S_p = sum over one period of i^p times its weight, 1 or b. */
static double
period_sum(int p, double sensitivity, double first_step, double b)
{
	double first = power_sum(p, first_step);

	return first + b * (power_sum(p, sensitivity) - first);
}

/* a of staircase.h */
static double
normaliser(double sensitivity, double first_step, double epsilon)
{
	double b = exp(-epsilon);
	double rest = -expm1(-epsilon);

	return rest / (2 * first_step + 2 * b * (sensitivity - first_step) - rest);
}

double
dp_staircase_mean_absolute(double sensitivity, double first_step,
						   double epsilon)
{
	double b = exp(-epsilon);
	double rest = -expm1(-epsilon);
	double s0 = period_sum(0, sensitivity, first_step, b);
	double s1 = period_sum(1, sensitivity, first_step, b);

	return 2 * normaliser(sensitivity, first_step, epsilon) *
		   (s1 / rest + sensitivity * s0 * b / (rest * rest));
}

double
dp_staircase_mean_square(double sensitivity, double first_step, double epsilon)
{
	double b = exp(-epsilon);
	double rest = -expm1(-epsilon);
	double s0 = period_sum(0, sensitivity, first_step, b);
	double s1 = period_sum(1, sensitivity, first_step, b);
	double s2 = period_sum(2, sensitivity, first_step, b);

	return 2 * normaliser(sensitivity, first_step, epsilon) *
		   (s2 / rest + 2 * sensitivity * s1 * b / (rest * rest) +
			sensitivity * sensitivity * s0 * b * (1 + b) /
				(rest * rest * rest));
}

static double
cost_of(double sensitivity, double first_step, double epsilon, DpCost cost)
{
	if (cost == DP_COST_SQUARED)
		return dp_staircase_mean_square(sensitivity, first_step, epsilon);
	return dp_staircase_mean_absolute(sensitivity, first_step, epsilon);
}

/*
 * The cost falls, then rises in r: golden-section search narrows the interval
 * down to a few integers, which are compared one by one.
 */
double
dp_staircase_best_step(double sensitivity, double epsilon, DpCost cost)
{
	const double ratio = 0.6180339887498949;
	double low = 1;
	double high = sensitivity;
	double best;
	double r;

	while (high - low > 8)
	{
		double left = floor(high - ratio * (high - low));
		double right = ceil(low + ratio * (high - low));

		if (cost_of(sensitivity, left, epsilon, cost) <=
			cost_of(sensitivity, right, epsilon, cost))
			high = right;
		else
			low = left;
	}
	best = low;
	for (r = low + 1; r <= high; r++)
	{
		if (cost_of(sensitivity, r, epsilon, cost) <
			cost_of(sensitivity, best, epsilon, cost))
			best = r;
	}
	return best;
}

double
dp_staircase_tail(double sensitivity, double first_step, double epsilon,
				  double m)
{
	double b = exp(-epsilon);
	double level = floor(m / sensitivity);
	double within = m - level * sensitivity;
	double here = fmax(first_step - within, 0) +
				  b * (sensitivity - fmax(within, first_step));
	double beyond =
		period_sum(0, sensitivity, first_step, b) * b / -expm1(-epsilon);

	return 2 * normaliser(sensitivity, first_step, epsilon) *
		   exp(-epsilon * level) * (here + beyond);
}
