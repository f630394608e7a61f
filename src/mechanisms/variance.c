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
	uint64_t greatest = DP_SENSITIVITY_MAX / exchange / contribution.rows;
	uint64_t sensitivity = 1; /* nothing to hide, but a name is checked */

	if (span > DP_VARIANCE_SPAN_MAX || span * span > greatest)
		return DP_SENSITIVITY_OUT_OF_RANGE;
	if (span > 0)
		sensitivity = exchange * contribution.rows * span * span;
	variance->span = span;
	DP_TRY(dp_vector_noise_init(&variance->noise, choice, epsilon, sensitivity,
								3, contribution));
	variance->mechanism = variance->noise.mechanism;
	return DP_OK;
}

/* A noisy sum as a double, not negative: what it stands for is not. */
static DpStatus
draw_sum(DpRandom *random, const DpVariance *variance, dp_int128 sum,
		 double *noisy)
{
	DP_TRY(dp_noise_add(random, &variance->noise, sum, &sum));
	*noisy = sum > 0 ? (double) sum : 0;
	return DP_OK;
}

DpStatus
dp_variance_draw(DpRandom *random, const DpVariance *variance, dp_int128 sum,
				 dp_int128 squares, int64_t count, double *result)
{
	dp_int128 m = (dp_int128) variance->span;
	double square = (double) variance->span * (double) variance->span;
	double b0;
	double b1;
	double b2;
	double total;
	double rows;

	*result = 0;
	if (variance->span == 0)
		return DP_OK;
	DP_TRY(
		draw_sum(random, variance, count * m * m - 2 * m * sum + squares, &b0));
	DP_TRY(draw_sum(random, variance, 2 * m * sum - 2 * squares, &b1));
	DP_TRY(draw_sum(random, variance, squares, &b2));

	/* From here on all is released: doubles do. */
	total = b0 + b1 + b2;
	if (!(total > 0))
		return DP_OK;
	rows = fmax(total / square, 2);
	b0 /= total;
	b1 /= total;
	b2 /= total;
	*result =
		square * fmin(fmax(b0 * b2 - b1 * b1 / 4, 0), 0.25) * rows / (rows - 1);
	return DP_OK;
}
