/*
 * noise_step.h
 *		From an answer's noise to that of a lower privacy level of it.
 *
 * What an answer at one privacy level lacks to be one at a lower level is more
 * noise (samplers/ladder.h). How much follows from the two prepared noises and
 * from nothing else: whatever they were prepared from, an answer with the noise
 * `high` and a step has exactly the law of an answer with the noise `low`.
 *
 * Guarantee: an answer with the noise of the highest level and those made from
 * it by a step each, one after the other, are together as private as the
 * highest, and any of them as the highest among them.
 */
#ifndef DP_MECHANISMS_NOISE_STEP_H
#define DP_MECHANISMS_NOISE_STEP_H

#include "mechanisms/noise.h"

/* A prepared step: plain data. */
typedef struct DpNoiseStep
{
	uint64_t low;  /* of dp_ladder_step_draw */
	uint64_t high; /* equal to low: there is nothing to add */
	uint64_t t;
} DpNoiseStep;

/*
 * high, low: prepared by dp_noise_init_groups for the same query, the same
 * contribution and two epsilons, or of laws that a step leads from and to.
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
