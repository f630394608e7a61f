/*
 * quantile.c
 *		Quantiles as ranks to find.
 */
#include <math.h>

#include "mechanisms/quantile.h"

DpStatus
dp_quantile_init(DpQuantile *quantile, double fraction, DpEpsilon epsilon,
				 DpContribution contribution)
{
	if (!(fraction >= 0 && fraction <= 1))
		return DP_PARAMETER_OUT_OF_RANGE;
	quantile->fraction = (int64_t) rint(fraction * (double) DP_RANK_ONE);
	DP_TRY(dp_contribution_share(contribution, contribution.rows, epsilon,
								 &epsilon));
	return dp_rank_init(
		&quantile->rank,
		dp_sensitivity_rank(quantile->fraction,
							dp_contribution_within(contribution)),
		epsilon, DP_RANK_DRAW_BITS);
}

DpStatus
dp_quantile_rho(DpEpsilon epsilon, DpContribution contribution, DpRho *rho)
{
	return dp_zcdp_of_bounded_range(epsilon,
									dp_contribution_groups(contribution), rho);
}

double
dp_rank_error(const DpRankMechanism *rank, double points, double tail)
{
	return ceil(2 * (double) rank->sensitivity / (double) DP_RANK_ONE /
				dp_epsilon_to_double(rank->epsilon) * log(points / tail));
}

DpStatus
dp_quantile_draw(DpRandom *random, DpQuantile *quantile, int64_t *values,
				 size_t count, int64_t lower, int64_t upper, int64_t *result)
{
	DpPoints points = dp_points_of_array(values, count);

	return dp_quantile_draw_points(random, quantile, &points, lower, upper,
								   result);
}

DpStatus
dp_quantile_draw_points(DpRandom *random, DpQuantile *quantile,
						DpPoints *points, int64_t lower, int64_t upper,
						int64_t *result)
{
	return dp_rank_draw_points(random, &quantile->rank,
							   quantile->fraction * (int64_t) points->count,
							   points, lower, upper, result);
}
