/*
 * gaussian_threshold.h
 *		Partition selection: groups by private keys, with Gaussian counts.
 *
 * As in group_threshold.h, a group is shown if a noisy count of it reaches a
 * threshold t = c + k, where c is the most that a unit counts in a group. Here
 * the noise of each count is N_Z(0, sigma^2), which is far less if a unit is in
 * many groups: for 20 groups, epsilon 1 and delta 1e-6, t is 103 instead of
 * 324.
 *
 * Guarantee: showing the groups and their noisy counts is (epsilon, delta)-DP
 * in total: noise and threshold share one delta. Let p = P(Y >= k), and
 * delta_n(e) be that of n such counts (gaussian_delta.h; delta_0(e) = 0 for e
 * >= 0). Then for all j = 0 .. m
 *
 *		j p + delta_(m-j)(epsilon) <= delta,
 *		delta_(m-j)(epsilon - j p / (1-p)) <= delta.
 *
 * Proof. Let a unit of B' that B lacks be alone in j of its groups, which B does
 * not have. One of them is shown with probability 1 - q at most, q = (1-p)^j. Given
 * that none is, the rest are m - j Gaussian counts, cut off by the threshold under
 * both (post-processing), so that
 *
 *		P(B' in S) - exp(epsilon) P(B in S)
 *			<= 1 - q + q delta_(m-j)(epsilon - ln q) <= j p + delta_(m-j)(epsilon),
 *		P(B in S) - exp(epsilon) P(B' in S) <= delta_(m-j)(epsilon + ln q),
 *
 * and ln q >= -j p / (1-p). (Karrer, Kifer, Wilkins, Zhang 2022, arXiv:2202.01100,
 * for one size of groups.) Of an exchanged unit both sides may have lone groups,
 * and there are up to 2 m others; with q and q' the same steps give
 * 1 - q + q delta_2m(epsilon + ln(q'/q)), so the rule is
 *
 *		m p + delta_2m(epsilon - m p / (1-p)) <= delta.
 *
 * Where m is above 100, j goes in steps, each with its greatest j in the first place
 * and its least in the second, which is no less safe.
 */
#ifndef DP_MECHANISMS_GAUSSIAN_THRESHOLD_H
#define DP_MECHANISMS_GAUSSIAN_THRESHOLD_H

#include "core/epsilon.h"
#include "mechanisms/contribution.h"
#include "mechanisms/gaussian_delta.h"

/*
 * Noise and threshold for counts to which a unit adds at most `greatest`, 1 or
 * more, in each of the contribution's groups, of which there is at least 1.
 * delta: of 10^-24, 1 .. 10^24. sigma: calibrated for the counts alone, with
 * all but a thousandth of delta. threshold: the least for this sigma.
 *
 * Errors: DP_PARAMETER_OUT_OF_RANGE (delta, or a threshold above 2^62),
 * DP_SENSITIVITY_OUT_OF_RANGE, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_gaussian_threshold(DpEpsilon epsilon, dp_int128 delta,
									  uint64_t greatest,
									  DpContribution contribution,
									  DpSigma *sigma, int64_t *threshold);

/*
 * For private keys in a zCDP budget: the noise costs m greatest^2/(2 sigma^2)
 * in rho, and the threshold only the delta 1 - (1-p)^m. Finds the least
 * threshold for which m p is at most delta. Errors: as above.
 */
extern DpStatus dp_gaussian_threshold_of_rho(DpSigma sigma, dp_int128 delta,
											 uint64_t greatest,
											 DpContribution contribution,
											 int64_t *threshold);

#endif
