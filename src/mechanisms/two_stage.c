/*
 * two_stage.c
 *		Rounding to levels, noise among them, and the error of both.
 */
#include <math.h>

#include "mechanisms/two_stage.h"

#define TAIL 0.05

DpStatus
dp_two_stage_init(DpTwoStage *prepared, const DpMechanismChoice *choice,
				  DpEpsilon epsilon, bool half)
{
	DpMechanismChoice geometric = {.mechanism = DP_GEOMETRIC};
	uint64_t parts;

	if (!(choice->levels >= 2 && choice->levels <= DP_LEVELS_MAX))
		return DP_PARAMETER_OUT_OF_RANGE;
	prepared->levels = (uint64_t) choice->levels;
	prepared->half = half;
	parts = prepared->levels - 1;
	return dp_noise_init(&prepared->noise, &geometric, epsilon,
						 half ? (parts + 1) / 2 : parts);
}

DpStatus
dp_two_stage_draw(DpRandom *random, const DpTwoStage *prepared,
				  dp_int128 numerator, dp_int128 denominator, uint64_t *level)
{
	dp_int128 last = (dp_int128) prepared->levels - 1;
	dp_int128 answer;

	/* floor(last x + 1/2) */
	answer = (2 * last * numerator + denominator) / (2 * denominator);
	DP_TRY(dp_noise_add(random, &prepared->noise, answer, &answer));
	*level = (uint64_t) dp_int128_clamp(answer, 0, last);
	return DP_OK;
}

double
dp_two_stage_pmf(const DpTwoStage *prepared, uint64_t from, uint64_t to)
{
	double x = (double) prepared->noise.s / (double) prepared->noise.t;
	double distance = fabs((double) to - (double) from);

	/* The ends collect all that lies beyond them: P(Z >= z) = a^z / (1 + a). */
	if (to == 0 || to == prepared->levels - 1)
	{
		double beyond = exp(-x * distance) / (1 + exp(-x));

		return distance > 0 ? beyond : 1 / (1 + exp(-x));
	}
	return dp_noise_pmf(&prepared->noise, distance);
}

/*
 * The error where the truth is `rest` of a part (-1/2 .. 1/2) above level
 * `from`; in parts between two levels.
 */
static void
error_at(const DpTwoStage *prepared, uint64_t from, double rest, DpError *error)
{
	double absolute = 0;
	double square = 0;
	double inside = 0;
	uint64_t distance;
	uint64_t to;

	for (to = 0; to < prepared->levels; to++)
	{
		double off = fabs((double) to - (double) from - rest);
		double p = dp_two_stage_pmf(prepared, from, to);

		absolute += p * off;
		square += p * off * off;
	}
	error->mean_absolute = absolute;
	error->root_mean_square = sqrt(square);
	error->half_width_95 = 0;

	/* Outwards from the truth, of two levels the nearer one first. */
	for (distance = 0; distance < prepared->levels; distance++)
	{
		int side;

		for (side = 0; side < (distance == 0 ? 1 : 2); side++)
		{
			bool above = (side == 0) == (rest > 0);

			if (above ? from + distance >= prepared->levels : from < distance)
				continue;
			to = above ? from + distance : from - distance;
			inside += dp_two_stage_pmf(prepared, from, to);
			error->half_width_95 = fabs((double) to - (double) from - rest);
			if (inside >= 1 - TAIL)
				return;
		}
	}
}

void
dp_two_stage_error(const DpTwoStage *prepared, DpError *error)
{
	double parts = (double) prepared->levels - 1;
	uint64_t from;
	int side;

	*error = (DpError){0};
	for (from = 0; from < prepared->levels; from++)
	{
		/* Each error is convex in the rest, so greatest at an end of it. */
		for (side = -1; side <= 1; side++)
		{
			DpError here;

			if ((from == 0 && side < 0) ||
				(from == prepared->levels - 1 && side > 0))
				continue;
			error_at(prepared, from, side * 0.5, &here);
			error->mean_absolute =
				fmax(error->mean_absolute, here.mean_absolute / parts);
			error->root_mean_square =
				fmax(error->root_mean_square, here.root_mean_square / parts);
			error->half_width_95 =
				fmax(error->half_width_95, here.half_width_95 / parts);
		}
	}
}
