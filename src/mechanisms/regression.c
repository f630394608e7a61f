/*
 * regression.c
 *		Private moments of two columns.
 */
#include <math.h>

#include "mechanisms/regression.h"

/* The greatest total of what a row adds. */
#define ROW_STEPS_MAX ((dp_uint128) 1 << 40)

DpStatus
dp_regression_init(DpRegression *regression, const DpMechanismChoice *choice,
				   DpEpsilon epsilon, const uint64_t spans[2],
				   DpContribution contribution)
{
	uint64_t exchange =
		dp_contribution_within(contribution) == DP_SUBSTITUTE ? 2 : 1;
	uint64_t greatest = dp_noise_greatest_sensitivity(contribution) / exchange /
						contribution.rows;
	dp_uint128 total = 1;
	int i;

	if (greatest == 0)
		return DP_SENSITIVITY_OUT_OF_RANGE;
	for (i = 0; i < 2; i++)
	{
		if (spans[i] > DP_REGRESSION_SPAN_MAX)
			return DP_SENSITIVITY_OUT_OF_RANGE;
		regression->spans[i] = spans[i] > 0 ? spans[i] : 1;
		total *= regression->spans[i] * regression->spans[i];
	}
	regression->shift = 0;
	while (total >> regression->shift > ROW_STEPS_MAX)
		regression->shift++;
	regression->row_steps = (uint64_t) (total >> regression->shift);
	regression->rows = contribution.rows;
	regression->steps = regression->row_steps;
	if (contribution.rows > 1 && greatest < regression->steps)
		regression->steps = greatest;
	DP_TRY(
		dp_vector_noise_init(&regression->noise, choice, epsilon,
							 exchange * contribution.rows * regression->steps,
							 DP_REGRESSION_SUMS, contribution));
	regression->mechanism = regression->noise.mechanism;
	return DP_OK;
}

/* The three polynomials of a value. */
static void
polynomials_of(uint64_t span, int64_t value, uint64_t terms[3])
{
	uint64_t y = value < 0				   ? 0
				 : (uint64_t) value > span ? span
										   : (uint64_t) value;

	terms[0] = (span - y) * (span - y);
	terms[1] = 2 * y * (span - y);
	terms[2] = y * y;
}

void
dp_regression_add_row(const DpRegression *regression, int64_t u, int64_t v,
					  DpPairs *pairs)
{
	uint64_t b[3];
	uint64_t c[3];
	int i;

	polynomials_of(regression->spans[0], u, b);
	polynomials_of(regression->spans[1], v, c);
	for (i = 0; i < DP_REGRESSION_KEPT; i++)
		pairs->sums[i] +=
			(dp_int128) ((dp_uint128) b[i / 3] * c[i % 3] >> regression->shift);
	pairs->count++;
}

/* All nine sums, none negative and this much in all. */
static void
complete(const DpPairs *pairs, dp_int128 total,
		 dp_int128 sums[DP_REGRESSION_SUMS])
{
	int i;

	for (i = 0; i < DP_REGRESSION_KEPT; i++)
	{
		sums[i] = dp_int128_clamp(pairs->sums[i], 0, total);
		total -= sums[i];
	}
	sums[DP_REGRESSION_KEPT] = total;
}

void
dp_regression_unit_of(const DpRegression *regression, const DpPairs *rows,
					  DpPairs *unit)
{
	dp_int128 sums[DP_REGRESSION_SUMS];
	int64_t weight;
	int i;

	*unit = (DpPairs){0};
	if (rows->count <= 0)
		return;
	complete(rows, (dp_int128) regression->row_steps * rows->count, sums);
	weight = rows->count < (int64_t) regression->rows
				 ? rows->count
				 : (int64_t) regression->rows;
	unit->count = weight;
	for (i = 0; i < DP_REGRESSION_KEPT; i++)
	{
		/* At most 2^31 rows of 2^40, times 2^40. */
		dp_int128 scaled = weight * (sums[i] / rows->count) +
						   weight * (sums[i] % rows->count) / rows->count;

		unit->sums[i] = scaled * (dp_int128) regression->steps /
						(dp_int128) regression->row_steps;
	}
}

DpStatus
dp_regression_draw_sums(DpRandom *random, const DpRegression *regression,
						const DpPairs *pairs,
						dp_int128 sums[DP_REGRESSION_SUMS])
{
	int i;

	complete(pairs,
			 (dp_int128) regression->steps *
				 (pairs->count > 0 ? pairs->count : 0),
			 sums);
	for (i = 0; i < DP_REGRESSION_SUMS; i++)
		DP_TRY(dp_noise_add(random, &regression->noise, sums[i], &sums[i]));
	return DP_OK;
}

static double
within(double x, double lower, double upper)
{
	return fmin(fmax(x, lower), upper);
}

DpMoments
dp_regression_moments(const DpRegression *regression,
					  const dp_int128 sums[DP_REGRESSION_SUMS])
{
	DpMoments moments = {0};
	double total = 0;
	double squares[2] = {0, 0};
	double limit;
	int i;

	for (i = 0; i < DP_REGRESSION_SUMS; i++)
		total += (double) sums[i];
	if (!(total > 0))
		return moments;
	moments.rows = total / (double) regression->steps;
	for (i = 0; i < DP_REGRESSION_SUMS; i++)
	{
		double share = (double) sums[i] / total;
		int of[2] = {i / 3, i % 3};
		int k;

		for (k = 0; k < 2; k++)
		{
			moments.means[k] += share * of[k] / 2;
			squares[k] += of[k] == 2 ? share : 0;
		}
		moments.covariance += share * of[0] * of[1] / 4;
	}
	moments.covariance -= moments.means[0] * moments.means[1];
	for (i = 0; i < 2; i++)
	{
		moments.variances[i] =
			within(squares[i] - moments.means[i] * moments.means[i], 0, 0.25);
		moments.means[i] = within(moments.means[i], 0, 1);
	}
	limit = sqrt(moments.variances[0] * moments.variances[1]);
	moments.covariance = within(moments.covariance, -limit, limit);
	return moments;
}
