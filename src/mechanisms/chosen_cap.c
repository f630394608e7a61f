/*
 * chosen_cap.c
 *		How many rows of a unit count, chosen privately.
 */
#include <math.h>

#include "mechanisms/chosen_cap.h"

/* More units than there are. */
#define THRESHOLD_MAX 1e18

void
dp_chosen_cap_init(DpAboveThreshold *walk, DpEpsilon epsilon, double rest,
				   DpNeighbours neighbours)
{
	double threshold = floor(1 / rest + 1.5 / dp_epsilon_to_double(epsilon));

	dp_above_threshold_init(walk, epsilon, neighbours,
							(uint64_t) fmin(threshold, THRESHOLD_MAX));
}

DpStatus
dp_chosen_cap_draw(DpRandom *random, const DpAboveThreshold *walk,
				   const uint64_t *exceeding, uint32_t most, uint32_t *cap)
{
	uint32_t count = dp_chosen_cap_candidates(most);
	size_t stop;

	DP_TRY(dp_above_threshold_draw(random, walk, exceeding, count, &stop));
	*cap = stop < count ? dp_chosen_cap_candidate((uint32_t) stop) : most;
	return DP_OK;
}
