/*
 * sequential_choice.c
 *		Random choices in one pass.
 */
#include "samplers/sequential_choice.h"

DpStatus
dp_sequential_choice(DpRandom *random, uint64_t left, uint64_t wanted,
					 bool *chosen)
{
	uint64_t drawn = 0;
	DP_RECORD_CHOICE(random, left);

	if (wanted > 0 && wanted < left)
		DP_TRY(dp_random_below(random, left, &drawn));
	*chosen = drawn < wanted;
	return DP_OK;
}
