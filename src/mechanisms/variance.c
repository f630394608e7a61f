/*
 * variance.c
 *		Private variances.
 */
#include <math.h>

#include "mechanisms/variance.h"

DpStatus
dp_variance_init(DpVariance *variance, const DpMechanismChoice *choice,
				 DpEpsilon epsilon, uint64_t span, DpContribution contribution)
{
	uint64_t exchange =
		dp_contribution_within(contribution) == DP_SUBSTITUTE ? 2 : 1;
	uint64_t greatest = dp_noise_greatest_sensitivity(contribution) / exchange /
						contribution.rows;

	if (span > DP_VARIANCE_SPAN_MAX || greatest == 0)
		return DP_SENSITIVITY_OUT_OF_RANGE;
	variance->of_population = false;
	variance->span = span;
	variance->rows = contribution.rows;
	variance->steps = span * span < greatest ? span * span : greatest;
	if (contribution.rows == 1)
		variance->steps = span * span;

	/*
	 * Without a span nothing needs noise, but the mechanism is still checked.
	 */
	DP_TRY(dp_vector_noise_init(
		&variance->noise, choice, epsilon,
		span == 0 ? 1 : exchange * contribution.rows * variance->steps, 3,
		contribution));
	variance->mechanism = variance->noise.mechanism;
	return DP_OK;
}

/* floor(weight part / count) in steps: part is of count rows of M^2 each. */
static dp_int128
share_of(const DpVariance *variance, dp_int128 part, int64_t count,
		 int64_t weight)
{
	dp_int128 square = (dp_int128) variance->span * variance->span;
	dp_int128 scaled =
		weight * (part / count) + weight * (part % count) / count;

	/* At most 2^31 rows of 2^40, times 2^42. */
	return scaled * variance->steps / square;
}

void
dp_variance_unit_of(const DpVariance *variance, const DpSpread *rows,
					DpSpread *unit)
{
	dp_int128 total = (dp_int128) variance->span * variance->span;
	dp_int128 squares;
	dp_int128 half;

	*unit = (DpSpread){0};
	if (rows->count <= 0 || variance->span == 0)
		return;
	total *= rows->count;
	squares = dp_int128_clamp(rows->squares, 0, total);
	half = dp_int128_clamp(rows->half, 0, (total - squares) / 2);
	unit->count = rows->count < (int64_t) variance->rows
					  ? rows->count
					  : (int64_t) variance->rows;
	unit->squares = share_of(variance, squares, rows->count, unit->count);
	unit->half = share_of(variance, half, rows->count, unit->count);
}

DpStatus
dp_variance_draw_sums(DpRandom *random, const DpVariance *variance,
					  const DpSpread *spread, dp_int128 sums[3])
{
	dp_int128 all =
		(dp_int128) variance->steps * (spread->count > 0 ? spread->count : 0);
	dp_int128 squares = dp_int128_clamp(spread->squares, 0, all);
	dp_int128 half = dp_int128_clamp(spread->half, 0, (all - squares) / 2);

	sums[0] = sums[1] = sums[2] = 0;
	if (variance->span == 0)
		return DP_OK;
	sums[0] = all - 2 * half - squares;
	sums[1] = 2 * half;
	sums[2] = squares;
	return dp_noise_add_all(random, &variance->noise, 3, sums);
}

/* A noisy sum as a double, clamped to 0, since the true sum is not negative. */
static double
not_negative(dp_int128 sum)
{
	return sum > 0 ? (double) sum : 0;
}

double
dp_variance_of_sums(const DpVariance *variance, const dp_int128 sums[3])
{
	double square = (double) variance->span * (double) variance->span;
	double b0 = not_negative(sums[0]);
	double b1 = not_negative(sums[1]);
	double b2 = not_negative(sums[2]);
	double total = b0 + b1 + b2;
	double rows;

	if (!(total > 0))
		return 0;
	rows = fmax(total / (double) variance->steps, 2);
	b0 /= total;
	b1 /= total;
	b2 /= total;
	square *= fmin(fmax(b0 * b2 - b1 * b1 / 4, 0), 0.25);
	return variance->of_population ? square : square * rows / (rows - 1);
}

DpStatus
dp_variance_draw(DpRandom *random, const DpVariance *variance,
				 const DpSpread *spread, double *result)
{
	dp_int128 sums[3];

	DP_TRY(dp_variance_draw_sums(random, variance, spread, sums));
	*result = dp_variance_of_sums(variance, sums);
	return DP_OK;
}
