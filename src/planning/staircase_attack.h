/*
 * staircase_attack.h
 *		What colluders make of several answers with staircase noise.
 *
 * The staircase's density jumps, so answers tell the truth apart from its
 * neighbourhood at a distance of 1/k, where smooth noise needs 1/sqrt(k).
 */
#ifndef DP_UTILITY_STAIRCASE_ATTACK_H
#define DP_UTILITY_STAIRCASE_ATTACK_H

#include "core/status.h"
#include "mechanisms/mechanism.h"

/* The first step's width gamma = r/D of a staircase: as given, or the best. */
extern double dp_staircase_gamma(const DpMechanismChoice *choice,
								 double epsilon);

/*
 * The expected |error|, in sensitivities, of the best attack on `colluders`
 * independent answers to one query: the posterior's median, without a prior. No
 * attack that moves along with the answers has a smaller one.
 *
 * Up to 1000 colluders a simulation with a seed of its own, the same at each
 * call: to about 1%, 2% near 1000. Beyond, and where the noise is far wider
 * than the sensitivity, by laws of scale, to about 5%. colluders: 1 or more.
 * Errors: DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_staircase_attack(const DpMechanismChoice *choice,
									double epsilon, int colluders,
									double *error);

#endif
