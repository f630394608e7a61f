/*
 * vector_noise.c
 *		Choice of the noise for vectors.
 */
#include "mechanisms/expected_error.h"
#include "mechanisms/vector_noise.h"

/* How much less than Laplace noise auto's joint staircase must err. */
#define MARGIN 0.9

/* Whether each sum gets a part of epsilon. */
static bool
takes_parts(DpMechanism mechanism, uint32_t sums)
{
	DpNoiseKind kind = dp_mechanism_noise(mechanism);

	return kind == DP_NOISE_NONE ||
		   (kind == DP_NOISE_STAIRCASE && sums > DP_JOINT_SUMS_MAX);
}

/* Prepares a mechanism by its name, with all of epsilon or a part of it. */
static DpStatus
init_named(DpNoise *noise, const DpMechanismChoice *choice, DpEpsilon epsilon,
		   uint64_t sensitivity, uint32_t sums, DpContribution contribution)
{
	DpChange change = {sensitivity, sensitivity, sums};

	if (takes_parts(choice->mechanism, sums))
	{
		epsilon.ticks /= sums;
		if (epsilon.ticks == 0)
			return DP_EPSILON_OUT_OF_RANGE;
	}
	return dp_noise_init_change(noise, choice, epsilon, &change, contribution);
}

/* Of pure mechanisms. */
static DpStatus
init_best(DpNoise *noise, DpEpsilon epsilon, uint64_t sensitivity,
		  uint32_t sums, DpContribution contribution)
{
	DpMechanismChoice laplace = {.mechanism = DP_LAPLACE};
	DpMechanismChoice staircase = {.mechanism = DP_STAIRCASE,
								   .cost = DP_COST_SQUARED};
	uint64_t least = dp_contribution_parts(contribution);
	double margin = MARGIN;
	DpNoise other;
	DpError error;
	DpError other_error;

	DP_TRY(
		init_named(noise, &laplace, epsilon, sensitivity, sums, contribution));
	if (takes_parts(DP_STAIRCASE, sums))
	{
		least *= sums;
		margin = 1;
	}
	if (epsilon.ticks < least)
		return DP_OK;
	DP_TRY(init_named(&other, &staircase, epsilon, sensitivity, sums,
					  contribution));
	dp_expected_error_of(noise, dp_epsilon_to_double(noise->epsilon), &error);
	dp_expected_error_of(&other, dp_epsilon_to_double(other.epsilon),
						 &other_error);
	if (other_error.root_mean_square < margin * error.root_mean_square)
		*noise = other;
	return DP_OK;
}

DpStatus
dp_vector_noise_init(DpNoise *noise, const DpMechanismChoice *choice,
					 DpEpsilon epsilon, uint64_t sensitivity, uint32_t sums,
					 DpContribution contribution)
{
	DpChange change = {sensitivity, sensitivity, sums};

	if (choice->quantum != 0)
		return DP_PARAMETER_OUT_OF_RANGE;
	if (choice->mechanism == DP_AUTO)
	{
		DP_TRY(init_best(noise, epsilon, sensitivity, sums, contribution));
		if (choice->by_rho)
			return dp_noise_choose_by_rho(noise, epsilon, &change,
										  contribution);
		return DP_OK;
	}
	return init_named(noise, choice, epsilon, sensitivity, sums, contribution);
}
