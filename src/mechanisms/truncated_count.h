/*
 * truncated_count.h
 *		Partition selection: counts of units with truncated geometric noise.
 *
 * A count that selects groups and is not shown may have noise that ends: X is
 * two-sided geometric with the ratio a = exp(-epsilon/N), given that |X| <= k. A
 * group of n units is shown if n + X >= t, t = k + 1. Where epsilon/N is small t is
 * lower by about ln(N/epsilon) N/epsilon than that of group_threshold.h: 110 instead
 * of 133 for epsilon 0.1 and delta 1e-6 in one group.
 *
 * Guarantee: if a unit changes at most N counts (dp_contribution_parts), each by
 * one at most, selecting the groups is (epsilon, delta)-DP in total, and N R(epsilon/N)
 * in rho beside that delta (zcdp.h), with the least k of
 *
 *		P(X = k) = a^k (1-a) / (1 + a - 2 a^(k+1)) <= delta / N.
 *
 * Proof. Let a group have n units in B and n + 1 in B'. The values that n + X and
 * n + 1 + X can both have, have probabilities of which one is a times the other. Only
 * n - k is the first one's alone, and only n + 1 + k the second one's, each with a
 * probability of P(X = k). So but for that each count is epsilon/N-DP, and each is
 * (epsilon/N, delta/N)-DP; noise is drawn for each group by itself, and at most N counts
 * differ. What is shown is a function of them. A group that is not there is one of no
 * units, for which n + X <= k: it is never shown. (Rho: without these two values both
 * laws have the same total, so their ratios remain between a and 1/a.)
 *
 * No (epsilon/N, delta/N)-DP rule shows a group with a greater probability, whatever
 * n, where delta/N is P(X = k) for a whole k (Desfontaines, Voss, Gipson, Mandayam
 * 2022, arXiv:2006.03684). k is found on rigorous enclosures of exp: it is never too
 * small. Noise is drawn exactly, anew until it does not exceed k. That k is N/epsilon
 * at least, which is no less safe, so that less than two draws are needed on average.
 */
#ifndef DP_MECHANISMS_TRUNCATED_COUNT_H
#define DP_MECHANISMS_TRUNCATED_COUNT_H

#include "mechanisms/noise.h"

/*
 * The threshold k + 1 for counts of units with such noise, made by
 * dp_noise_init_groups for a sensitivity of 1 with the same contribution. delta: of
 * 10^-24, 1 .. 10^24. Errors: as dp_group_threshold (group_threshold.h).
 */
extern DpStatus dp_truncated_count_threshold(const DpNoise *noise,
											 dp_int128 delta,
											 DpContribution contribution,
											 int64_t *threshold);

/*
 * A count with noise that ends at k, at least 1. Errors: DP_RANDOM_FAILED,
 * DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_truncated_count_add(DpRandom *random, const DpNoise *noise,
									   int64_t k, dp_int128 truth,
									   dp_int128 *count);

#endif
