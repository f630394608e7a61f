/*
 * median.c
 *		Choice among the mechanisms of medians.
 */
#include "mechanisms/median.h"

DpStatus
dp_median_init(DpMedian *median, const DpMechanismChoice *choice,
			   DpEpsilon epsilon, const DpGrid *grid,
			   DpContribution contribution)
{
	median->mechanism =
		choice->mechanism == DP_AUTO ? DP_EXPONENTIAL : choice->mechanism;
	if (median->mechanism != DP_EXPONENTIAL)
		return dp_smooth_init(&median->smooth, choice, epsilon,
							  dp_grid_span(grid), contribution);
	if (choice->rank >= 0)
		return DP_PARAMETER_OUT_OF_RANGE;
	return dp_quantile_init(&median->quantile, 0.5, epsilon, contribution);
}

DpStatus
dp_median_rho(const DpMedian *median, DpEpsilon epsilon,
			  DpContribution contribution, DpRho *rho)
{
	if (median->mechanism == DP_EXPONENTIAL)
		return dp_quantile_rho(epsilon, contribution, rho);
	return dp_zcdp_of_pure(epsilon, dp_contribution_groups(contribution), rho);
}

DpStatus
dp_median_draw(DpRandom *random, DpMedian *median, int64_t *values,
			   size_t count, int64_t lower, int64_t upper, int64_t *result)
{
	DpPoints points = dp_points_of_array(values, count);

	return dp_median_draw_points(random, median, &points, lower, upper, result);
}

DpStatus
dp_median_draw_points(DpRandom *random, DpMedian *median, DpPoints *points,
					  int64_t lower, int64_t upper, int64_t *result)
{
	if (median->mechanism == DP_EXPONENTIAL)
		return dp_quantile_draw_points(random, &median->quantile, points, lower,
									   upper, result);
	return dp_smooth_draw_points(random, &median->smooth, points, lower, upper,
								 result);
}
