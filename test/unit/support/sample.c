/*
 * sample.c
 *		Draws of signed integers, counted into cells.
 */
#include <math.h>

#include "support/sample.h"

#define REACH_MAX 5000
#define BINS 64

bool
sample_fits(DpRandom *random, SampleDraw draw, SamplePmf pmf,
			const void *context, int reach, uint64_t draws, const char *name)
{
	uint64_t counts[2 * REACH_MAX + 1] = {0};
	double probabilities[2 * REACH_MAX + 1];
	uint64_t i;
	int z;

	if (reach > REACH_MAX)
		return ok(false, "%s: reach %d", name, reach);
	for (i = 0; i < draws; i++)
	{
		dp_int128 value;

		if (draw(random, context, &value) != DP_OK)
			return ok(false, "%s: draw %llu failed", name,
					  (unsigned long long) i);
		if (value >= -reach && value <= reach)
			counts[(int) value + reach]++;
	}
	for (z = -reach; z <= reach; z++)
		probabilities[z + reach] = pmf(context, z);
	return fits(counts, probabilities, 2 * (size_t) reach + 1, draws, "%s",
				name);
}

bool
sample_fits_binned(DpRandom *random, SampleDraw draw, SampleBelow below,
				   const void *context, double width, uint64_t draws,
				   const char *name)
{
	uint64_t counts[BINS] = {0};
	double probabilities[BINS];
	double step = ceil(width);
	double low = -step * BINS / 2;
	uint64_t i;
	int bin;

	for (i = 0; i < draws; i++)
	{
		dp_int128 value;
		dp_int128 place;

		if (draw(random, context, &value) != DP_OK)
			return ok(false, "%s: draw %llu failed", name,
					  (unsigned long long) i);
		place = value - (dp_int128) low;
		if (place >= 0 && place / (dp_int128) step < BINS)
			counts[(int) (place / (dp_int128) step)]++;
	}
	/* the cell holds low + bin * step up to, without, the next */
	for (bin = 0; bin < BINS; bin++)
		probabilities[bin] = below(context, low + (bin + 1) * step - 1) -
							 below(context, low + bin * step - 1);
	return fits(counts, probabilities, BINS, draws, "%s", name);
}
