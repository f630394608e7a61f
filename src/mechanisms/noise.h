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
#include "random/source.h"
#include "samplers/staircase.h"

/* The greatest sensitivity of one answer. */
#define DP_SENSITIVITY_MAX ((uint64_t) 1 << 42)

/*
 * A prepared distribution of integer noise: plain data. It is what is drawn
 * from, what is claimed of the answer and what its lower privacy levels are made
 * from (noise_step.h): nobody else brings sensitivity and epsilon together.
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
	DpStaircase staircase;
	uint64_t sigma; /* gaussian */
} DpNoise;

/*
 * Prepares noise for an integer query of the given L1 (gaussian: L2)
 * sensitivity, 1 .. 2^42 grid steps.
 *
 * Guarantee: epsilon-DP; for gaussian (epsilon, delta)-DP by way of zCDP.
 * auto is the two-sided geometric for sensitivity 1, else the staircase of
 * least E|X|, which is optimal among all additive noise.
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
 * Prepares noise for one such query in each group: sensitivity is that of one
 * group's answer, to a unit that is added or removed (without groups: to the
 * contribution's neighbours).
 *
 * Guarantee: the answers of all groups together are epsilon-DP (gaussian:
 * (epsilon, delta)-DP). Laplace noise has the L1 sensitivity of all of them, and
 * all of epsilon: where the two have no exact ratio of 62 bits, epsilon is
 * rounded down and the sensitivity up, by as little as possible. Gaussian noise
 * has the L2 sensitivity; a staircase has no such rule, a change by
 * less than its width may cost as much as one by all of it, and gets its share
 * of epsilon. Errors: as dp_noise_init; DP_EPSILON_OUT_OF_RANGE (no share, or
 * for laplace less than 2^-62 of all the quanta).
 */
extern DpStatus dp_noise_init_groups(DpNoise *noise,
									 const DpMechanismChoice *choice,
									 DpEpsilon epsilon, uint64_t sensitivity,
									 DpContribution contribution);

/*
 * The greatest sensitivity that dp_noise_init_groups takes for gaussian noise,
 * which no other mechanism falls short of.
 */
extern uint64_t dp_noise_greatest_sensitivity(DpContribution contribution);

/* One draw, exactly. Errors: DP_RANDOM_FAILED, DP_OUT_OF_MEMORY. */
extern DpStatus dp_noise_draw(DpRandom *random, const DpNoise *noise,
							  dp_int128 *value);

/*
 * The private answer: truth, rounded to the quantum, plus one draw; saturating.
 * Errors: as above.
 */
extern DpStatus dp_noise_add(DpRandom *random, const DpNoise *noise,
							 dp_int128 truth, dp_int128 *answer);

/* The probability of a value, in doubles. */
extern double dp_noise_pmf(const DpNoise *noise, double value);

#endif
