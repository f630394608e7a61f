/*
 * rank_naive.c
 *		The rank-scored exponential mechanism by its definition.
 */
#include <math.h>

#include "support/rank_naive.h"

#define PIECES_MAX 2000

uint64_t
rank_naive_score(const DpRankMechanism *mechanism, int64_t target,
				 const int64_t *values, size_t count, int64_t point)
{
	int64_t below = 0;
	int64_t equal = 0;
	int64_t k = 0;
	size_t i;

	for (i = 0; i < count; i++)
	{
		below += values[i] < point;
		equal += values[i] == point;
	}
	if (DP_RANK_ONE * below - target > k)
		k = DP_RANK_ONE * below - target;
	if (target - DP_RANK_ONE * (below + equal) > k)
		k = target - DP_RANK_ONE * (below + equal);
	return (uint64_t) k < mechanism->cap ? (uint64_t) k : mechanism->cap;
}

long double
rank_naive_weight(const DpRankMechanism *mechanism, uint64_t k)
{
	return expl(-(long double) mechanism->epsilon.ticks / DP_EPSILON_ONE *
				(long double) k / (2 * (long double) mechanism->sensitivity));
}

void
rank_naive_distribution(const DpRankMechanism *mechanism, int64_t target,
						const int64_t *values, size_t count, int64_t lower,
						int64_t upper, double *probabilities)
{
	long double total = 0;
	int64_t v;

	for (v = lower; v <= upper; v++)
		total += rank_naive_weight(
			mechanism, rank_naive_score(mechanism, target, values, count, v));
	for (v = lower; v <= upper; v++)
		probabilities[v - lower] =
			(double) (rank_naive_weight(mechanism,
										rank_naive_score(mechanism, target,
														 values, count, v)) /
					  total);
}

bool
rank_piece_distribution(const DpRankMechanism *mechanism, int64_t target,
						int64_t *values, size_t count, int64_t lower,
						int64_t upper, double *probabilities)
{
	static DpRankPiece pieces[PIECES_MAX];
	size_t number = dp_rank_pieces(mechanism, target, values, count, lower,
								   upper, pieces, PIECES_MAX);
	long double total = 0;
	uint64_t points = 0;
	size_t i;
	uint64_t j;
	int64_t v;

	if (number > PIECES_MAX)
		return false;
	for (v = lower; v <= upper; v++)
		probabilities[v - lower] = -1;
	for (i = 0; i < number; i++)
	{
		total += rank_naive_weight(mechanism, pieces[i].k) *
				 (long double) pieces[i].points;
		points += pieces[i].points;
	}
	if (points != (uint64_t) (upper - lower) + 1)
		return false;
	for (i = 0; i < number; i++)
	{
		for (j = 0; j < pieces[i].points; j++)
		{
			v = pieces[i].start + (int64_t) j;
			if (v < lower || v > upper || probabilities[v - lower] >= 0)
				return false;
			probabilities[v - lower] =
				(double) (rank_naive_weight(mechanism, pieces[i].k) / total);
		}
	}
	return true;
}
