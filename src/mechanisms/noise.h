/*
 * noise.h
 *		Additive noise: a mechanism made ready for one query.
 */
#ifndef DP_MECHANISMS_NOISE_H
#define DP_MECHANISMS_NOISE_H

#include "core/epsilon.h"
#include "core/int128.h"
#include "mechanisms/contribution.h"
#include "mechanisms/mechanism.h"
#include "mechanisms/zcdp.h"
#include "random/source.h"
#include "samplers/discrete_gaussian.h"
#include "samplers/joint_staircase.h"

/* The greatest sensitivity of one answer. */
#define DP_SENSITIVITY_MAX ((uint64_t) 1 << 42)

/*
 * A prepared distribution of integer noise: plain data. Draws, claims about the
 * answer and its lower privacy levels (noise_step.h) are all made from it:
 * sensitivity and epsilon are combined nowhere else.
 */
typedef struct DpNoise
{
	DpMechanism mechanism;	/* never DP_AUTO: what was chosen */
	DpEpsilon epsilon;		/* never more than was asked for */
	dp_uint128 sensitivity; /* grid steps, below 2^76: that this epsilon is for,
							 * never less than the query's */
	uint64_t quantum;		/* grid steps, 1 .. 2^42: noise is a multiple */
	uint64_t s;				/* discrete Laplace: ratio exp(-s/t), s/t being
							 * epsilon / ceil(sensitivity / quantum), exactly;
							 * 1 .. 2^62 */
	uint64_t t;
	DpStaircase staircase; /* its sums: how many are drawn together */
	DpSigma sigma;		   /* gaussian */
	dp_uint128 squared; /* gaussian: of the L2 change, which the sensitivity is
						 * when it is rounded up to an integer */
} DpNoise;

/* How much a unit may change the answers. */
typedef struct DpChange
{
	uint64_t sensitivity; /* of one group's answer, to a unit that is added or
						   * removed (without groups: to the contribution's
						   * neighbours), 1 .. 2^42 grid steps; of several
						   * sums in L1 */
	uint64_t exchanged;	  /* of one group's answer, to one of its units that is
						   * exchanged for another; where there are groups, and
						   * for one number alone */
	uint32_t numbers;	  /* 1; or of sums that change together, none of which
						   * a unit ever lowers */
} DpChange;

/*
 * Prepares noise for an integer query of the given L1 (gaussian: L2)
 * sensitivity, 1 .. 2^42 grid steps.
 *
 * Guarantee: epsilon-DP; for gaussian (epsilon, delta)-DP (gaussian.h). auto is
 * the two-sided geometric for sensitivity 1, else the staircase of least E|X|,
 * which is optimal among all additive noise. By rho it is the noise of least
 * variance that costs no more than R(epsilon), the price of the worst
 * epsilon-DP mechanism: gaussian up to an epsilon of about 2.5 for all groups
 * together, and above that the geometric or the staircase of least variance.
 * The guarantee is then R(epsilon)-zCDP, and no finite epsilon.
 *
 * With a quantum q (geometric alone) the answer is first rounded to a multiple
 * of q. Two answers at most D apart are then at most ceil(D/q) multiples apart,
 * so the noise is q times the geometric of that sensitivity (Chen, Pal,
 * Golubchik, (9)). It is private only with dp_noise_add, which rounds.
 *
 * Errors: DP_SENSITIVITY_OUT_OF_RANGE; DP_PARAMETER_OUT_OF_RANGE (r > D, no
 * delta, a sigma above 2^61, a quantum that is no whole number of steps);
 * DP_MECHANISM_NOT_APPLICABLE (a mechanism that is not additive noise);
 * DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_noise_init(DpNoise *noise, const DpMechanismChoice *choice,
							  DpEpsilon epsilon, uint64_t sensitivity);

/*
 * Prepares noise for one answer, or one vector of sums, in each group. A vector
 * has laplace, geometric or gaussian noise, of two or three sums also a staircase of
 * all of them (joint_staircase.h).
 *
 * Guarantee: the answers of all groups together are epsilon-DP (gaussian:
 * (epsilon, delta)-DP). Laplace noise has the L1 sensitivity of all of them,
 * and all of epsilon: where the two have no exact ratio of 62 bits, epsilon is
 * rounded down and the sensitivity up, by as little as possible. Gaussian noise
 * has the L2 sensitivity. A staircase has no such rule, since a change by less
 * than its width may cost as much as a change by all of it: each answer, or each
 * vector with a joint one, gets its share of epsilon. (A joint staircase is
 * epsilon-DP for a change of the vector by its width in L1, and 2 epsilon-DP for
 * twice that, as in an exchange within a group.)
 *
 * In L2 a unit that is in m groups changes them by sqrt(m) s in all. An
 * exchange leaves m groups and enters m; if k of these are the same, the square
 * is at most k e^2 + 2 (m - k) s^2, e being `exchanged`, and never more than m
 * max(2 s^2, e^2). For vectors of sums that no unit lowers, e^2 is at most 2
 * s^2: |x - y|^2 <= |x|^2 + |y|^2 where no product of their parts is negative.
 * (The same holds without groups: 2 s^2, where s, for one unit, is half of the
 * L1 change of an exchange.) For up to m or 2 m numbers that change by at most
 * s each, noise is calibrated for exactly that; for vectors, and for numbers
 * with a greater e, for a change in any direction.
 *
 * Errors: as dp_noise_init; DP_EPSILON_OUT_OF_RANGE (no share, or
 * for laplace less than 2^-62 of all the quanta).
 */
extern DpStatus dp_noise_init_change(DpNoise *noise,
									 const DpMechanismChoice *choice,
									 DpEpsilon epsilon, const DpChange *change,
									 DpContribution contribution);

/*
 * The same for one number about which nothing more is known: an exchange within
 * a group may change its answer by 2 sensitivities.
 */
extern DpStatus dp_noise_init_groups(DpNoise *noise,
									 const DpMechanismChoice *choice,
									 DpEpsilon epsilon, uint64_t sensitivity,
									 DpContribution contribution);

/*
 * Prepares Gaussian noise of a sigma that was found elsewhere, such as one that
 * shares its delta with a threshold (gaussian_threshold.h).
 *
 * Guarantee: the one that sigma was found for, with this change and
 * contribution; nothing is calibrated here. epsilon: that of this guarantee.
 *
 * Errors: DP_SENSITIVITY_OUT_OF_RANGE.
 */
extern DpStatus dp_noise_init_sigma(DpNoise *noise, DpEpsilon epsilon,
									const DpChange *change,
									DpContribution contribution, DpSigma sigma);

/*
 * The greatest sensitivity that gaussian noise accepts, whatever the change.
 * All other mechanisms accept it, too.
 */
extern uint64_t dp_noise_greatest_sensitivity(DpContribution contribution);

/*
 * The cost in rho of the answers with this noise in all groups together, each a
 * vector of this many sums (1: one number). It follows from a unit's L1 change
 * for laplace (dp_zcdp_of_laplace), from the share of epsilon of each sum, or of
 * each vector, for a staircase (dp_zcdp_of_pure), and from the L2 change for gaussian. noise: made
 * by dp_noise_init_change or dp_vector_noise_init with this contribution.
 * Errors: DP_MECHANISM_NOT_APPLICABLE, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_noise_rho(const DpNoise *noise, uint32_t sums,
							 DpContribution contribution, DpRho *rho);

/*
 * The choice of auto by rho between the given prepared noise and gaussian noise
 * for the price of epsilon: the one of less variance. Errors: as
 * dp_noise_init_change.
 */
extern DpStatus dp_noise_choose_by_rho(DpNoise *noise, DpEpsilon epsilon,
									   const DpChange *change,
									   DpContribution contribution);

/*
 * One draw, exactly; not of a joint staircase. Errors: DP_RANDOM_FAILED,
 * DP_OUT_OF_MEMORY, DP_MECHANISM_NOT_APPLICABLE.
 */
extern DpStatus dp_noise_draw(DpRandom *random, const DpNoise *noise,
							  dp_int128 *value);

/*
 * The private answer: truth, rounded to the quantum, plus one draw; saturating.
 * Errors: as above.
 */
extern DpStatus dp_noise_add(DpRandom *random, const DpNoise *noise,
							 dp_int128 truth, dp_int128 *answer);

/*
 * The private answers to a vector of `sums` sums, in their place: independent draws on
 * each, or one draw of a joint staircase on all. Errors: as above.
 */
extern DpStatus dp_noise_add_all(DpRandom *random, const DpNoise *noise,
								 uint32_t sums, dp_int128 *values);

/* The probability of a value, in doubles; not of a joint staircase. */
extern double dp_noise_pmf(const DpNoise *noise, double value);

#endif
