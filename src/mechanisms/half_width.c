/*
 * half_width.c
 *		Quantiles of noise, proposed in doubles and verified on enclosures.
 */
#include <math.h>

#include "mechanisms/gaussian_tail.h"
#include "mechanisms/half_width.h"
#include "mechanisms/interval.h"
#include "mechanisms/staircase_shape.h"

/* Bits of the enclosures; tails are at least about 2^-60. */
#define BITS 256

/*
 * Beyond this width no distribution here has a probability that a double can
 * represent.
 */
#define WIDTH_MAX ((dp_uint128) 1 << 120)

typedef struct Search Search;

/* A search for the least width whose tail is small enough. */
struct Search
{
	DpWork work;
	const DpNoise *noise;
	DpInterval limit; /* of the tail */
	DpInterval total; /* gaussian: the sum of all terms */
	DpBell bell;

	/* The tail beyond a width, in quanta. */
	void (*tail)(Search *search, dp_uint128 width, DpInterval *result);
};

/* x = exp(-multiple numerator / denominator) */
static void
set_power(Search *search, DpInterval *x, dp_uint128 multiple,
		  uint64_t numerator, uint64_t denominator)
{
	DpWork *work = &search->work;
	BIGNUM *product;
	BIGNUM *factor;

	dp_work_push(work);
	product = dp_work_number(work);
	factor = dp_work_number(work);
	dp_number_set(work, product, (dp_int128) multiple);
	dp_number_set(work, factor, numerator);
	dp_number_multiply(work, product, product, factor);
	dp_number_set(work, factor, denominator);
	if (!dp_work_failed(work))
		dp_interval_set_ratio(work, x, product, factor);
	dp_interval_exp_minus(work, x, x);
	dp_work_pop(work);
}

/* exp(-w s/t): of a continuous Laplace number. */
static void
continuous_tail(Search *search, dp_uint128 width, DpInterval *result)
{
	set_power(search, result, width, search->noise->s, search->noise->t);
}

/* P(|Z| > w) = 2 a^(w+1) / (1 + a) */
static void
laplace_tail(Search *search, dp_uint128 width, DpInterval *result)
{
	DpWork *work = &search->work;
	DpInterval below;
	DpInterval one;

	dp_work_push(work);
	below = dp_interval_new(work);
	one = dp_interval_new(work);
	dp_interval_set(work, &one, 1);
	set_power(search, &below, 1, search->noise->s, search->noise->t);
	dp_interval_add(work, &below, &below, &one);
	set_power(search, result, width + 1, search->noise->s, search->noise->t);
	dp_interval_multiply_word(work, result, 2);
	dp_interval_divide(work, result, result, &below);
	dp_work_pop(work);
}

/* x += factor y */
static void
add_times(DpWork *work, DpInterval *x, uint64_t factor, const DpInterval *y)
{
	DpInterval product;

	dp_work_push(work);
	product = dp_interval_new(work);
	dp_interval_set(work, &product, factor);
	dp_interval_multiply(work, &product, &product, y);
	dp_interval_add(work, x, x, &product);
	dp_work_pop(work);
}

/*
 * P(|X| >= k D + j), 0 <= j < D, is, with b = exp(-epsilon),
 *
 *		2 b^k ((1-b) (u + v b) + b (r + (D-r) b)) / (2r - 1 + (2(D-r) + 1) b),
 *
 * u and v being the numbers of steps at or after j in the first and in the
 * second part of a stair.
 */
static void
staircase_tail(Search *search, dp_uint128 width, DpInterval *result)
{
	DpWork *work = &search->work;
	const DpStaircase *staircase = &search->noise->staircase;
	uint64_t d = staircase->sensitivity;
	uint64_t r = staircase->first_step;
	uint64_t units = staircase->epsilon.ticks;
	uint64_t j = (uint64_t) ((width + 1) % d);
	DpInterval b;
	DpInterval part;
	DpInterval stairs;
	DpInterval below;

	dp_work_push(work);
	b = dp_interval_new(work);
	part = dp_interval_new(work);
	stairs = dp_interval_new(work);
	below = dp_interval_new(work);
	set_power(search, &b, 1, units, (uint64_t) 1 << DP_EPSILON_BITS);

	dp_interval_set(work, result, j < r ? r - j : 0);
	add_times(work, result, d - (j < r ? r : j), &b);
	dp_interval_set(work, &part, 1);
	dp_interval_subtract(work, &part, &part, &b);
	dp_interval_multiply(work, result, result, &part);

	dp_interval_set(work, &stairs, r);
	add_times(work, &stairs, d - r, &b);
	dp_interval_multiply(work, &stairs, &stairs, &b);
	dp_interval_add(work, result, result, &stairs);

	set_power(search, &part, (width + 1) / d, units,
			  (uint64_t) 1 << DP_EPSILON_BITS);
	dp_interval_multiply(work, result, result, &part);
	dp_interval_multiply_word(work, result, 2);
	dp_interval_set(work, &below, 2 * (dp_int128) r - 1);
	add_times(work, &below, 2 * (d - r) + 1, &b);
	dp_interval_divide(work, result, result, &below);
	dp_work_pop(work);
}

/* Twice the sum from w + 1 on, over that of all terms. */
static void
gaussian_tail(Search *search, dp_uint128 width, DpInterval *result)
{
	DpWork *work = &search->work;
	DpInterval first;
	BIGNUM *point;
	BIGNUM *one;

	dp_work_push(work);
	first = dp_interval_new(work);
	point = dp_work_number(work);
	one = dp_work_number(work);
	dp_number_set(work, point, (dp_int128) width + 1);
	dp_number_set(work, one, 1);
	if (!dp_work_failed(work))
		dp_bell_exponent(work, &first, &search->bell, point, one);
	dp_interval_exp_minus(work, &first, &first);
	dp_bell_sum(work, result, &search->bell, (dp_int128) width + 1);
	dp_interval_multiply(work, result, result, &first);
	dp_interval_multiply_word(work, result, 2);
	dp_interval_divide(work, result, result, &search->total);
	dp_work_pop(work);
}

static bool
is_enough(Search *search, dp_uint128 width)
{
	DpWork *work = &search->work;
	DpInterval tail;
	bool enough;

	if (width >= WIDTH_MAX)
		return true;
	dp_work_push(work);
	tail = dp_interval_new(work);
	search->tail(search, width, &tail);
	enough =
		!dp_work_failed(work) && BN_cmp(tail.upper, search->limit.lower) <= 0;
	dp_work_pop(work);
	return enough || dp_work_failed(work);
}

/* The least width that is enough, from near a proposed one. */
static dp_uint128
find_least(Search *search, double proposed)
{
	dp_uint128 high =
		proposed < 0x1p120 ? (dp_uint128) fmax(proposed, 0) : WIDTH_MAX;
	dp_uint128 low; /* not enough, or all below 0 */
	dp_uint128 stride = 1;

	while (!is_enough(search, high))
	{
		high += stride;
		stride *= 2;
	}
	for (stride = 1; high > 0; stride *= 2)
	{
		low = high > stride ? high - stride : 0;
		if (!is_enough(search, low))
			break;
		high = low;
	}
	if (high == 0)
		return 0;
	while (high - low > 1)
	{
		dp_uint128 middle = low + (high - low) / 2;

		if (is_enough(search, middle))
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* Proposals. */

static double
propose_laplace(const DpNoise *noise, double tail)
{
	double x = (double) noise->s / (double) noise->t;

	return ceil(log(2 / (tail * (1 + exp(-x)))) / x) - 1;
}

static double
propose_staircase(const DpNoise *noise, double tail)
{
	double d = (double) noise->staircase.sensitivity;
	double r = (double) noise->staircase.first_step;
	double epsilon = dp_epsilon_to_double(noise->staircase.epsilon);
	double low = 0;
	double high = 1;

	while (high < 0x1p119 && dp_staircase_tail(d, r, epsilon, high) > tail)
		high *= 2;
	while (high - low > 1)
	{
		double middle = floor((low + high) / 2);

		if (middle <= low || middle >= high)
			break;
		if (dp_staircase_tail(d, r, epsilon, middle) > tail)
			low = middle;
		else
			high = middle;
	}
	return high - 1;
}

static double
propose_gaussian(const DpNoise *noise, double tail)
{
	double low = 0;
	double high = 40;
	int i;

	for (i = 0; i < 60; i++)
	{
		double middle = (low + high) / 2;

		if (erfc(middle / sqrt(2)) > tail)
			low = middle;
		else
			high = middle;
	}
	return rint(high * dp_sigma_to_double(noise->sigma));
}

/* The bell of the noise, and the sum of its terms. */
static void
set_bell(Search *search)
{
	DpWork *work = &search->work;
	DpSigma sigma = search->noise->sigma;

	search->bell.numerator = dp_work_number(work);
	search->bell.denominator = dp_work_number(work);
	search->total = dp_interval_new(work);
	dp_number_set(work, search->bell.numerator,
				  (dp_int128) sigma.numerator * sigma.numerator);
	dp_number_set(work, search->bell.denominator,
				  (dp_int128) sigma.denominator * sigma.denominator);
	if (!dp_work_failed(work))
		dp_bell_total(work, &search->total, &search->bell);
}

static void
set_limit(Search *search, double tail)
{
	search->limit = dp_interval_new(&search->work);
	dp_interval_set_double(&search->work, &search->limit, tail);
}

static DpStatus
search_width(Search *search, double tail, double proposed, dp_uint128 *width)
{
	bool failed;

	if (!(tail > 0 && tail < 1))
		return DP_PARAMETER_OUT_OF_RANGE;
	dp_work_begin(&search->work, BITS);
	set_limit(search, tail);
	if (search->tail == gaussian_tail)
		set_bell(search);
	*width = find_least(search, proposed);
	failed = dp_work_failed(&search->work);
	dp_work_end(&search->work);
	return failed ? DP_OUT_OF_MEMORY : DP_OK;
}

DpStatus
dp_half_width(const DpNoise *noise, double tail, dp_uint128 *width)
{
	Search search = {.noise = noise};
	double proposed = 0;

	switch (dp_mechanism_noise(noise->mechanism))
	{
		case DP_NOISE_LAPLACE:
			search.tail = laplace_tail;
			proposed = propose_laplace(noise, tail);
			break;
		case DP_NOISE_STAIRCASE:
			if (noise->staircase.sums > 1)
				return DP_MECHANISM_NOT_APPLICABLE;
			search.tail = staircase_tail;
			proposed = propose_staircase(noise, tail);
			break;
		case DP_NOISE_GAUSSIAN:
			search.tail = gaussian_tail;
			proposed = propose_gaussian(noise, tail);
			break;
		case DP_NOISE_NONE:
			return DP_MECHANISM_NOT_APPLICABLE;
	}
	DP_TRY(search_width(&search, tail, proposed, width));
	if (noise->quantum > 1)
		*width = *width * noise->quantum + noise->quantum / 2;
	return DP_OK;
}

DpStatus
dp_half_width_between(const DpNoise *noise, double tail, dp_uint128 *width)
{
	Search search = {.noise = noise, .tail = continuous_tail};

	if (dp_mechanism_noise(noise->mechanism) != DP_NOISE_LAPLACE ||
		noise->quantum > 1)
		return DP_MECHANISM_NOT_APPLICABLE;
	DP_TRY(search_width(
		&search, tail, ceil(-log(tail) * (double) noise->t / (double) noise->s),
		width));
	*width += 1;
	return DP_OK;
}
