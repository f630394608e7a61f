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
 * in total: noise and threshold share one delta. Let p = P(Y >= k), q_j = (1-p)^j,
 * delta_n(e) be that of n such counts (gaussian_delta.h; delta_0(e) =
 * max(0, 1 - exp(e))), and N = m, the groups of a unit, or 2 m where units are
 * exchanged. Then
 *
 *		1 - q_j + q_j delta_(N-j-i)(epsilon + ln(q_i/q_j)) <= delta
 *
 * for all mixtures of j groups that are gone, which one data set has and its
 * neighbour lacks, and i that are new: j and i = 0 .. m where units are
 * exchanged, else j = 0 .. m with i = 0, and i = 0 .. m with j = 0.
 *
 * Lemma: that is all, for any two neighbours B and B', and no lesser k will do
 * for this sigma. Proof. A group that is gone has in B the unit alone that B'
 * lacks, one that is new has in B' the unit alone that B lacks. All other groups
 * are in both or in neither (also one that both units are in and nobody else).
 * Of those in both only groups of a unit have other counts, n in number, by c at
 * most: j + n + i <= N, since each group that is gone, new or changed is one of at
 * most N places of units, if not two.
 *
 * B shows none of its j with a probability q >= q_j, as each counts c at most; B'
 * none of its i with q' >= q_i. Noise is drawn for each group by itself, so
 * whatever else is shown, the others, is independent of that. For any set S of
 * outcomes let a and a' be the probabilities under B and B' that the others give
 * an outcome of S with no group that is gone or new. Then
 *
 *		P(B in S) - exp(epsilon) P(B' in S)
 *			<= 1 - q + q a - exp(epsilon) q' a'
 *			<= 1 - q_j + q_j (a - exp(epsilon + ln(q_i/q_j)) a'),
 *
 * for the middle falls in q (a <= 1) and in q'. The others are a function (what the
 * threshold hides) of n Gaussian counts that change, and of equal ones: the last
 * bracket is at most delta_n, which rises with n and so is at most that for
 * N - j - i. Fewer groups of a unit, lesser counts and lesser changes are thereby
 * covered. All of it is attained where the changed groups are far above the
 * threshold and the others count c: S has all outcomes that show a group that is
 * gone, and of the rest the worst ones of delta_n. (For one unit more or less:
 * Karrer, Kifer, Wilkins, Zhang 2022, arXiv:2202.01100, for one size of groups.)
 *
 * Where a count that is asked for selects the groups, the lemma is about the answers,
 * too: all that is shown of the n groups is a function of their noisy counts, whether
 * these are then told or not. So such a count costs epsilon and delta once, as its
 * geometric noise and a threshold of that would (group_threshold.h), and for sigma and
 * threshold found by this rule any delta that sigma has alone is part of it: that of
 * j = i = 0, delta_N(epsilon). Answers beside it add their own, as there.
 *
 * A block of pairs, j = j1 .. j2 and i = i1 .. i2, is tried at once by the bound
 *
 *		1 - q_j2 (1 - delta_(N-j1-i1)(epsilon + (j1 - i2) l)), l = -ln(1-p),
 *
 * where (j1 - i2) l is rounded down. It is halved where that is above delta. A k
 * that would take too many blocks, or whose p is not below 1/2, is not taken, which
 * is no less safe.
 */
#ifndef DP_MECHANISMS_GAUSSIAN_THRESHOLD_H
#define DP_MECHANISMS_GAUSSIAN_THRESHOLD_H

#include <stdbool.h>

#include "core/epsilon.h"
#include "mechanisms/contribution.h"
#include "mechanisms/gaussian_delta.h"

/*
 * Where fewer counts differ, geometric ones have the lower threshold; for more groups
 * of a unit it takes seconds to find that of Gaussian ones.
 */
#define DP_GAUSSIAN_THRESHOLD_PARTS 3
#define DP_GAUSSIAN_THRESHOLD_GROUPS 1000

/* Whether Gaussian counts are worth a trial. */
static inline bool
dp_gaussian_threshold_may_be_lower(DpContribution contribution)
{
	return dp_contribution_parts(contribution) >= DP_GAUSSIAN_THRESHOLD_PARTS &&
		   contribution.groups <= DP_GAUSSIAN_THRESHOLD_GROUPS;
}

/* The part of delta, 0.999 of it, for which the noise is calibrated. */
extern double dp_gaussian_threshold_noise_delta(dp_int128 delta);

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
 * The least threshold for noise that is there, of any sigma for which there is one.
 * Errors: as above.
 */
extern DpStatus dp_gaussian_threshold_of_sigma(DpSigma sigma, DpEpsilon epsilon,
											   dp_int128 delta,
											   uint64_t greatest,
											   DpContribution contribution,
											   int64_t *threshold);

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
