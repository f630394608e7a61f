/*
 * reservoir.h
 *		A uniform random choice of a limited number of values.
 *
 * Values come one after the other; the first `limit` are kept, and each later
 * one takes the place of a random one with probability limit / (number seen).
 * At every time each subset of `limit` of the values seen is kept with the
 * same probability, exactly (Vitter 1985, algorithm R). Nothing is drawn while
 * no more than `limit` have come.
 */
#ifndef DP_SAMPLERS_RESERVOIR_H
#define DP_SAMPLERS_RESERVOIR_H

#include "random/source.h"

/*
 * Where to put the next value, 0 .. limit - 1; `limit` when it is left out.
 * seen: how many came before it; limit: at least 1. Errors: DP_RANDOM_FAILED.
 */
extern DpStatus dp_reservoir_slot(DpRandom *random, uint64_t seen,
								  uint64_t limit, uint64_t *slot);

/*
 * Joins two choices of disjoint values into one of all of them: what one
 * reservoir for both would have kept, in distribution.
 *
 * a, b: min(limit, a_seen) and min(limit, b_seen) values; they are reordered.
 * joined: room for `limit` values; gets min(limit, a_seen + b_seen) of them.
 * a_seen + b_seen < 2^63. Errors: DP_RANDOM_FAILED.
 */
extern DpStatus dp_reservoir_join(DpRandom *random, uint64_t limit, int64_t *a,
								  uint64_t a_seen, int64_t *b, uint64_t b_seen,
								  int64_t *joined);

#endif
