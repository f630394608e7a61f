/*
 * regression_width.c
 *		How far weighted sums of the nine draws of a regression reach.
 *
 * Widths are computed in doubles, and widened by more than the rounding errors.
 */
#include <math.h>

#include "mechanisms/double_range.h"
#include "mechanisms/regression_width.h"

/* The greatest half of a moment's order. */
#define HALVES_MAX 16

/* Of weights, as parts of the greatest one. */
typedef struct Moments
{
	double greatest;
	double sum;						 /* of the weights themselves */
	double products[HALVES_MAX + 1]; /* E S^(2k) / (2k)! */
} Moments;

static Moments
moments_of(const double *weights)
{
	Moments moments = {.products = {1}};
	int i;
	int k;

	for (i = 0; i < DP_REGRESSION_SUMS; i++)
	{
		moments.sum += weights[i];
		moments.greatest = fmax(moments.greatest, weights[i]);
	}
	for (i = 0; i < DP_REGRESSION_SUMS && moments.greatest > 0; i++)
	{
		double part = weights[i] / moments.greatest;

		for (k = 1; k <= HALVES_MAX; k++)
			moments.products[k] += part * part * moments.products[k - 1];
	}
	return moments;
}

/*
 * Of Laplace numbers of the scale 1. Each order of moments gives a width; they become
 * less and then greater, and the first that is no less ends the search.
 */
static double
laplace_width(const Moments *moments, double tail)
{
	double best = INFINITY;
	double factorial = 1;
	int k;

	for (k = 1; k <= HALVES_MAX; k++)
	{
		double r = 2 * k;
		double width;

		factorial *= r * (r - 1);
		width = moments->greatest * r / (r + 1) *
				exp(log(factorial * moments->products[k] / tail) / r);
		if (!(width < best))
			break;
		best = width;
	}
	return fmin(best, -log(tail) * moments->sum) * (1 + DP_RANGE_ERROR);
}

double
dp_regression_width(const DpLaw *law, double tail, dp_uint128 width,
					const double weights[DP_REGRESSION_SUMS])
{
	const DpNoise *noise = &law->noise;
	Moments moments = moments_of(weights);
	double scale;

	if (!(moments.greatest > 0))
		return 0;
	switch (dp_mechanism_noise(noise->mechanism))
	{
		case DP_NOISE_LAPLACE:
			scale =
				(double) noise->t / (double) noise->s * (1 + DP_RANGE_ERROR);
			return fmin(laplace_width(&moments, tail) * scale + moments.sum,
						laplace_width(&moments, tail / 2) * scale);
		case DP_NOISE_GAUSSIAN:
			return dp_sigma_to_double(noise->sigma) * moments.greatest *
				   sqrt(2 * log(2 / tail) * moments.products[1]) *
				   (1 + DP_RANGE_ERROR);
		default:
			break;
	}
	return (double) width * moments.sum * (1 + DP_RANGE_ERROR);
}
