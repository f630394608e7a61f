/*
 * expected_error.h
 *		The expected error of additive noise, in closed form.
 *
 * Public arithmetic in doubles: nothing here draws noise or sees data.
 */
#ifndef DP_MECHANISMS_EXPECTED_ERROR_H
#define DP_MECHANISMS_EXPECTED_ERROR_H

#include "mechanisms/noise.h"

typedef struct DpError
{
	double mean_absolute;	 /* E|X| */
	double root_mean_square; /* sqrt(E X^2) */
	double half_width_95;	 /* least w with P(|X| <= w) >= 0.95 */
} DpError;

/*
 * The error of prepared noise, in grid steps. epsilon: the value that was asked
 * for; the noise itself uses it rounded down to a multiple of 2^-20. The error
 * of a truncated mechanism is at most this. Of a joint staircase it is that of one number. With a quantum, the greatest
 * possible error of rounding to it is included.
 */
extern void dp_expected_error_of(const DpNoise *noise, double epsilon,
								 DpError *error);

/*
 * The square root of the variance, in grid steps, from the parameters of the
 * distribution alone, as they are stored with answers. Never 0.
 */
extern double dp_noise_deviation(const DpNoise *noise);

#endif
