/*
 * discrete_gaussian.h
 *		The discrete Gaussian distribution with an integer scale.
 */
#ifndef DP_SAMPLERS_DISCRETE_GAUSSIAN_H
#define DP_SAMPLERS_DISCRETE_GAUSSIAN_H

#include "core/int128.h"
#include "random/source.h"

#define DP_SIGMA_MAX ((uint64_t) 1 << 61)

/*
 * P(value = z) proportional to exp(-z^2 / (2 sigma^2)), exactly.
 *
 * sigma: 1 .. 2^61, else DP_PARAMETER_OUT_OF_RANGE. Added to an integer query
 * of sensitivity D it is D^2 / (2 sigma^2)-zCDP; it is never pure epsilon-DP.
 * Source: Canonne, Kamath, Steinke 2020, algorithm 3.
 */
extern DpStatus dp_discrete_gaussian_draw(DpRandom *random, uint64_t sigma,
										  dp_int128 *value);

/* The probability of z, in doubles. */
extern double dp_discrete_gaussian_pmf(double sigma, double z);

#endif
