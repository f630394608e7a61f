/*
 * discrete_gaussian.h
 *		The discrete Gaussian distribution with a rational scale.
 *
 * Rounding the scale up to an integer would nearly double noise just above 1.
 */
#ifndef DP_SAMPLERS_DISCRETE_GAUSSIAN_H
#define DP_SAMPLERS_DISCRETE_GAUSSIAN_H

#include "core/int128.h"
#include "random/source.h"

#define DP_SIGMA_MAX ((uint64_t) 1 << 61)

/* numerator / denominator, each 1 .. 2^61; they need not be reduced. */
typedef struct DpSigma
{
	uint64_t numerator;
	uint64_t denominator;
} DpSigma;

static inline double
dp_sigma_to_double(DpSigma sigma)
{
	return (double) sigma.numerator / (double) sigma.denominator;
}

/*
 * P(value = z) proportional to exp(-z^2 / (2 sigma^2)), exactly.
 *
 * Added to an integer query of L2 sensitivity D it is D^2 / (2 sigma^2)-zCDP;
 * it is never pure epsilon-DP. Draws of discrete Laplace noise of scale sigma
 * are accepted with probability 0.57 at sigma 0.3, 0.71 at 1.04, and about 0.76
 * above. Errors: DP_PARAMETER_OUT_OF_RANGE (sigma), DP_RANDOM_FAILED. Source:
 * Canonne, Kamath, Steinke 2020, algorithm 3.
 */
extern DpStatus dp_discrete_gaussian_draw(DpRandom *random, DpSigma sigma,
										  dp_int128 *value);

/* The probability of z, in doubles; sigma: above 0. */
extern double dp_discrete_gaussian_pmf(double sigma, double z);

#endif
