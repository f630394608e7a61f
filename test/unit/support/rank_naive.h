/*
 * rank_naive.h
 *		The rank-scored exponential mechanism by its definition.
 *
 * Point by point and in long doubles: slow, short, and independent of the
 * pieces, windows and enclosures of the real one.
 */
#ifndef RANK_NAIVE_H
#define RANK_NAIVE_H

#include "samplers/rank_exponential.h"

/* k of a grid point: min(cap, max(0, F L - t, t - F (L + c))). */
extern uint64_t rank_naive_score(const DpRankMechanism *mechanism,
								 int64_t target, const int64_t *values,
								 size_t count, int64_t point);

/* exp(-epsilon k / (2 S)) */
extern long double rank_naive_weight(const DpRankMechanism *mechanism,
									 uint64_t k);

/* P(lower + i) for every point of lower .. upper. */
extern void rank_naive_distribution(const DpRankMechanism *mechanism,
									int64_t target, const int64_t *values,
									size_t count, int64_t lower, int64_t upper,
									double *probabilities);

/*
 * The same from dp_rank_pieces, as the draw sees it; values are reordered.
 * False when the pieces are not a partition of lower .. upper.
 */
extern bool rank_piece_distribution(const DpRankMechanism *mechanism,
									int64_t target, int64_t *values,
									size_t count, int64_t lower, int64_t upper,
									double *probabilities);

#endif
