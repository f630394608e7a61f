/*
 * mean.c
 *		Private means.
 */
#include "mechanisms/mean.h"
#include "mechanisms/vector_noise.h"

/* sensitivity: of (A, B), in L1, to one unit in one group. */
static DpStatus
init(DpMean *mean, const DpMechanismChoice *choice, DpEpsilon epsilon,
	 const DpGrid *grid, uint64_t sensitivity, DpContribution contribution)
{
	mean->mechanism = choice->mechanism;
	mean->lower = grid->lower;
	mean->span = dp_grid_span(grid);
	if (mean->span == 0)
	{
		/* Nothing needs noise, but a wrong mechanism is still refused. */
		sensitivity = 1;
	}
	if (choice->mechanism == DP_TWO_STAGE)
	{
		DP_TRY(dp_contribution_share(contribution, 1, epsilon, &epsilon));
		return dp_two_stage_init(&mean->two_stage, choice, epsilon,
								 contribution.rows == 1 &&
									 dp_contribution_within(contribution) ==
										 DP_ADD_REMOVE);
	}
	DP_TRY(dp_vector_noise_init(&mean->noise, choice, epsilon, sensitivity, 2,
								contribution));
	mean->mechanism = mean->noise.mechanism;
	return DP_OK;
}

DpStatus
dp_mean_init(DpMean *mean, const DpMechanismChoice *choice, DpEpsilon epsilon,
			 const DpGrid *grid, DpContribution contribution)
{
	mean->steps = dp_grid_span(grid);
	return init(mean, choice, epsilon, grid,
				dp_sensitivity_mean(grid, dp_contribution_within(contribution)),
				contribution);
}

DpStatus
dp_mean_init_units(DpMean *mean, const DpMechanismChoice *choice,
				   DpEpsilon epsilon, const DpGrid *grid,
				   DpContribution contribution)
{
	DP_TRY(dp_unit_mean_init(&mean->unit, grid, contribution));
	mean->steps = mean->unit.steps;
	return init(mean, choice, epsilon, grid, mean->unit.sensitivity,
				contribution);
}

DpStatus
dp_mean_rho(const DpMean *mean, DpEpsilon epsilon, DpContribution contribution,
			DpRho *rho)
{
	if (mean->mechanism == DP_TWO_STAGE)
		return dp_zcdp_of_pure(epsilon, dp_contribution_groups(contribution),
							   rho);
	return dp_noise_rho(&mean->noise, 2, contribution, rho);
}

static DpStatus
draw_two_stage(DpRandom *random, const DpMean *mean, dp_int128 a, dp_int128 all,
			   dp_int128 sums[2])
{
	uint64_t level;

	/* Without rows, the middle. */
	DP_TRY(dp_two_stage_draw(random, &mean->two_stage, all > 0 ? a : 1,
							 all > 0 ? all : 2, &level));
	sums[0] = level;
	sums[1] = (dp_int128) mean->two_stage.levels - 1;
	return DP_OK;
}

DpStatus
dp_mean_draw_sums(DpRandom *random, const DpMean *mean, dp_int128 sum,
				  int64_t count, dp_int128 sums[2])
{
	dp_int128 all = (dp_int128) mean->steps * (count > 0 ? count : 0);
	dp_int128 a = dp_int128_clamp(sum, 0, all);
	dp_int128 b = all - a;

	sums[0] = 0;
	sums[1] = 1;
	if (mean->span == 0)
		return DP_OK;
	if (mean->mechanism == DP_TWO_STAGE)
		return draw_two_stage(random, mean, a, all, sums);

	sums[0] = a;
	sums[1] = b;
	DP_TRY(dp_noise_add_all(random, &mean->noise, 2, sums));
	sums[1] = dp_int128_add_saturating(sums[0], sums[1]);
	return DP_OK;
}

void
dp_mean_of_sums(const dp_int128 sums[2], DpFraction *fraction)
{
	fraction->numerator = 1;
	fraction->denominator = 2;
	if (sums[1] <= 0)
		return;
	fraction->numerator = dp_int128_clamp(sums[0], 0, sums[1]);
	fraction->denominator = sums[1];
}

DpStatus
dp_mean_draw(DpRandom *random, const DpMean *mean, dp_int128 sum, int64_t count,
			 DpFraction *fraction)
{
	dp_int128 sums[2];

	DP_TRY(dp_mean_draw_sums(random, mean, sum, count, sums));
	dp_mean_of_sums(sums, fraction);
	return DP_OK;
}
