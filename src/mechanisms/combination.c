/*
 * combination.c
 *		Tails of weighted sums of noise, in doubles that err upwards.
 */
#include <math.h>
#include <stdlib.h>

#include "mechanisms/combination.h"
#include "mechanisms/expected_error.h"
#include "mechanisms/staircase_shape.h"

/* The greatest relative error of what is computed here. */
#define ERROR 0x1p-36

/* What is added to sums of up to TERMS_MAX terms. */
#define SLACK 1e-10

/* From here on the distribution is too narrow for another ratio to matter. */
#define RATIO_MAX 700

/* Of the Fourier series: its greatest length; the least tail, and most parts. */
#define TERMS_MAX 16384
#define TAIL_LEAST 1e-6
#define PARTS_MAX 256

/* The boxes of the ramp, and of how many ramps the greatest width is. */
#define BOXES 8
#define RAMPS 128

/* pi */
static double
half_turn(void)
{
	return acos(-1.0);
}

/* The ratio -log P(X+1)/P(X) of laplace noise. */
static double
ratio_of(const DpNoise *noise)
{
	return fmin((double) noise->s / (double) noise->t, RATIO_MAX);
}

/* The following functions are log M(x), x >= 0; infinite where there is none. */

/* 1 / (1 - (sinh(x/2) / sinh(r/2))^2) */
static double
laplace_growth(const DpNoise *noise, double x)
{
	double r = ratio_of(noise);
	double part;

	if (x >= r)
		return INFINITY;
	part = sinh(x / 2) / sinh(r / 2);
	return -log1p(-part * part);
}

/* 1 + x + ... + x^(n-1) at exp(x) */
static double
powers(double x, double n)
{
	return x == 0 ? n : expm1(x * n) / expm1(x);
}

/* The sum over z >= 0 of exp(xz), weighted as a staircase, but for its factor. */
static double
staircase_half(const DpStaircase *staircase, double x)
{
	double d = (double) staircase->sensitivity;
	double r = (double) staircase->first_step;
	double epsilon = dp_epsilon_to_double(staircase->epsilon);

	return (powers(x, r) + exp(x * r - epsilon) * powers(x, d - r)) /
		   -expm1(x * d - epsilon);
}

/* M(x) - 1, which rises faster than x^2: for small x from that of a greater one. */
static double
staircase_excess(const DpStaircase *staircase, double x)
{
	double deviation = sqrt(dp_staircase_mean_square(
		(double) staircase->sensitivity, (double) staircase->first_step,
		dp_epsilon_to_double(staircase->epsilon)));
	double most = dp_epsilon_to_double(staircase->epsilon) /
				  (double) staircase->sensitivity;
	double y = fmax(x, fmin(0x1p-10 / deviation, most / 2));
	double excess;

	if (y >= most)
		return INFINITY;
	excess =
		(staircase_half(staircase, y) + staircase_half(staircase, -y) - 1) /
			(2 * staircase_half(staircase, 0) - 1) -
		1;
	return (excess * (1 + ERROR) + 0x1p-46) * (x / y) * (x / y);
}

static double
staircase_growth(const DpNoise *noise, double x)
{
	return log1p(staircase_excess(&noise->staircase, x));
}

static double
gaussian_growth(const DpNoise *noise, double x)
{
	double sigma = dp_sigma_to_double(noise->sigma);

	return sigma * sigma * x * x / 2;
}

static double
growth(const DpNoise *noise, double x)
{
	switch (dp_mechanism_noise(noise->mechanism))
	{
		case DP_NOISE_LAPLACE:
			return laplace_growth(noise, x);
		case DP_NOISE_STAIRCASE:
			return staircase_growth(noise, x);
		case DP_NOISE_GAUSSIAN:
			return gaussian_growth(noise, x);
		case DP_NOISE_NONE:
			break;
	}
	return INFINITY;
}

/* The following functions are phi(y), as a sign and log |phi|. */

/* 1 / (1 + (sin(y/2) / sinh(r/2))^2) */
static double
laplace_wave(const DpNoise *noise, double y)
{
	double part = sin(y / 2) / sinh(ratio_of(noise) / 2);

	return -log1p(part * part);
}

/* Re of the sum of staircase_half at the imaginary number iy. */
static double
staircase_half_wave(const DpStaircase *staircase, double y)
{
	double d = (double) staircase->sensitivity;
	double r = (double) staircase->first_step;
	double epsilon = dp_epsilon_to_double(staircase->epsilon);
	double b = exp(-epsilon);
	double first = sin(r * y / 2);
	double second = b * sin((d - r) * y / 2);
	double angle = (r - 1) * y / 2;
	double other = r * y + (d - r - 1) * y / 2;
	double real = first * cos(angle) + second * cos(other);
	double imaginary = first * sin(angle) + second * sin(other);
	double half = sin(d * y / 2);
	double below = -expm1(-epsilon) + 2 * b * half * half;
	double beside = -b * sin(d * y);

	return (real * below + imaginary * beside) /
		   (below * below + beside * beside) / sin(y / 2);
}

static double
staircase_wave(const DpNoise *noise, double y, double *sign)
{
	const DpStaircase *staircase = &noise->staircase;
	double wave;

	if (sin(y / 2) == 0)
		return 0;
	wave = (2 * staircase_half_wave(staircase, y) - 1) /
		   (2 * staircase_half(staircase, 0) - 1);
	if (wave < 0)
		*sign = -1;
	return log(fmin(fabs(wave), 1));
}

/* Of gaussian noise by Poisson's formula, or term by term. */
static double
gaussian_wave(const DpNoise *noise, double y)
{
	double turn = 2 * half_turn();
	double sigma = dp_sigma_to_double(noise->sigma);
	double half = sigma * sigma / 2;
	double wave = 0;
	double total = 0;
	int i;

	y = remainder(y, turn);
	for (i = -9; i <= 9; i++)
	{
		double at = i * turn;

		if (sigma < 0.3)
		{
			double weight = exp(-i * i / (4 * half));

			wave += weight * cos(i * y);
			total += weight;
		}
		else
		{
			wave += exp(-half * (2 * y * at + at * at));
			total += exp(-half * at * at);
		}
	}
	return (sigma < 0.3 ? 0 : -half * y * y) + log(wave / total);
}

static double
wave_of(const DpNoise *noise, double y, double *sign)
{
	switch (dp_mechanism_noise(noise->mechanism))
	{
		case DP_NOISE_LAPLACE:
			return laplace_wave(noise, y);
		case DP_NOISE_STAIRCASE:
			return staircase_wave(noise, remainder(y, 2 * half_turn()), sign);
		case DP_NOISE_GAUSSIAN:
			return gaussian_wave(noise, y);
		case DP_NOISE_NONE:
			break;
	}
	return 0;
}

/* The product over all parts. */
static double
product_of_waves(const DpCombined *parts, int count, double y)
{
	double sign = 1;
	double sum = 0;
	int i;

	for (i = 0; i < count && sum > -60; i++)
	{
		double one = 1;

		sum +=
			parts[i].count * wave_of(parts[i].noise, parts[i].weight * y, &one);
		if (one < 0 && fmod(parts[i].count, 2) == 1)
			sign = -sign;
	}
	return sum > -60 ? sign * exp(sum) : 0;
}

/* The following functions are Chernoff's bound. */

/* What bounds log E exp(x S). */
typedef struct Growth
{
	const DpCombined *parts;
	int count;
	const DpNoise *const *laws; /* of dp_combination_bound; else NULL */
	double deviation;
	double share;
} Growth;

/* L(share) / share */
static double
growth_of_laws(const Growth *known, double x)
{
	double most = 0;
	int i;

	for (i = 0; i < known->count; i++)
	{
		const DpNoise *law = known->laws[i];
		double at =
			x * known->deviation * sqrt(known->share) / dp_noise_deviation(law);

		most =
			fmax(most, dp_mechanism_noise(law->mechanism) == DP_NOISE_STAIRCASE
						   ? staircase_excess(&law->staircase, at)
						   : growth(law, at));
	}
	return most / known->share;
}

static double
total_growth(const Growth *known, double x)
{
	double sum = 0;
	int i;

	if (known->laws != NULL)
		return growth_of_laws(known, x);
	for (i = 0; i < known->count; i++)
		sum += known->parts[i].count *
			   growth(known->parts[i].noise, fabs(known->parts[i].weight) * x);
	return sum;
}

/* (log(2/tail) + log E exp(x S)) / x */
static double
chernoff_at(const Growth *known, double tail, double x)
{
	return (log(2 / tail) + total_growth(known, x)) / x;
}

/*
 * The least over x, of which there is one; every x is a bound. x of the best
 * gaussian bound is sqrt(2 log(2/tail)) deviations, of all others less.
 */
static double
chernoff_width(const Growth *known, double deviation, double tail)
{
	double low = 0;
	double high = 1.1 * sqrt(2 * log(2 / tail)) / deviation;
	double best = INFINITY;
	int i;

	for (i = 0; i < 60; i++)
	{
		double left = low + (high - low) * 0.45;
		double right = low + (high - low) * 0.55;
		double at_left = chernoff_at(known, tail, left);
		double at_right = chernoff_at(known, tail, right);

		best = fmin(best, fmin(at_left, at_right));
		if (at_left <= at_right)
			high = right;
		else
			low = left;
	}
	return best * (1 + ERROR);
}

/* The following functions are the Fourier series. */

typedef struct Series
{
	double *terms; /* 2 / (pi k) (...)^8 product of phi_i */
	int count;
	double step;   /* t */
	double period; /* P */
	double ramp;   /* e */
	double rest;   /* of what is left out, and beyond P - h */
} Series;

/* P(|S| > h), or more */
static double
tail_of(const Series *series, double width)
{
	double middle = width - series->ramp / 2;
	double sum = 1 - 2 * middle / series->period;
	int k;

	for (k = 1; k <= series->count; k++)
		sum -= sin(k * series->step * middle) * series->terms[k];
	return sum + series->rest + SLACK;
}

/* Terms for widths up to this one; P(|S| >= beyond) is at most a 1000th of tail. */
static void
set_terms(Series *series, const DpCombined *parts, int count, double most,
		  double beyond, double tail)
{
	double length;
	int k;

	series->period = most + beyond;
	series->step = 2 * half_turn() / series->period;
	series->ramp = most / RAMPS;
	length = 128 / (series->step * series->ramp);
	series->count = length < TERMS_MAX ? (int) length : TERMS_MAX;
	series->rest =
		tail / 1000 +
		pow(2 * BOXES / (series->count * series->step * series->ramp), BOXES) /
			(4 * half_turn());
	for (k = 1; k <= series->count; k++)
	{
		double at = k * series->step * series->ramp / (2 * BOXES);

		series->terms[k] = 2 / (half_turn() * k) * pow(sin(at) / at, BOXES) *
						   product_of_waves(parts, count, k * series->step);
	}
}

/* The least width whose tail is small enough, by bisection; or the given one. */
static double
fourier_width(const Series *series, double most, double tail)
{
	double low = series->ramp;
	double high = most;
	int i;

	if (tail_of(series, most) > tail)
		return most;
	for (i = 0; i < 16; i++)
	{
		double middle = (low + high) / 2;

		if (tail_of(series, middle) > tail)
			low = middle;
		else
			high = middle;
	}
	return high * (1 + ERROR);
}

DpStatus
dp_combination_width(const DpCombined *parts, int count, double tail,
					 double *width)
{
	Growth known = {.parts = parts, .count = count};
	Series series;
	double variance = 0;
	int i;

	for (i = 0; i < count; i++)
	{
		if (parts[i].noise->quantum > 1)
			return DP_MECHANISM_NOT_APPLICABLE;
		variance +=
			parts[i].count *
			pow(parts[i].weight * dp_noise_deviation(parts[i].noise), 2);
	}
	*width = 0;
	if (!(variance > 0))
		return DP_OK;
	*width = chernoff_width(&known, sqrt(variance), tail);
	if (tail < TAIL_LEAST || count > PARTS_MAX || !isfinite(*width))
		return DP_OK;
	series.terms = malloc((TERMS_MAX + 1) * sizeof(double));
	if (series.terms == NULL)
		return DP_OUT_OF_MEMORY;
	set_terms(&series, parts, count, *width,
			  chernoff_width(&known, sqrt(variance), tail / 1000), tail);
	*width = fourier_width(&series, *width, tail);
	free(series.terms);
	return DP_OK;
}

DpStatus
dp_combination_bound(const DpNoise *const *laws, int count, double deviation,
					 double share, double tail, double *width)
{
	Growth known = {
		.laws = laws, .count = count, .deviation = deviation, .share = share};
	int i;

	for (i = 0; i < count; i++)
	{
		if (laws[i]->quantum > 1)
			return DP_MECHANISM_NOT_APPLICABLE;
	}
	*width = deviation > 0 ? chernoff_width(&known, deviation, tail) : 0;
	return DP_OK;
}
