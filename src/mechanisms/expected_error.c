/*
 * expected_error.c
 *		Closed forms of E|X|, E X^2 and the 95% half-width.
 *
 * Checked against the values of Geng and Viswanath (44), (51) and of Ghosh,
 * Roughgarden and Sundararajan in test/unit/test_expected_error.c.
 */
#include <math.h>

#include "mechanisms/expected_error.h"
#include "mechanisms/joint_shape.h"
#include "mechanisms/staircase_shape.h"

#define TAIL 0.05

static void
staircase_error(double sensitivity, double first_step, double epsilon,
				DpError *error)
{
	double low = 0;
	double high = 1;

	error->mean_absolute =
		dp_staircase_mean_absolute(sensitivity, first_step, epsilon);
	error->root_mean_square =
		sqrt(dp_staircase_mean_square(sensitivity, first_step, epsilon));

	/* The least w with P(|X| >= w + 1) <= 0.05, by bisection. */
	while (dp_staircase_tail(sensitivity, first_step, epsilon, high) > TAIL)
		high *= 2;
	while (high - low > 1)
	{
		double middle = floor((low + high) / 2);

		/* Above 2^53 neighbouring doubles are further apart than 1. */
		if (middle <= low || middle >= high)
			break;
		if (dp_staircase_tail(sensitivity, first_step, epsilon, middle) > TAIL)
			low = middle;
		else
			high = middle;
	}
	error->half_width_95 = high - 1;
}

/*
 * Two-sided geometric noise q Z. Rounding the answer to a multiple of q errs by
 * r, at most half of q: then E|qZ + r| = q E|Z| + r P(Z = 0), as the two signs
 * of Z cancel r, and E (qZ + r)^2 = q^2 E Z^2 + r^2.
 */
static void
laplace_error(double sensitivity, double quantum, double epsilon,
			  DpError *error)
{
	double x = epsilon / ceil(sensitivity / quantum); /* a = exp(-x) */
	double a = exp(-x);
	double r = floor(quantum / 2);
	double width;

	/* 2a/(1-a^2) = 1/sinh(x); 2a/(1-a)^2 = 1/(2 sinh(x/2)^2) */
	error->mean_absolute = quantum / sinh(x) + r * tanh(x / 2);
	error->root_mean_square = hypot(quantum / (sqrt(2.0) * sinh(x / 2)), r);

	/*
	 * P(|Z| > w) = 2 a^(w+1) / (1+a). A rounding error moves all of Z = w out
	 * by r at one sign, unless the other sign is enough.
	 */
	width = fmax(0, ceil(log(2 / (TAIL * (1 + a))) / x) - 1);
	error->half_width_95 = quantum * width;
	if (width == 0 || exp(-x * width) > TAIL)
		error->half_width_95 += r;
}

/* Of one of the numbers that are drawn together. */
static void
joint_error(const DpStaircase *shape, DpError *error)
{
	error->mean_absolute = dp_joint_mean_absolute(shape);
	error->root_mean_square = sqrt(dp_joint_mean_square(shape));
	error->half_width_95 = dp_joint_half_width(shape, TAIL);
}

static void
gaussian_error(const DpNoise *noise, DpError *error)
{
	const double quantile = 1.959963984540054; /* P(|X| > it) = TAIL */
	double sigma = dp_sigma_to_double(noise->sigma);
	double absolute = 0;
	double square = 0;
	double inside;
	double z;

	/*
	 * The moments of the continuous distribution, with the Euler-Maclaurin
	 * correction for sums over integers; w counts as w + 1/2.
	 */
	error->mean_absolute = sqrt(2 / acos(-1.0)) * (sigma - 1 / (12 * sigma));
	error->root_mean_square = sigma;
	error->half_width_95 = ceil(quantile * (sigma - 1 / (24 * sigma)) - 0.5);
	if (sigma > 64)
		return;

	/* With so few points, summing one by one is more accurate. */
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
	double sensitivity = (double) noise->sensitivity;

	switch (dp_mechanism_noise(noise->mechanism))
	{
		case DP_NOISE_LAPLACE:
			laplace_error(sensitivity, (double) noise->quantum, epsilon, error);
			break;
		case DP_NOISE_GAUSSIAN:
			gaussian_error(noise, error);
			break;
		case DP_NOISE_STAIRCASE:
		case DP_NOISE_NONE:
			if (noise->staircase.sums > 1)
				joint_error(&noise->staircase, error);
			else
				staircase_error(sensitivity,
								(double) noise->staircase.first_step, epsilon,
								error);
			break;
	}
}

/* The least deviation, so that weights do not overflow. */
#define DEVIATION_LEAST 1e-9

double
dp_noise_deviation(const DpNoise *noise)
{
	double deviation = 0;

	switch (dp_mechanism_noise(noise->mechanism))
	{
		case DP_NOISE_LAPLACE:
			deviation =
				(double) noise->quantum /
				(sqrt(2.0) * sinh((double) noise->s / (double) noise->t / 2));
			break;
		case DP_NOISE_GAUSSIAN:
			deviation = dp_sigma_to_double(noise->sigma);
			break;
		case DP_NOISE_STAIRCASE:
		case DP_NOISE_NONE:
			if (noise->staircase.sums > 1)
				return fmax(sqrt(dp_joint_mean_square(&noise->staircase)),
							DEVIATION_LEAST);
			deviation = sqrt(dp_staircase_mean_square(
				(double) noise->staircase.sensitivity,
				(double) noise->staircase.first_step,
				dp_epsilon_to_double(noise->staircase.epsilon)));
			break;
	}
	return fmax(deviation, DEVIATION_LEAST);
}
