/*
 * half_width.h
 *		The range of additive noise: exact quantiles of its absolute value.
 *
 * Doubles propose a width, and rigorous enclosures of the tail (interval.h)
 * verify it. A width is never too small, and it is the least sufficient one
 * unless two tails differ by less than the precision of the enclosures.
 */
#ifndef DP_MECHANISMS_HALF_WIDTH_H
#define DP_MECHANISMS_HALF_WIDTH_H

#include "mechanisms/noise.h"

/*
 * The least width w, in grid steps, with P(|answer - truth| > w) <= tail, where
 * an answer is the truth and one draw; with a quantum, which the truth is first
 * rounded to, the least that holds for every truth beyond whole multiples of it.
 * tail: in (0, 1). Errors: DP_MECHANISM_NOT_APPLICABLE
 * (also of a joint staircase: joint_shape.h),
 * DP_PARAMETER_OUT_OF_RANGE (tail), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_half_width(const DpNoise *noise, double tail,
							  dp_uint128 *width);

/*
 * A width w, in grid steps, with P(|(1-p) X - p X'| > w) <= tail for every p in
 * 0 .. 1, X and X' being two independent draws of laplace or geometric noise
 * without a quantum: 1 + the least one with exp(-w s/t) <= tail.
 *
 * Proof. A geometric number is the integer part of an exponential one, so X
 * differs by less than 1 from a continuous Laplace number L, and X' from L',
 * independent of it. The Laplace law is log-concave and symmetric, and (1-p, p)
 * is majorised by (1, 0), so P(|(1-p) L - p L'| <= w) >= P(|L| <= w)
 * (Proschan 1965). Errors: as dp_half_width.
 */
extern DpStatus dp_half_width_between(const DpNoise *noise, double tail,
									  dp_uint128 *width);

#endif
