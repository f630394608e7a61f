/*
 * above_threshold.c
 *		One-sided sparse vector.
 */
#include "mechanisms/above_threshold.h"
#include "samplers/geometric.h"

void
dp_above_threshold_init(DpAboveThreshold *walk, DpEpsilon epsilon,
						DpNeighbours neighbours, uint64_t threshold)
{
	walk->threshold = threshold;
	walk->s = epsilon.units;
	walk->t_threshold = 2 * DP_EPSILON_ONE;
	walk->t_counts = (neighbours == DP_SUBSTITUTE ? 4 : 2) * DP_EPSILON_ONE;
}

DpStatus
dp_above_threshold_draw(DpRandom *random, const DpAboveThreshold *walk,
						const uint64_t *counts, size_t n, size_t *stop)
{
	dp_uint128 nu;
	size_t i;

	DP_TRY(dp_geometric_draw(random, walk->s, walk->t_threshold, &nu));
	for (i = 0; i < n; i++)
	{
		dp_uint128 noise;

		DP_TRY(dp_geometric_draw(random, walk->s, walk->t_counts, &noise));
		if (counts[i] + nu <= walk->threshold + noise)
			break;
	}
	*stop = i;
	return DP_OK;
}
