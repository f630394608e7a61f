/*
 * confidence.c
 *		Intervals around private answers.
 *
 * Widths are exact (half_width.h). Ends are computed from them and from
 * released sums in doubles, and widened by more than the rounding errors.
 */
#include <math.h>

#include "mechanisms/above_threshold.h"
#include "mechanisms/confidence.h"
#include "mechanisms/half_width.h"

/* The greatest error of doubles, relative to what they are computed from. */
#define ERROR 0x1p-46

/* The greatest relative error of tails of noise. */
#define SLACK 1e-7

/* No grid has longer or shorter steps, not even of what units add up to. */
#define EXPONENT_MAX 1100

/* The greatest term of a ratio or of a sigma. */
#define TERM_MAX ((uint64_t) 1 << 62)

static bool
is_term(uint64_t x)
{
	return x >= 1 && x <= TERM_MAX;
}

static bool
is_sound_noise(const DpNoise *noise)
{
	const DpStaircase *staircase = &noise->staircase;

	switch (dp_mechanism_noise(noise->mechanism))
	{
		case DP_NOISE_LAPLACE:
			return is_term(noise->s) && is_term(noise->t) &&
				   noise->quantum >= 1 && noise->quantum <= DP_SENSITIVITY_MAX;
		case DP_NOISE_STAIRCASE:
			return staircase->sensitivity >= 1 &&
				   staircase->sensitivity <= DP_SENSITIVITY_MAX &&
				   staircase->first_step >= 1 &&
				   staircase->first_step <= staircase->sensitivity &&
				   is_term(staircase->epsilon.ticks) && noise->quantum == 1;
		case DP_NOISE_GAUSSIAN:
			return is_term(noise->sigma.numerator) &&
				   is_term(noise->sigma.denominator) && noise->quantum == 1;
		case DP_NOISE_NONE:
			break;
	}
	return false;
}

/* Of a count that is shown for it (dp_law_shown_end). */
static bool
is_sound_threshold(const DpLaw *law)
{
	return law->kind == DP_LAW_NOISE && law->exponent == 0 &&
		   dp_int128_abs(law->threshold) <= TERM_MAX &&
		   dp_mechanism_noise(law->noise.mechanism) != DP_NOISE_STAIRCASE &&
		   law->noise.quantum == 1;
}

bool
dp_law_is_sound(const DpLaw *law)
{
	bool has_range = law->has_least && law->has_greatest;

	if (law->exponent < -EXPONENT_MAX || law->exponent > EXPONENT_MAX ||
		(has_range && law->least > law->greatest) ||
		(law->has_threshold && !is_sound_threshold(law)))
		return false;
	switch (law->kind)
	{
		case DP_LAW_NONE:
		case DP_LAW_EXACT:
			return true;
		case DP_LAW_NOISE:
			return is_sound_noise(&law->noise);
		case DP_LAW_LEVELS:
			return has_range && is_sound_noise(&law->noise) &&
				   law->levels >= 2 && law->levels <= DP_LEVELS_MAX;
		case DP_LAW_RATIO:
		case DP_LAW_VARIANCE:
		case DP_LAW_DEVIATION:
			return has_range && is_sound_noise(&law->noise) &&
				   is_term(law->steps);
		case DP_LAW_WALK_UP:
		case DP_LAW_WALK_DOWN:
			return has_range && is_term(law->noise.s) &&
				   is_term(law->noise.t) && is_term(law->steps) &&
				   law->threshold >= 0 && (uint64_t) law->threshold <= TERM_MAX;
	}
	return false;
}

/*
 * 1 - level, rounded so that it is not above 1 minus the decimal that was
 * written.
 */
static double
tail_of(double level)
{
	return (1 - nextafter(level, 1)) * (1 - ERROR);
}

/*
 * The width for a mean: both draws are within it, or a weighted mean of them
 * is.
 */
static DpStatus
ratio_width(const DpNoise *noise, double tail, dp_uint128 *width)
{
	dp_uint128 together;

	DP_TRY(
		dp_half_width(noise, tail / (1 + sqrt(1 - tail)) * (1 - ERROR), width));
	if (dp_half_width_between(noise, tail, &together) == DP_OK &&
		together < *width)
		*width = together;
	return DP_OK;
}

/*
 * From the answer to the first point above the mark j + 1 before it: marks
 * are at floor(span i / steps).
 */
static dp_uint128
walk_width(const DpLaw *law, double tail)
{
	DpAboveThreshold walk = {.threshold = (uint64_t) law->threshold,
							 .s = law->noise.s,
							 .t_threshold = law->noise.t,
							 .t_counts = law->noise.t};
	uint64_t span = (uint64_t) law->greatest - (uint64_t) law->least;
	double j = dp_above_threshold_overrun(&walk, (double) law->steps, tail);
	dp_uint128 marks = (dp_uint128) j + 1;

	if (marks > law->steps)
		return span;
	return (span * marks + law->steps - 1) / law->steps - 1;
}

DpStatus
dp_law_width(const DpLaw *law, double level, dp_uint128 *width)
{
	double tail = tail_of(level);
	double root = cbrt(1 - tail);

	*width = 0;
	switch (law->kind)
	{
		case DP_LAW_NOISE:
		case DP_LAW_LEVELS:
			return dp_half_width(&law->noise, tail, width);
		case DP_LAW_RATIO:
			return ratio_width(&law->noise, tail, width);
		case DP_LAW_VARIANCE:
		case DP_LAW_DEVIATION:
			/* 1 - L^(1/3) */
			return dp_half_width(&law->noise,
								 tail / (1 + root + root * root) * (1 - ERROR),
								 width);
		case DP_LAW_WALK_UP:
		case DP_LAW_WALK_DOWN:
			*width = walk_width(law, tail);
			return DP_OK;
		case DP_LAW_NONE:
		case DP_LAW_EXACT:
			return DP_OK;
	}
	return DP_MECHANISM_NOT_APPLICABLE;
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
dp_law_ratio_end(dp_uint128 width, const dp_int128 *sums, bool is_high)
{
	if (sums[1] <= 0)
		return is_high ? 1 : 0;
	return part(moved(sums[0], width, is_high), sums[1], is_high);
}

double
dp_law_level_end(dp_uint128 width, const dp_int128 *sums, bool is_high)
{
	dp_int128 greatest = dp_int128_clamp(sums[1], 1, DP_LEVELS_MAX);
	dp_int128 end = moved(sums[0], width, is_high);

	/* Ends are counted in half levels. */
	end = dp_int128_clamp(end, -2, greatest + 2);
	return part(2 * end + (is_high ? 1 : -1), 2 * greatest, is_high);
}

double
dp_law_variance_end(const DpLaw *law, dp_uint128 width, const dp_int128 *sums,
					bool is_high)
{
	double h = (double) width;
	double b0 = (double) sums[0];
	double b1 = (double) sums[1];
	double b2 = (double) sums[2];
	double total = b0 + b1 + b2;
	double slack = (fabs(b0) + fabs(b1) + fabs(b2) + h) * ERROR;
	double rows;
	double centre;
	double least; /* v~ T */

	if (!(total - h > 4 * slack))
		return is_high ? 0.5 : 0;
	centre = fmin(fmax((b1 / 2 + b2) / total, 0), 1);
	least = centre * centre * b0 - centre * (1 - centre) * b1 +
			(1 - centre) * (1 - centre) * b2;
	if (!is_high)
		return fmax((least - h - 4 * slack) / total * (1 - ERROR), 0);
	rows = fmax(floor((total - 3 * h - 4 * slack) / (double) law->steps), 2);
	centre = fmax((least + h + 4 * slack) / (total - h - 4 * slack), 0);
	return fmin(fmin(centre * (1 + ERROR), 0.25) * rows / (rows - 1), 0.5);
}

/* log(1 - exp(x)), x < 0 */
static double
log_rest(double x)
{
	return x > -0.6931471805599453 ? log(-expm1(x)) : log1p(-exp(x));
}

/* log P(X >= k), k >= 1, of geometric noise: a^k / (1 + a) */
static double
geometric_log_tail(const DpNoise *noise, double k)
{
	double x = (double) noise->s / (double) noise->t;

	return -x * k - log1p(exp(-x));
}

/* The sum of exp(-z^2 / (2 v)) over all integers. */
static double
gaussian_total(double sigma)
{
	double sum = 1;
	double i;

	if (sigma > 2) /* the next term is exp(-2 pi^2 sigma^2) of that */
		return sigma * sqrt(2 * acos(-1.0));
	for (i = 1; i < 40; i++)
		sum += 2 * exp(-i * i / (2 * sigma * sigma));
	return sum;
}

/*
 * The same for gaussian noise: summed term by term where they fall fast or are
 * few, else by the Euler-Maclaurin formula at a = k - 1/2.
 */
static double
gaussian_log_tail(const DpNoise *noise, double k)
{
	double sigma = dp_sigma_to_double(noise->sigma);
	double variance = sigma * sigma;
	double total = gaussian_total(sigma);
	double a = k - 0.5;
	double sum = 0;
	double term = 1;
	double i;

	if (sigma > 8 && k < 0.05 * variance)
	{
		term = exp(-a * a / (2 * variance));
		sum = sqrt(acos(-1.0) / 2) * sigma * erfc(a / (sigma * sqrt(2))) -
			  term * a / variance / 24 -
			  term * (3 - a * a / variance) * a / (variance * variance) * 7 /
				  5760;
		return log(sum) - log(total);
	}
	for (i = 0; term > 1e-17 * sum; i++)
	{
		term = exp(-(2 * k * i + i * i) / (2 * variance));
		sum += term;
	}
	return -k * k / (2 * variance) + log(sum) - log(total);
}

double
dp_noise_log_tail(const DpNoise *noise, double k)
{
	double (*tail)(const DpNoise *, double) =
		dp_mechanism_noise(noise->mechanism) == DP_NOISE_GAUSSIAN
			? gaussian_log_tail
			: geometric_log_tail;

	if (k >= 1)
		return tail(noise, k);
	return log_rest(tail(noise, 1 - k)); /* 1 - P(X >= 1 - k) */
}

/*
 * Whether a true count n is in the interval as far as one end is concerned: at
 * the high end n must not be too great for the answer, at the low end not too
 * small.
 */
static bool
is_plausible(const DpLaw *law, double tail, double answer, double n,
			 bool is_high)
{
	double shown = dp_noise_log_tail(&law->noise, (double) law->threshold - n);

	if (!is_high)
		return dp_noise_log_tail(&law->noise, answer - n) - shown >
			   log(tail / 2) - SLACK;
	return -expm1(dp_noise_log_tail(&law->noise, answer + 1 - n) - shown) >
		   tail / 2 * (1 - SLACK);
}

int64_t
dp_law_shown_end(const DpLaw *law, double level, int64_t answer, bool is_high)
{
	double tail = tail_of(level);
	double side = is_high ? 1 : -1;
	double end = fmax((double) answer, 1); /* a plausible count */
	double beyond = end;
	double stride = 1;

	while (stride < 0x1p62 && beyond >= 1 &&
		   is_plausible(law, tail, (double) answer, beyond, is_high))
	{
		end = beyond;
		beyond += side * stride;
		stride *= 2;
	}
	if (beyond < 1)
		beyond = 0; /* a shown group has a unit */
	while (fabs(beyond - end) > 1)
	{
		double middle = floor((beyond + end) / 2);

		if (is_plausible(law, tail, (double) answer, middle, is_high))
			end = middle;
		else
			beyond = middle;
	}
	return end < 0x1p62 ? (int64_t) end : (int64_t) 1 << 62;
}
