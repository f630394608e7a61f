/*
 * expected_error.c
 *		Closed forms of E|X|, E X^2 and the 95% half-width.
 *
 * Check values: MECHANISMS tables (Geng and Viswanath (44), (51)), in
 * test/unit/test_expected_error.c.
 */
#include <math.h>

#include "mechanisms/expected_error.h"

#define TAIL 0.05

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
	double		first = power_sum(p, first_step);

	return first + b * (power_sum(p, sensitivity) - first);
}

/* a of staircase.h */
static double
normaliser(double sensitivity, double first_step, double epsilon)
{
	double		b = exp(-epsilon);
	double		rest = -expm1(-epsilon);

	return rest / (2 * first_step + 2 * b * (sensitivity - first_step) - rest);
}

double
dp_staircase_mean_absolute(double sensitivity, double first_step,
						   double epsilon)
{
	double		b = exp(-epsilon);
	double		rest = -expm1(-epsilon);
	double		s0 = period_sum(0, sensitivity, first_step, b);
	double		s1 = period_sum(1, sensitivity, first_step, b);

	return 2 * normaliser(sensitivity, first_step, epsilon) *
		(s1 / rest + sensitivity * s0 * b / (rest * rest));
}

double
dp_staircase_mean_square(double sensitivity, double first_step, double epsilon)
{
	double		b = exp(-epsilon);
	double		rest = -expm1(-epsilon);
	double		s0 = period_sum(0, sensitivity, first_step, b);
	double		s1 = period_sum(1, sensitivity, first_step, b);
	double		s2 = period_sum(2, sensitivity, first_step, b);

	return 2 * normaliser(sensitivity, first_step, epsilon) *
		(s2 / rest + 2 * sensitivity * s1 * b / (rest * rest) +
		 sensitivity * sensitivity * s0 * b * (1 + b) / (rest * rest * rest));
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
	double		low = 1;
	double		high = sensitivity;
	double		best;
	double		r;

	while (high - low > 8)
	{
		double		left = floor(high - ratio * (high - low));
		double		right = ceil(low + ratio * (high - low));

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

/* P(|X| >= m) of the discrete staircase, m >= 1. */
static double
staircase_tail(double sensitivity, double first_step, double epsilon, double m)
{
	double		b = exp(-epsilon);
	double		level = floor(m / sensitivity);
	double		within = m - level * sensitivity;
	double		here = fmax(first_step - within, 0) +
		b * (sensitivity - fmax(within, first_step));
	double		beyond = period_sum(0, sensitivity, first_step, b) * b /
		-expm1(-epsilon);

	return 2 * normaliser(sensitivity, first_step, epsilon) *
		exp(-epsilon * level) * (here + beyond);
}

static void
staircase_error(double sensitivity, double first_step, double epsilon,
				DpError *error)
{
	double		low = 0;
	double		high = 1;

	error->mean_absolute = dp_staircase_mean_absolute(sensitivity, first_step,
													  epsilon);
	error->root_mean_square = sqrt(dp_staircase_mean_square(sensitivity,
															first_step,
															epsilon));

	/* The least w with P(|X| >= w + 1) <= 0.05, by bisection. */
	while (staircase_tail(sensitivity, first_step, epsilon, high) > TAIL)
		high *= 2;
	while (high - low > 1)
	{
		double		middle = floor((low + high) / 2);

		/* Above 2^53 neighbouring doubles are further apart than 1. */
		if (middle <= low || middle >= high)
			break;
		if (staircase_tail(sensitivity, first_step, epsilon, middle) > TAIL)
			low = middle;
		else
			high = middle;
	}
	error->half_width_95 = high - 1;
}

static void
laplace_error(double sensitivity, double epsilon, DpError *error)
{
	double		x = epsilon / sensitivity;	/* a = exp(-x) */
	double		a = exp(-x);

	/* 2a/(1-a^2) = 1/sinh(x); 2a/(1-a)^2 = 1/(2 sinh(x/2)^2) */
	error->mean_absolute = 1 / sinh(x);
	error->root_mean_square = 1 / (sqrt(2.0) * sinh(x / 2));

	/* P(|Z| > w) = 2 a^(w+1) / (1+a) */
	error->half_width_95 = fmax(0, ceil(log(2 / (TAIL * (1 + a))) / x) - 1);
}

static void
gaussian_error(const DpNoise *noise, DpError *error)
{
	const double quantile = 1.959963984540054;	/* P(|X| > it) = TAIL */
	double		sigma = (double) noise->sigma;
	double		absolute = 0;
	double		square = 0;
	double		inside;
	double		z;

	/*
	 * Those of the continuous distribution, less what the Euler-Maclaurin
	 * formula says that sums over integers lack; w counts as w + 1/2.
	 */
	error->mean_absolute = sqrt(2 / acos(-1.0)) * (sigma - 1 / (12 * sigma));
	error->root_mean_square = sigma;
	error->half_width_95 = ceil(quantile * (sigma - 1 / (24 * sigma)) - 0.5);
	if (sigma > 64)
		return;

	/* So few points that they are better summed one by one. */
	for (z = 1; z < 40 * sigma; z++)
	{
		absolute += 2 * z * dp_noise_pmf(noise, z);
		square += 2 * z * z * dp_noise_pmf(noise, z);
	}
	error->mean_absolute = absolute;
	error->root_mean_square = sqrt(square);
	inside = dp_noise_pmf(noise, 0);
	for (z = 0; inside < 1 - TAIL; inside += 2 * dp_noise_pmf(noise, z))
		z++;
	error->half_width_95 = z;
}

void
dp_expected_error_of(const DpNoise *noise, double epsilon, DpError *error)
{
	double		sensitivity = (double) noise->sensitivity;

	switch (noise->mechanism)
	{
		case DP_LAPLACE:
		case DP_GEOMETRIC:
			laplace_error(sensitivity, epsilon, error);
			break;
		case DP_GAUSSIAN:
			gaussian_error(noise, error);
			break;
		default:
			staircase_error(sensitivity,
							(double) noise->staircase.first_step, epsilon,
							error);
			break;
	}
}
