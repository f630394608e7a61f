/*
 * staircase_shape.h
 *		How the error of staircase noise depends on its first step.
 *
 * Public arithmetic in doubles: nothing here draws noise or sees data. All
 * arguments as in samplers/staircase.h. Source: Geng and Viswanath.
 */
#ifndef DP_MECHANISMS_STAIRCASE_SHAPE_H
#define DP_MECHANISMS_STAIRCASE_SHAPE_H

#include "mechanisms/mechanism.h"

/* E|X| and E X^2. */
extern double dp_staircase_mean_absolute(double sensitivity, double first_step,
										 double epsilon);
extern double dp_staircase_mean_square(double sensitivity, double first_step,
									   double epsilon);

/*
 * The first step r in 1 .. sensitivity of least E|X| or E X^2. Privacy does not
 * depend on r, so the search may use doubles. sensitivity: 1 .. 2^42.
 */
extern double dp_staircase_best_step(double sensitivity, double epsilon,
									 DpCost cost);

/* P(|X| >= m), m >= 1. */
extern double dp_staircase_tail(double sensitivity, double first_step,
								double epsilon, double m);

#endif
