/*
 * staircase_attack.h
 *		What colluders can infer from several answers with staircase noise.
 *
 * The staircase's density jumps. So k answers locate the truth to within about
 * 1/k, whereas smooth noise allows only 1/sqrt(k).
 */
#ifndef DP_PLANNING_STAIRCASE_ATTACK_H
#define DP_PLANNING_STAIRCASE_ATTACK_H

#include "core/status.h"
#include "mechanisms/mechanism.h"

/* The first step's width gamma = r/D of a staircase: as given, or the best. */
extern double dp_staircase_gamma(const DpMechanismChoice *choice,
								 double epsilon);

/*
 * The expected |error|, in sensitivities, of the best attack on `colluders`
 * independent answers to one query: the posterior's median, without a prior. No
 * attack that is equivariant under shifts of the answers has a smaller one.
 *
 * For up to 1000 colluders this is a simulation with a fixed seed, accurate to
 * about 1%, or 2% near 1000. For more, and where the noise is far wider than
 * the sensitivity, it follows scaling laws, accurate to about 5%. colluders: 1
 * or more. Errors: DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_staircase_attack(const DpMechanismChoice *choice,
									double epsilon, int colluders,
									double *error);

#endif
