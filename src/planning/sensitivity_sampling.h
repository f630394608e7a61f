/*
 * sensitivity_sampling.h
 *		How many samples are needed to find a function's sensitivity, and with
 *		what confidence: random differential privacy.
 *
 * Public arithmetic: nothing here draws noise or sees data.
 *
 * For functions whose sensitivity cannot be derived there is a weaker guarantee
 * (Hall, Rinaldo, Wasserman, Random Differential Privacy, 2013). A mechanism is
 * (epsilon, delta, gamma)-random-DP if, over n+1 records drawn independently
 * from a distribution P, the inequality of (epsilon, delta)-DP holds for the
 * two databases of n records that share the first n-1 of them, with probability
 * at least 1-gamma. It says nothing about databases that are unlikely under P,
 * which may be those with an unusual person.
 *
 * Theorem (Rubinstein, Alda, Pain-Free Random Differential Privacy with
 * Sensitivity Sampling, ICML 2017, on its algorithm SampleSensitivity). Let
 * M_D be, for each D, (epsilon, delta)-DP for all pairs of databases of which the
 * function's values differ by at most D. Draw m times n+1 records of P, let G_i
 * be how much the function's values of the two databases differ, and D the k-th
 * least of G_1 .. G_m. M_D is (epsilon, delta, gamma)-random-DP if for some rho,
 * 0 < rho < min(gamma, 1/2),
 *
 *		m >= ln(1/rho) / (2 (gamma-rho)^2)  and
 *		m >= k >= m (1 - gamma + rho + sqrt(ln(1/rho) / (2m))).
 *
 * Proof. Let t be that root. By the one-sided inequality of Dvoretzky, Kiefer and
 * Wolfowitz, with Massart's constant, the empirical distribution function of the
 * G_i exceeds their distribution function F by more than t somewhere with
 * probability at most rho <= 1/2. Else F(D) >= k/m - t >= 1 - gamma + rho: a new
 * pair differs by more than D with probability at most gamma - rho. Together gamma.
 *
 * The same holds for any other pair that is made of n+1 such records, such as the
 * first n and the first n-1 of them.
 */
#ifndef DP_PLANNING_SENSITIVITY_SAMPLING_H
#define DP_PLANNING_SENSITIVITY_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

/* The most samples. */
#define DP_SENSITIVITY_SAMPLES_MAX 1000000

typedef struct DpSensitivityPlan
{
	double gamma;
	double rho;		  /* part of gamma: sampling may fail so often */
	uint32_t samples; /* m */
	uint32_t order;	  /* k, 1 .. m */
} DpSensitivityPlan;

/*
 * Whether the conditions of the theorem hold. Computed in doubles with a margin
 * for rounding: never true where they do not hold.
 */
extern bool dp_sensitivity_plan_holds(const DpSensitivityPlan *plan);

/*
 * A plan for gamma, in (0, 1): with this many samples, at the rho for which k is
 * least; 0: as few samples as suffice.
 * Errors: DP_PARAMETER_OUT_OF_RANGE (gamma; too few samples for it, or more than
 * DP_SENSITIVITY_SAMPLES_MAX would be needed).
 */
extern DpStatus dp_sensitivity_plan_init(DpSensitivityPlan *plan, double gamma,
										 uint32_t samples);

#endif
