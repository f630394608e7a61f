/*
 * regression_width.h
 *		How far weighted sums of the nine draws of a regression reach.
 *
 * A width h(w) is one that |sum of w Z| exceeds with the probability `tail` at most, Z the
 * draws of regression.h. It is never less than for weights that are smaller in size.
 *
 * - Laplace. X is the difference of two geometric numbers, the integer parts of
 *   exponential ones; the parts beyond these, which are independent of them, make it a
 *   Laplace number L of the scale t/s. Their sums differ by less than the sum of the |w|;
 *   and as what is between them is symmetric and independent of X, |sum of w L| >=
 *   |sum of w X| with probability 1/2 or more, so P(|sum of w X| > x) <=
 *   2 P(|sum of w L| > x). The sum S of w L is symmetric and unimodal, so |S| is U Y, U
 *   uniform on 0 .. 1 (Khinchin 1938), and as 1 - x/y <= (r/(r+1))^r y^r / ((r+1) x^r),
 *
 *		P(|S| > x) <= (r/(r+1))^r E|S|^r / x^r		(Gauss 1823, Winckler 1866).
 *
 *   E S^(2k) / (2k)! is the sum of all products of k of the (w t/s)^2, repetition
 *   allowed, for E exp(yS) is the product of 1 / (1 - (y w t/s)^2). Or, by Proschan
 *   (weighted_laplace.h), x is -log(tail) t/s times the sum of the |w|. The least is taken.
 * - Gaussian: the sum is sub-Gaussian with sigma |w| (confidence.h).
 * - Staircases: all draws are within dp_law_width with probability L.
 */
#ifndef DP_MECHANISMS_REGRESSION_WIDTH_H
#define DP_MECHANISMS_REGRESSION_WIDTH_H

#include "mechanisms/confidence.h"
#include "mechanisms/regression.h"

/* In steps, for weights that are not negative. width: dp_law_width of the level. */
extern double dp_regression_width(const DpLaw *law, double tail,
								  dp_uint128 width,
								  const double weights[DP_REGRESSION_SUMS]);

#endif
