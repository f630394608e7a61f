/*
 * noise_step.h
 *		From an answer's noise to that of a lower privacy level of it.
 *
 * An answer at one privacy level becomes one at a lower level by adding noise
 * (samplers/chain_step.h). How much follows from the two prepared noises alone:
 * an answer with the noise `high` plus a step has exactly the distribution of
 * an answer with the noise `low`.
 *
 * Guarantee: an answer with the noise of the highest level, and those made from
 * it step by step, are together as private as the highest. Any subset of them
 * is as private as the highest in it.
 */
#ifndef DP_MECHANISMS_NOISE_STEP_H
#define DP_MECHANISMS_NOISE_STEP_H

#include "mechanisms/noise.h"

/* A prepared step: plain data. */
typedef struct DpNoiseStep
{
	uint64_t low;  /* of dp_chain_step_draw */
	uint64_t high; /* equal to low: there is nothing to add */
	uint64_t t;
} DpNoiseStep;

/*
 * high, low: prepared by dp_noise_init_groups for the same query, the same
 * contribution and two epsilons, or two distributions that a step can connect.
 * Errors: DP_MECHANISM_NOT_APPLICABLE (noise that is not geometric, or has a
 * quantum); DP_PARAMETER_OUT_OF_RANGE (low has less noise than high, or their
 * ratios have no common denominator of 62 bits: of the same query they have).
 */
extern DpStatus dp_noise_step_init(DpNoiseStep *step, const DpNoise *high,
								   const DpNoise *low);

/* One draw, exactly. Errors: DP_RANDOM_FAILED. */
extern DpStatus dp_noise_step_draw(DpRandom *random, const DpNoiseStep *step,
								   dp_int128 *value);

#endif
