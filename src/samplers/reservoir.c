/*
 * reservoir.c
 *		Random choices of values.
 */
#include <string.h>

#include "samplers/reservoir.h"

DpStatus
dp_reservoir_slot(DpRandom *random, uint64_t seen, uint64_t limit,
				  uint64_t *slot)
{
	*slot = seen;
	if (seen < limit)
		return DP_OK;
	DP_RECORD_CHOICE(random, (dp_int128) seen);
	DP_TRY(dp_random_below(random, seen + 1, slot));
	if (*slot > limit)
		*slot = limit;
	return DP_OK;
}

/* Removes a random one of the values. */
static DpStatus
take(DpRandom *random, int64_t *values, uint64_t *count, int64_t *value)
{
	uint64_t slot;

	DP_TRY(dp_random_below(random, *count, &slot));
	(*count)--;
	*value = values[slot];
	values[slot] = values[*count];
	return DP_OK;
}

DpStatus
dp_reservoir_join(DpRandom *random, uint64_t limit, int64_t *a, uint64_t a_seen,
				  int64_t *b, uint64_t b_seen, int64_t *joined)
{
	uint64_t a_count = a_seen < limit ? a_seen : limit;
	uint64_t b_count = b_seen < limit ? b_seen : limit;
	uint64_t i;
	DP_RECORD_CHOICE(random, (dp_int128) a_seen + b_seen);

	if (a_seen <= limit && b_seen <= limit - a_seen)
	{
		memcpy(joined, a, a_count * sizeof(int64_t));
		memcpy(joined + a_count, b, b_count * sizeof(int64_t));
		return DP_OK;
	}

	/*
	 * Draws from all values seen, one after the other, without replacement.
	 * Only the number of draws from a's side depends on what a saw and did not
	 * keep; the values drawn are random ones of those that it kept.
	 */
	for (i = 0; i < limit; i++)
	{
		uint64_t slot;

		DP_TRY(dp_random_below(random, a_seen + b_seen, &slot));
		if (slot < a_seen)
		{
			a_seen--;
			DP_TRY(take(random, a, &a_count, &joined[i]));
		}
		else
		{
			b_seen--;
			DP_TRY(take(random, b, &b_count, &joined[i]));
		}
	}
	return DP_OK;
}
