/*
 * gaussian.h
 *		The least Gaussian noise for one (epsilon, delta).
 */
#ifndef DP_MECHANISMS_GAUSSIAN_H
#define DP_MECHANISMS_GAUSSIAN_H

#include "core/epsilon.h"
#include "mechanisms/gaussian_delta.h"
#include "mechanisms/zcdp.h"

/*
 * A sigma for which discrete Gaussian noise on answers with this reach is
 * (epsilon, delta)-DP, and nearly the least one: a multiple of 2^-20, or from 2^40
 * on an integer.
 *
 * Doubles propose it; it is taken only if the exact delta (gaussian_delta.h),
 * rounded up, is at most delta. That is not monotone in sigma: it has to be
 * verified for each sigma. Where it cannot be, the sigma of the rho that
 * (epsilon, delta) is worth (zcdp_grant.h) is taken. Vectors in any direction
 * get the lesser of both.
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
 * The least sigma, a multiple of 2^-20 or above 2^41 an integer, for which such
 * noise on answers that change by at most sqrt(squared) in L2 is rho-zCDP:
 * squared/(2 sigma^2) <= rho, exactly. Its actual cost may be less than rho
 * (dp_zcdp_of_gaussian).
 *
 * squared: 1 .. 2^84. Errors: DP_PARAMETER_OUT_OF_RANGE (rho, squared, or a sigma
 * above 2^61), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_gaussian_of_rho(DpRho rho, dp_uint128 squared,
								   DpSigma *sigma);

#endif
