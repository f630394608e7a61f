/*
 * vector_noise.h
 *		Noise for several sums that one unit changes together.
 *
 * Laplace and Gaussian noise protect a vector as a whole: independent draws on
 * each sum, scaled to the vector's own sensitivity, cost epsilon once. So does a
 * staircase that is drawn for two or three sums together (joint_staircase.h); for
 * more, each sum gets a part of epsilon and a staircase of its own, as if it alone
 * changed by all of the sensitivity. Staircases are better only at large epsilon.
 */
#ifndef DP_MECHANISMS_VECTOR_NOISE_H
#define DP_MECHANISMS_VECTOR_NOISE_H

#include "mechanisms/noise.h"

/*
 * Prepares noise to be drawn for each of `sums` sums of one group, none of which
 * a unit lowers. sensitivity: of the vector of them to one unit in one group, in
 * L1 (which is no less than in L2); without groups and under substitution twice
 * what a unit adds. auto: laplace, or the staircase where its root mean square error
 * is below that, a joint one's below 0.9 of that; by rho as in dp_noise_init, by the
 * L2 change of the vector.
 *
 * Guarantee: epsilon-DP of the vectors of all groups together ((epsilon,
 * delta) for gaussian). Errors: as dp_noise_init_groups,
 * DP_EPSILON_OUT_OF_RANGE (a part of epsilon is below the least),
 * DP_PARAMETER_OUT_OF_RANGE (a quantum: rounding is of one sum alone).
 */
extern DpStatus dp_vector_noise_init(DpNoise *noise,
									 const DpMechanismChoice *choice,
									 DpEpsilon epsilon, uint64_t sensitivity,
									 uint32_t sums,
									 DpContribution contribution);

#endif
