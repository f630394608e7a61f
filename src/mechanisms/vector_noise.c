/*
 * vector_noise.c
 *		Choice of the noise for vectors.
 */
#include "mechanisms/expected_error.h"
#include "mechanisms/vector_noise.h"

static bool
is_vector_noise(DpMechanism mechanism)
{
	DpNoiseKind kind = dp_mechanism_noise(mechanism);

	return kind == DP_NOISE_LAPLACE || kind == DP_NOISE_GAUSSIAN;
}

/* Prepares a mechanism by its name, with all of epsilon or a part of it. */
static DpStatus
init_named(DpNoise *noise, const DpMechanismChoice *choice, DpEpsilon epsilon,
		   uint64_t sensitivity, uint32_t sums, DpContribution contribution)
{
	DpChange change = {sensitivity, sensitivity, sums};

	if (!is_vector_noise(choice->mechanism))
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
	DpNoise other;
	DpError error;
	DpError other_error;

	DP_TRY(
		init_named(noise, &laplace, epsilon, sensitivity, sums, contribution));
	if (epsilon.ticks < sums * dp_contribution_parts(contribution))
		return DP_OK;
	DP_TRY(init_named(&other, &staircase, epsilon, sensitivity, sums,
					  contribution));
	dp_expected_error_of(noise, dp_epsilon_to_double(noise->epsilon), &error);
	dp_expected_error_of(&other, dp_epsilon_to_double(other.epsilon),
						 &other_error);
	if (other_error.root_mean_square < error.root_mean_square)
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
