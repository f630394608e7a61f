/*
 * mean.c
 *		Private means.
 */
#include "mechanisms/expected_error.h"
#include "mechanisms/mean.h"

static bool
is_vector_noise(DpMechanism mechanism)
{
	return mechanism == DP_LAPLACE || mechanism == DP_GEOMETRIC ||
		   mechanism == DP_GAUSSIAN;
}

/* Prepares a mechanism by its name, with all of epsilon or half of it. */
static DpStatus
init_named(DpNoise *noise, const DpMechanismChoice *choice, DpEpsilon epsilon,
		   uint64_t sensitivity, DpContribution contribution)
{
	if (!is_vector_noise(choice->mechanism))
	{
		epsilon.units /= 2;
		if (epsilon.units == 0)
			return DP_EPSILON_OUT_OF_RANGE;
	}
	return dp_noise_init_groups(noise, choice, epsilon, sensitivity,
								contribution);
}

/* Laplace, or the staircase where its squared error is smaller. */
static DpStatus
init_best(DpNoise *noise, DpEpsilon epsilon, uint64_t sensitivity,
		  DpContribution contribution)
{
	DpMechanismChoice laplace = {.mechanism = DP_LAPLACE};
	DpMechanismChoice staircase = {.mechanism = DP_STAIRCASE,
								   .cost = DP_COST_SQUARED};
	DpNoise other;
	DpError error;
	DpError other_error;

	DP_TRY(init_named(noise, &laplace, epsilon, sensitivity, contribution));
	if (epsilon.units < 2 * dp_contribution_parts(contribution))
		return DP_OK;
	DP_TRY(init_named(&other, &staircase, epsilon, sensitivity, contribution));
	dp_expected_error_of(noise, dp_epsilon_to_double(noise->epsilon), &error);
	dp_expected_error_of(&other, dp_epsilon_to_double(other.epsilon),
						 &other_error);
	if (other_error.root_mean_square < error.root_mean_square)
		*noise = other;
	return DP_OK;
}

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
		/* Nothing to hide, but a wrong mechanism is still refused. */
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
	if (choice->quantum != 0)
		return DP_PARAMETER_OUT_OF_RANGE;
	if (choice->mechanism == DP_AUTO)
		DP_TRY(init_best(&mean->noise, epsilon, sensitivity, contribution));
	else
		DP_TRY(init_named(&mean->noise, choice, epsilon, sensitivity,
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

static DpStatus
draw_two_stage(DpRandom *random, const DpMean *mean, dp_int128 sum,
			   int64_t count, DpFraction *fraction)
{
	dp_int128 total = (dp_int128) mean->steps * count;
	uint64_t level;

	/* Without rows the middle. */
	DP_TRY(dp_two_stage_draw(random, &mean->two_stage, count > 0 ? sum : 1,
							 count > 0 ? total : 2, &level));
	fraction->numerator = level;
	fraction->denominator = (dp_int128) mean->two_stage.levels - 1;
	return DP_OK;
}

DpStatus
dp_mean_draw(DpRandom *random, const DpMean *mean, dp_int128 sum, int64_t count,
			 DpFraction *fraction)
{
	dp_int128 a = sum;
	dp_int128 b = (dp_int128) mean->steps * count - sum;

	fraction->numerator = 0;
	fraction->denominator = 1;
	if (mean->span == 0)
		return DP_OK;
	if (mean->mechanism == DP_TWO_STAGE)
		return draw_two_stage(random, mean, sum, count, fraction);

	DP_TRY(dp_noise_add(random, &mean->noise, a, &a));
	DP_TRY(dp_noise_add(random, &mean->noise, b, &b));

	fraction->denominator = dp_int128_add_saturating(a, b);
	if (fraction->denominator <= 0)
	{
		fraction->numerator = 1;
		fraction->denominator = 2;
	}
	else
		fraction->numerator = dp_int128_clamp(a, 0, fraction->denominator);
	return DP_OK;
}
