/*
 * group_threshold.h
 *		Partition selection: which groups may be shown when their keys are
 *		private.
 *
 * A group of a single privacy unit would reveal that this unit is in the data.
 * So a group is shown only if a noisy count of it (of its units, or of their
 * rows) reaches a threshold t.
 *
 * Guarantee: let the counts of all groups together change by at most D (in L1)
 * when a unit is added or removed, X be two-sided geometric noise with ratio
 * a = exp(-epsilon/D), and a unit be in at most g groups and count at most c
 * in each. Showing the groups, and their noisy counts, is (epsilon, delta)-DP
 * with t = c + k, where k is the least positive integer with
 *
 *		P(X >= k) = a^k / (1 + a) <= delta / g.
 *
 * Proof. Let B' have the unit u that B lacks, and let the groups of u alone be
 * those without any other unit: at most g, each with a count of at most c in
 * B', and none in B. One of them is shown with probability at most g P(X >= k)
 * <= delta (d, say). What is shown of the others is a function of their noisy
 * counts, epsilon-DP (the geometric mechanism), and independent of that. Let S
 * be any set of outcomes, and p and p' the probabilities under B and B' that
 * the other groups give an outcome of S without groups of u alone. Then
 *
 *		P(B' in S) <= d + (1 - d) p' <= delta + exp(epsilon) P(B in S),
 *		P(B in S) - exp(epsilon) P(B' in S) <= p - exp(epsilon) (1 - d) p'
 *			<= min(1, exp(epsilon) p') - exp(epsilon) (1 - d) p' <= d <= delta.
 *
 * An exchange of units is the same with groups of each alone, and D for both.
 * Further answers about the shown groups add their own epsilon and delta:
 * except with probability d they are about the same groups under either data
 * set, and a group that is empty under one of them is answered like any other.
 *
 * Korolova, Kenthapadi, Mishra, Ntoulas 2009 release the keys of a log in this
 * way, with Laplace noise; Desfontaines, Voss, Gipson, Mandayam 2022 compare
 * rules. k is found with integer arithmetic on rigorous enclosures of exp: it
 * is never too small.
 */
#ifndef DP_MECHANISMS_GROUP_THRESHOLD_H
#define DP_MECHANISMS_GROUP_THRESHOLD_H

#include "mechanisms/interval.h"
#include "mechanisms/noise.h"

/* delta is given as an integer number of 10^-24. */
#define DP_DELTA_ONE ((dp_int128) 1000000000000 * 1000000000000)

/* No threshold is greater. */
#define DP_THRESHOLD_MAX ((uint64_t) 1 << 62)

/* True for noise with a known threshold: geometric, without a quantum. */
extern bool dp_group_threshold_applies(const DpNoise *noise);

/*
 * The threshold for counts with such noise, made by dp_noise_init_groups with
 * the same contribution. greatest: c, at least 1. delta: 1 .. DP_DELTA_ONE.
 * contribution: g is its number of groups, at least 1.
 *
 * Errors: DP_MECHANISM_NOT_APPLICABLE (noise), DP_PARAMETER_OUT_OF_RANGE
 * (delta, or a threshold above 2^62), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_group_threshold(const DpNoise *noise, uint64_t greatest,
								   dp_int128 delta, DpContribution contribution,
								   int64_t *threshold);

/* a^k factor <= right, where a is the ratio of such noise. */
typedef struct DpPowerRule
{
	const DpNoise *noise;
	DpInterval factor;
	DpInterval right;
} DpPowerRule;

/*
 * The least k, at least 1, for which a rule holds for sure: with the upper end of the
 * left side. Errors: DP_PARAMETER_OUT_OF_RANGE (above 2^62), DP_OUT_OF_MEMORY, also
 * for a work that has failed before.
 */
extern DpStatus dp_group_threshold_least(DpWork *work, const DpPowerRule *rule,
										 uint64_t *k);

#endif
