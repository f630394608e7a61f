/*
 * deciding_count.h
 *		The mechanism of a count that selects groups, and is an answer, too.
 *
 * A count that leaves its mechanism open has geometric noise, of which each of the m
 * groups of a unit gets its part of epsilon. Where it also selects groups by private
 * keys, a delta is paid in any case, and Gaussian noise may use that
 * (mechanisms/gaussian_threshold.h): then noise and threshold have epsilon and delta
 * together, which is what geometric noise and its threshold cost. It is taken where
 * both the threshold and the noise are less: for epsilon 1, delta 1e-6 and m = 20 the
 * threshold is 103 instead of 324, and 95% of the answers err by 37 at most instead of
 * 60. The first is so from m = 3 on, the second from m = 8 on.
 *
 * That follows from the question, the settings and what owners declared, never from
 * rows. A mechanism that is named is drawn. Counts to which a unit adds several rows
 * have staircase noise, which cannot decide; they remain as they are. So do counts
 * beside public keys; budgets that all count rho have Gaussian noise without this.
 *
 * Only selections are by such noise: where the groups are those of a stored answer, a
 * new count is drawn as without them, and has no delta.
 */
#ifndef DP_GATE_RELEASE_DECIDING_COUNT_H
#define DP_GATE_RELEASE_DECIDING_COUNT_H

#include "gate/release/release_state.h"

/*
 * Sets the mechanism of the count that is going to decide, in the terms. Returns its
 * number; -1: all are as they were asked for. To be called before
 * dp_group_selection_prepare, once.
 */
extern int dp_deciding_count_choose(DpReleaseState *state);

/* Hands mechanisms over to the aggregates of the inner statement, before it is run. */
extern void dp_deciding_count_hand_over(DpReleaseState *state);

#endif
