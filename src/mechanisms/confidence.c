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
#include "mechanisms/joint_shape.h"
#include "mechanisms/regression.h"
#include "mechanisms/sums_ends.h"

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

/* sums: how many may be drawn together. */
static bool
is_sound_noise(const DpNoise *noise, uint32_t sums)
{
	const DpStaircase *staircase = &noise->staircase;

	if (staircase->sums > 1 && staircase->sums != sums)
		return false;
	switch (dp_mechanism_noise(noise->mechanism))
	{
		case DP_NOISE_LAPLACE:
			return staircase->sums == 0 && is_term(noise->s) &&
				   is_term(noise->t) && noise->quantum >= 1 &&
				   noise->quantum <= DP_SENSITIVITY_MAX;
		case DP_NOISE_STAIRCASE:
			return staircase->sums >= 1 && staircase->sensitivity >= 1 &&
				   staircase->sensitivity <= DP_SENSITIVITY_MAX &&
				   staircase->first_step >= 1 &&
				   staircase->first_step <= staircase->sensitivity &&
				   is_term(staircase->epsilon.ticks) && noise->quantum == 1;
		case DP_NOISE_GAUSSIAN:
			return staircase->sums == 0 && is_term(noise->sigma.numerator) &&
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
			return is_sound_noise(&law->noise, 1) &&
				   law->levels < (law->has_threshold ? 1 : DP_LAW_DRAWS_MAX);
		case DP_LAW_LEVELS:
			return has_range && is_sound_noise(&law->noise, 1) &&
				   law->levels >= 2 && law->levels <= DP_LEVELS_MAX;
		case DP_LAW_RATIO:
			return has_range && is_sound_noise(&law->noise, 2) &&
				   is_term(law->steps);
		case DP_LAW_VARIANCE:
		case DP_LAW_DEVIATION:
		case DP_LAW_VARIANCE_POP:
		case DP_LAW_DEVIATION_POP:
			return has_range && is_sound_noise(&law->noise, 3) &&
				   is_term(law->steps);
		case DP_LAW_REGRESSION:
			return is_sound_noise(&law->noise, 1) && law->noise.quantum <= 1 &&
				   is_term(law->steps);
		case DP_LAW_WALK_UP:
		case DP_LAW_WALK_DOWN:
			return has_range && is_term(law->noise.s) &&
				   is_term(law->noise.t) && is_term(law->steps) &&
				   law->threshold >= 0 && (uint64_t) law->threshold <= TERM_MAX;
	}
	return false;
}

double
dp_law_tail(double level)
{
	return (1 - nextafter(level, 1)) * (1 - ERROR);
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

/*
 * The probability that the size of a sum of Laplace numbers is more than x scales: the
 * terms of the sum over m, from the last one down, each with P(J > m).
 */
static double
laplace_sum_tail(int draws, double x)
{
	double exactly = ldexp(1, 1 - draws); /* P(J = j), of the last j */
	double more = 0;					  /* P(J > m) */
	double tail = 0;
	int m;

	for (m = draws - 1; m >= 0; m--)
	{
		more += exactly;
		tail += more * exp(m * log(x) - lgamma(m + 1) - x);
		exactly *= (2.0 * draws - m - 1) / (2.0 * (draws - m));
	}
	return tail;
}

/* The least sum of draws that is exceeded so rarely, by bisection, rounded up. */
static double
laplace_sum_width(const DpNoise *noise, int draws, double tail)
{
	double low = 0;
	double high = 1;
	int i;

	tail *= 1 - SLACK;
	while (laplace_sum_tail(draws, high) > tail)
		high *= 2;
	for (i = 0; i < 60; i++)
	{
		double middle = (low + high) / 2;

		if (laplace_sum_tail(draws, middle) > tail)
			low = middle;
		else
			high = middle;
	}
	return ceil(high * (1 + ERROR) * (double) noise->t / (double) noise->s) +
		   draws;
}

static double
gaussian_sum_width(const DpNoise *noise, int draws, double tail)
{
	double sigma =
		(double) noise->sigma.numerator / (double) noise->sigma.denominator;

	return ceil(sigma * sqrt(2 * draws * log(2 / tail)) * (1 + SLACK));
}

/* The width of a sum of draws; of a joint staircase, of all its numbers. */
static DpStatus
sum_width(const DpNoise *noise, int draws, double tail, dp_uint128 *width)
{
	static const double ones[3] = {1, 1, 1};
	double together = INFINITY;

	if (noise->staircase.sums > 1)
	{
		*width = (dp_uint128) ceil(
			dp_joint_weighted_width(&noise->staircase, tail, ones, draws));
		return DP_OK;
	}
	if (draws == 1)
		return dp_half_width(noise, tail, width);
	DP_TRY(dp_half_width(noise, -expm1(log1p(-tail) / draws) * (1 - ERROR),
						 width));
	*width = *width > (dp_uint128) DP_INT128_MAX / (unsigned) draws
				 ? (dp_uint128) DP_INT128_MAX
				 : *width * (unsigned) draws;
	if (dp_mechanism_noise(noise->mechanism) == DP_NOISE_LAPLACE &&
		noise->quantum == 1)
		together = laplace_sum_width(noise, draws, tail);
	if (dp_mechanism_noise(noise->mechanism) == DP_NOISE_GAUSSIAN)
		together = gaussian_sum_width(noise, draws, tail);
	if (together < (double) *width)
		*width = (dp_uint128) together;
	return DP_OK;
}

DpStatus
dp_law_width(const DpLaw *law, double level, dp_uint128 *width)
{
	double tail = dp_law_tail(level);

	*width = 0;
	switch (law->kind)
	{
		case DP_LAW_NOISE:
			return sum_width(&law->noise, (int) law->levels + 1, tail, width);
		case DP_LAW_LEVELS:
			return dp_half_width(&law->noise, tail, width);
		case DP_LAW_RATIO:
		case DP_LAW_VARIANCE:
		case DP_LAW_DEVIATION:
		case DP_LAW_VARIANCE_POP:
		case DP_LAW_DEVIATION_POP:
			return dp_sums_ends_width(law, tail, width);
		case DP_LAW_REGRESSION:
			return dp_half_width(
				&law->noise,
				-expm1(log1p(-tail) / DP_REGRESSION_SUMS) * (1 - ERROR), width);
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

DpStatus
dp_law_rows_width(const DpLaw *law, double level, dp_uint128 *width)
{
	switch (law->kind)
	{
		case DP_LAW_NOISE:
			return dp_law_width(law, level, width);
		case DP_LAW_RATIO:
			return sum_width(&law->noise, 2, dp_law_tail(level), width);
		case DP_LAW_VARIANCE:
		case DP_LAW_DEVIATION:
		case DP_LAW_VARIANCE_POP:
		case DP_LAW_DEVIATION_POP:
			return sum_width(&law->noise, 3, dp_law_tail(level), width);
		case DP_LAW_REGRESSION:
			return sum_width(&law->noise, DP_REGRESSION_SUMS,
							 dp_law_tail(level), width);
		default:
			return DP_MECHANISM_NOT_APPLICABLE;
	}
}

/* Of a regression. */
static dp_int128
total_of(const dp_int128 *sums)
{
	dp_int128 total = 0;
	int i;

	for (i = 0; i < DP_REGRESSION_SUMS; i++)
		total = dp_int128_add_saturating(total, sums[i]);
	return total;
}

dp_int128
dp_law_rows(const DpLaw *law, dp_int128 answer, const dp_int128 *sums)
{
	switch (law->kind)
	{
		case DP_LAW_RATIO:
			return sums[1];
		case DP_LAW_VARIANCE:
		case DP_LAW_DEVIATION:
		case DP_LAW_VARIANCE_POP:
		case DP_LAW_DEVIATION_POP:
			return dp_int128_add_saturating(
				dp_int128_add_saturating(sums[0], sums[1]), sums[2]);
		case DP_LAW_REGRESSION:
			return total_of(sums);
		default:
			return answer;
	}
}

double
dp_law_level_end(dp_uint128 width, const dp_int128 *sums, bool is_high)
{
	dp_int128 greatest = dp_int128_clamp(sums[1], 1, DP_LEVELS_MAX);
	dp_int128 by = width > DP_LEVELS_MAX ? DP_LEVELS_MAX : (dp_int128) width;
	dp_int128 end =
		dp_int128_clamp(sums[0], 0, greatest) + (is_high ? by : -by);
	double part;

	/* Ends are counted in half levels. */
	end = dp_int128_clamp(2 * end + (is_high ? 1 : -1), 0, 2 * greatest);
	part = (double) end / (double) (2 * greatest);
	if (end == 0 || end == 2 * greatest)
		return part;
	return is_high ? fmin(part * (1 + ERROR), 1) : part * (1 - ERROR);
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
	double tail = dp_law_tail(level);
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
