/*
 * gaussian.h
 *		The least Gaussian noise for one (epsilon, delta).
 */
#ifndef DP_MECHANISMS_GAUSSIAN_H
#define DP_MECHANISMS_GAUSSIAN_H

#include "core/epsilon.h"
#include "mechanisms/gaussian_delta.h"

/*
 * A sigma for which discrete Gaussian noise on answers with this reach is
 * (epsilon, delta)-DP, and nearly the least one: a multiple of 2^-20, from 2^40 on
 * an integer.
 *
 * Doubles propose it; it is taken only when the exact delta (gaussian_delta.h),
 * rounded up, is at most delta. That is not monotone in sigma: what holds for one
 * holds for no other. Where it does not follow, the sigma of the rho that the grant
 * is worth (zcdp.h) is taken. Vectors in any direction have the lesser of both.
 *
 * For one number that changes by 1, epsilon 1 and delta 1e-6, sigma is 4.23, where
 * rho + 2 sqrt(rho ln(1/delta)) = epsilon gives 5.35.
 *
 * delta: in (0, 1). Errors: DP_PARAMETER_OUT_OF_RANGE (delta, or a sigma above
 * 2^61), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_gaussian_calibrate(DpEpsilon epsilon, double delta,
									  const DpGaussianReach *reach,
									  DpSigma *sigma);

/*
 * Whether noise of this sigma is (epsilon, delta)-DP, for sure, by the exact
 * delta. Errors: DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_gaussian_is_private(DpSigma sigma,
									   const DpGaussianReach *reach,
									   DpEpsilon epsilon, double delta,
									   bool *result);

#endif
