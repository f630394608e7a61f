/*
 * weighted_laplace.h
 *		How far a weighted sum of two or three numbers with Laplace noise is from 0,
 *		whatever the weights are below given ones.
 */
#ifndef DP_MECHANISMS_WEIGHTED_LAPLACE_H
#define DP_MECHANISMS_WEIGHTED_LAPLACE_H

#include "mechanisms/noise.h"

/*
 * A width w, in grid steps, with P(|w1 X1 + w2 X2 + w3 X3| > w) <= tail for all
 * weights of which none exceeds the given one in size, and which add up to no more
 * than `sum` in size. X: independent draws of laplace or geometric noise without a
 * quantum.
 *
 * Proof. A geometric number differs by less than 1 from a Laplace one L (half_width.h),
 * so the sum differs by less than the sum of the weights' sizes from that of L. The
 * L have symmetric densities that fall on either side, so P(|sum of w L| <= x) falls
 * as any |w| rises (Birnbaum 1948); and they are log-concave, so by Proschan (1965)
 * it is least, for a given sum of the |w|, where that is the weight of one of them:
 * x = -log(tail) sum t/s is enough. For unequal weights w t/s = b, since 1 / product of (1 + b^2 y^2) is
 * a sum of such fractions, exactly
 *
 *		P(|sum of w L| > x) = sum over i of exp(-x/b_i) product over j other than i
 *							  of b_i^2 / (b_i^2 - b_j^2)
 *
 * Weights that are nearly equal are set apart, upwards.
 */
extern double dp_weighted_laplace_width(const DpNoise *noise, double tail,
										const double weights[3], double sum);

/* P(|Y| > x) of one number, x: 0 or more. Its relative error is below 1e-13. */
typedef double (*DpTail)(const void *context, double x);

/*
 * The least x for which the sum over i of c_i P(|Y| > x / w_i) is no more than tail,
 * by bisection in doubles that err upwards, and no more than most, which is what small
 * tails are left to. c_i: the products above.
 */
extern double dp_weighted_width(DpTail of, const void *context, double tail,
								const double weights[3], double most);

#endif
