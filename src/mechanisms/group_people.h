/*
 * group_people.h
 *		Partition selection: groups of several privacy units alone.
 *
 * Owners may want that no group of fewer than h units is shown at all, whatever
 * the noise. So a group is shown only if it has at least h units and its noisy
 * count reaches t + (h-1) c, where t is the threshold of group_threshold.h or
 * gaussian_threshold.h, or truncated_count.h, for counts to which a unit adds c at
 * most. Where units
 * themselves are counted, c is 1, and that is to select by the number of units
 * beyond h - 1, of which none is never kept.
 *
 * Guarantee: the one of these thresholds, and no group of fewer than h units is
 * shown with any probability. Proof: a unit changes the number of units of a group
 * by one at most. So groups that one of two neighbouring data sets can show and the
 * other cannot have h units in one, and h - 1 in the other. They take the place of
 * the groups of a unit alone in the proofs of these files: they are at most as
 * many, since the unit is in each; the data set that has h - 1 units there shows
 * none of them; and in the other such a group counts at most h c, so it is shown
 * with a probability of P(X >= t - c) at most, as a group of a unit alone is. What
 * else is shown is, as there, a function of the noisy counts of groups that both
 * data sets can show, and independent of that; groups that neither can show are not
 * there for anybody. Nothing else in these proofs depends on which groups there are.
 * With truncated noise, a count of h - 1 units that becomes h is the first one there:
 * hidden surely in one, and shown with P(X = k) in the other, delta/N at most.
 *
 * Called pre-thresholding where differential privacy is combined with rules on the
 * least size of groups (Desfontaines, Voss, Gipson, Mandayam 2022,
 * arXiv:2006.03684, say how selections compare).
 */
#ifndef DP_MECHANISMS_GROUP_PEOPLE_H
#define DP_MECHANISMS_GROUP_PEOPLE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a group of so many units may be shown. people: h, at least 1. */
static inline bool
dp_group_people_suffice(int64_t units, uint32_t people)
{
	return units >= (int64_t) people;
}

/*
 * The threshold of counts of groups of at least h units, below 2^63. threshold: t,
 * at most 2^62. greatest: c. people: h; both 1 .. 2^31 - 1.
 */
static inline int64_t
dp_group_people_threshold(int64_t threshold, uint64_t greatest, uint32_t people)
{
	return threshold + (int64_t) ((people - 1) * greatest);
}

#endif
