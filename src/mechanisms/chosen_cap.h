/*
 * chosen_cap.h
 *		How many rows of a unit count, chosen privately.
 *
 * Candidates are the powers of two below a public maximum, then that maximum. A walk
 * (above_threshold.h) over the numbers of units that have more rows than each of them
 * stops at the first that about so few units exceed, and the last one stands for all
 * that are left.
 *
 * A cap c cuts off the rows that units have beyond it, and the noise of what is asked
 * next at an epsilon r is about c/r. With one more row for each unit, the first falls
 * by the number of units that exceed c, the second rises by 1/r: so they are about
 * equal where 1/r units exceed it. The noise of a walk at an epsilon b, too, must be
 * allowed for: 1.5/b is added. Of thresholds x/r + y/b, x = 1 and less of y have lesser
 * medians of errors, more of y has lesser means, as fewer walks pass by all that nobody
 * exceeds; this one is near the best of both (bench/accuracy.c).
 *
 * Guarantee: epsilon-DP, if one unit changes each number by 0 or 1, as each unit
 * counts once, by the group in which it has the most rows; the proof is
 * above_threshold.h's.
 */
#ifndef DP_MECHANISMS_CHOSEN_CAP_H
#define DP_MECHANISMS_CHOSEN_CAP_H

#include "mechanisms/above_threshold.h"

/* More than there are candidates below any maximum. */
#define DP_CHOSEN_CAP_MAX 32

/* How many candidates there are below a maximum; each by its number, from 0. */
static inline uint32_t
dp_chosen_cap_candidates(uint32_t most)
{
	uint32_t count = 0;

	while (((uint64_t) 1 << count) < most)
		count++;
	return count;
}

static inline uint32_t
dp_chosen_cap_candidate(uint32_t number)
{
	return (uint32_t) 1 << number;
}

/* Prepares the walk. rest: r, the epsilon of what is asked within the cap. */
extern void dp_chosen_cap_init(DpAboveThreshold *walk, DpEpsilon epsilon,
							   double rest, DpNeighbours neighbours);

/*
 * Chooses a cap, 1 .. most. exceeding: for each candidate below it, how many units
 * have more rows. Errors: DP_RANDOM_FAILED.
 */
extern DpStatus dp_chosen_cap_draw(DpRandom *random,
								   const DpAboveThreshold *walk,
								   const uint64_t *exceeding, uint32_t most,
								   uint32_t *cap);

#endif
