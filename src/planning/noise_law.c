/*
 * noise_law.c
 *		Tails of noise in steps, and moments from them.
 */
#include <math.h>

#include "mechanisms/staircase_shape.h"
#include "planning/noise_law.h"

/*
 * For a root mean square of at least this, rounding is neglected in E|X| and
 * adds 1/12 to E X^2: the error of the midpoint rule is below 1e-10 of the
 * sums.
 */
#define WIDE 1e5

void
dp_noise_law_init(DpNoiseLaw *law, const DpNoise *noise, double epsilon,
				  double step)
{
	*law = (DpNoiseLaw){.mechanism = noise->mechanism,
						.epsilon = epsilon,
						.first_step = (double) noise->staircase.first_step,
						.sigma = dp_sigma_to_double(noise->sigma),
						.step = step};
	law->width = ceil((double) noise->sensitivity / (double) noise->quantum);

	/* Beyond, exp(-epsilon) is 0 in doubles, and so is all that it decides. */
	if (dp_mechanism_noise(noise->mechanism) == DP_NOISE_STAIRCASE)
		law->epsilon = fmin(epsilon, 700);
}

/* log erfc(x), x >= 0; beyond 20 by the asymptotic series. */
static double
log_erfc(double x)
{
	const double pi = acos(-1.0);
	double y = 1 / (2 * x * x);

	if (x < 20)
		return log(erfc(x));
	return -x * x - log(x * sqrt(pi)) +
		   log1p(-y * (1 - 3 * y * (1 - 5 * y * (1 - 7 * y))));
}

/* log P(at least m steps), m >= 1 */
static double
log_tail_steps(const DpNoiseLaw *law, double m)
{
	double level;

	switch (dp_mechanism_noise(law->mechanism))
	{
		case DP_NOISE_LAPLACE:
			return -law->epsilon / law->width * m -
				   log1p(exp(-law->epsilon / law->width));
		case DP_NOISE_GAUSSIAN:
			return log_erfc((m - 0.5) / (law->sigma * sqrt(2.0))) - log(2.0);
		case DP_NOISE_STAIRCASE:
		case DP_NOISE_NONE:
			break;
	}

	/* One period is a factor of exp(-epsilon), which may be 0. */
	level = floor(m / law->width);
	return log(dp_staircase_tail(law->width, law->first_step, law->epsilon,
								 m - level * law->width) /
			   2) -
		   level * law->epsilon;
}

/* The least step that is rounded to d or more, d >= 1. */
static double
first_of(const DpNoiseLaw *law, double d)
{
	return law->step == 1 ? d : ceil((d - 0.5) / law->step);
}

double
dp_noise_law_log_tail(const DpNoiseLaw *law, double d)
{
	return log_tail_steps(law, first_of(law, d));
}

double
dp_noise_law_tail(const DpNoiseLaw *law, double d)
{
	return exp(dp_noise_law_log_tail(law, d));
}

double
dp_noise_law_log_pmf(const DpNoiseLaw *law, double d)
{
	double x = law->epsilon / law->width;
	double here;
	double beyond;

	d = fabs(d);
	if (law->step == 1 && law->mechanism == DP_GEOMETRIC)
		return log(tanh(x / 2)) - x * d; /* (1-a)/(1+a) = tanh(x/2) */
	if (law->step == 1 && law->mechanism == DP_DISCRETE_STAIRCASE)
	{
		double level = floor(d / law->width);

		return log(dp_staircase_pmf(law->width, law->first_step, law->epsilon,
									d - level * law->width)) -
			   level * law->epsilon;
	}
	if (d == 0)
		return log1p(-2 * dp_noise_law_tail(law, 1));
	here = dp_noise_law_log_tail(law, d);
	beyond = dp_noise_law_log_tail(law, d + 1);
	return here + log(-expm1(beyond - here));
}

double
dp_noise_law_pmf(const DpNoiseLaw *law, double d)
{
	return exp(dp_noise_law_log_pmf(law, d));
}

/* Before rounding, in steps. */
static void
raw_moments(const DpNoiseLaw *law, double *absolute, double *square)
{
	double x = law->epsilon / law->width;

	switch (dp_mechanism_noise(law->mechanism))
	{
		case DP_NOISE_LAPLACE:
			/* 2a/(1-a^2) and 2a/(1-a)^2 */
			*absolute = 1 / sinh(x);
			*square = 1 / (2 * sinh(x / 2) * sinh(x / 2));
			break;
		case DP_NOISE_GAUSSIAN:
			*absolute = sqrt(2 / acos(-1.0)) * law->sigma;
			*square = law->sigma * law->sigma;
			break;
		case DP_NOISE_STAIRCASE:
		case DP_NOISE_NONE:
			*absolute = dp_staircase_mean_absolute(law->width, law->first_step,
												   law->epsilon);
			*square = dp_staircase_mean_square(law->width, law->first_step,
											   law->epsilon);
			break;
	}
}

/*
 * The sums over d >= 1 of 2 P(X >= d) and of 2 (2d - 1) P(X >= d), until the
 * remaining terms are negligible.
 */
static void
moments(const DpNoiseLaw *law, double *absolute, double *square)
{
	double width;
	double d;

	raw_moments(law, absolute, square);
	*absolute *= law->step;
	*square *= law->step * law->step;
	if (law->step == 1)
		return;
	width = sqrt(*square);
	if (width > WIDE)
	{
		*square += 1.0 / 12;
		return;
	}
	*absolute = *square = 0;
	for (d = 1;; d++)
	{
		double both = 2 * dp_noise_law_tail(law, d);

		*absolute += both;
		*square += (2 * d - 1) * both;
		if (d > width && (2 * d - 1) * both <= 1e-22 * *square)
			return;
	}
}

double
dp_noise_law_mean_absolute(const DpNoiseLaw *law)
{
	double absolute;
	double square;

	moments(law, &absolute, &square);
	return absolute;
}

double
dp_noise_law_mean_square(const DpNoiseLaw *law)
{
	double absolute;
	double square;

	moments(law, &absolute, &square);
	return square;
}
