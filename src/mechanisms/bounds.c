/*
 * bounds.c
 *		Bins of powers of two, and which of them hold values.
 */
#include <math.h>

#include "mechanisms/bounds.h"
#include "mechanisms/half_width.h"

/* The probability that a bin without values is taken for one with values. */
#define FAILURE 1e-6

#define THRESHOLD_MAX 4611686018427387904.0 /* 2^62 */

/* The bin of what lies in (2^(exponent-1), 2^exponent], negated or not. */
static uint32_t
bin_of(DpBins bins, int exponent, bool negative)
{
	uint32_t half = dp_bins_number(bins) / 2;
	uint32_t bin;

	if (exponent < bins.least)
		exponent = bins.least;
	if (exponent > bins.greatest)
		exponent = bins.greatest;
	bin = (uint32_t) (exponent - bins.least);
	return negative ? half - 1 - bin : half + bin;
}

uint32_t
dp_bin_of_double(DpBins bins, double value)
{
	int exponent;
	double part;

	if (value == 0)
		return bin_of(bins, bins.least, false);
	if (isinf(value))
		return bin_of(bins, bins.greatest, value < 0);

	/* |value| = part * 2^exponent, 1/2 <= part < 1 */
	part = frexp(fabs(value), &exponent);
	return bin_of(bins, part == 0.5 ? exponent - 1 : exponent, value < 0);
}

uint32_t
dp_bin_of_integer(DpBins bins, int64_t value)
{
	uint64_t size = value < 0 ? -(uint64_t) value : (uint64_t) value;
	int exponent = 0;

	if (size > 1)
		exponent = 64 - __builtin_clzll(size - 1);
	return bin_of(bins, exponent, value < 0);
}

/* The end of a bin that is further from 0. */
static DpEdge
outer_edge(DpBins bins, uint32_t bin)
{
	uint32_t half = dp_bins_number(bins) / 2;

	if (bin < half)
		return (DpEdge){-1, bins.least + (int) (half - 1 - bin)};
	return (DpEdge){1, bins.least + (int) (bin - half)};
}

/* The end of a bin that is nearer to 0. */
static DpEdge
inner_edge(DpBins bins, uint32_t bin)
{
	DpEdge edge = outer_edge(bins, bin);

	if (edge.exponent == bins.least)
		return (DpEdge){0, 0};
	edge.exponent--;
	return edge;
}

DpEdge
dp_bin_lower(DpBins bins, uint32_t bin)
{
	return bin < dp_bins_number(bins) / 2 ? outer_edge(bins, bin)
										  : inner_edge(bins, bin);
}

DpEdge
dp_bin_upper(DpBins bins, uint32_t bin)
{
	return bin < dp_bins_number(bins) / 2 ? inner_edge(bins, bin)
										  : outer_edge(bins, bin);
}

/*
 * The least k with P(Z < k)^bins >= 1 - FAILURE for the noise Z, where P(Z >=
 * k) = a^k / (1 + a). It is a public number, so doubles may be off by one. It
 * never exceeds what bins can hold.
 */
static int64_t
threshold_of(const DpNoise *noise, DpBins bins)
{
	double x = (double) noise->s / (double) noise->t; /* a = exp(-x) */
	double tail = -expm1(log1p(-FAILURE) / dp_bins_number(bins));

	return (int64_t) fmin(fmax(ceil(-log(tail * (1 + exp(-x))) / x), 1),
						  THRESHOLD_MAX);
}

DpStatus
dp_bounds_init(DpBounds *bounds, DpBins bins, DpEpsilon epsilon,
			   DpContribution contribution)
{
	DpMechanismChoice geometric = {.mechanism = DP_GEOMETRIC};
	bool exchanged = dp_contribution_within(contribution) == DP_SUBSTITUTE;

	bounds->bins = bins;
	DP_TRY(dp_noise_init_groups(
		&bounds->noise, &geometric, epsilon,
		(exchanged ? 2 : 1) * (uint64_t) contribution.rows, contribution));
	bounds->threshold = threshold_of(&bounds->noise, bins);
	return DP_OK;
}

DpStatus
dp_bounds_draw(DpRandom *random, const DpBounds *bounds, const int64_t *counts,
			   uint32_t *first, uint32_t *last)
{
	uint32_t number = dp_bins_number(bounds->bins);
	uint32_t bin;

	*first = number;
	*last = 0;
	for (bin = 0; bin < number; bin++)
	{
		dp_int128 count;

		DP_TRY(dp_noise_add(random, &bounds->noise, counts[bin], &count));
		if (count < bounds->threshold)
			continue;
		if (*first == number)
			*first = bin;
		*last = bin;
	}
	return DP_OK;
}

DpStatus
dp_bounds_error(const DpBounds *bounds, double tail, double *values)
{
	dp_uint128 width;

	/* `tail` is that of one side; the width is for both. */
	DP_TRY(dp_half_width(&bounds->noise, fmin(2 * tail, 0.99), &width));
	*values = (double) bounds->threshold + (double) width;
	return DP_OK;
}
