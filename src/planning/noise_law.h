/*
 * noise_law.h
 *		The distribution of noise on integers.
 *
 * Public arithmetic in doubles: nothing here draws noise or sees data. Noise in
 * steps below 1 belongs to an answer that is rounded to the nearest integer
 * afterwards; geometric and discrete_staircase noise consists of integers. All
 * distributions are symmetric.
 */
#ifndef DP_PLANNING_NOISE_LAW_H
#define DP_PLANNING_NOISE_LAW_H

#include <stdbool.h>

#include "mechanisms/noise.h"

typedef struct DpNoiseLaw
{
	DpMechanism mechanism; /* laplace, geometric, a staircase or gaussian */
	double epsilon;		   /* as asked for */
	double width;		   /* sensitivity, in steps */
	double first_step;	   /* staircases: r */
	double sigma;		   /* gaussian, in steps */
	double step;		   /* one step; 1: integers, else below 2^-9 */
} DpNoiseLaw;

/*
 * The distribution of prepared noise, in multiples of its quantum. step: one
 * step of the noise, in the answer's unit. epsilon: the value that was asked
 * for; the noise itself uses it rounded down to a multiple of 2^-20.
 */
extern void dp_noise_law_init(DpNoiseLaw *law, const DpNoise *noise,
							  double epsilon, double step);

/* P(X = d) for whole d, and its logarithm, finite also where P is 0. */
extern double dp_noise_law_pmf(const DpNoiseLaw *law, double d);
extern double dp_noise_law_log_pmf(const DpNoiseLaw *law, double d);

/* P(X >= d) for whole d >= 1, and its logarithm. */
extern double dp_noise_law_tail(const DpNoiseLaw *law, double d);
extern double dp_noise_law_log_tail(const DpNoiseLaw *law, double d);

/* E|X| and E X^2 to 10 digits, with rounding taken into account. */
extern double dp_noise_law_mean_absolute(const DpNoiseLaw *law);
extern double dp_noise_law_mean_square(const DpNoiseLaw *law);

#endif
