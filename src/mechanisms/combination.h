/*
 * combination.h
 *		How far a weighted sum of independent noise is from 0.
 *
 * S = sum of w_i X_i, where the weights are public: as in the answers of
 * groupings, which are adjusted by least squares. With M_i(x) = E exp(x X_i) and
 * phi_i(y) = E cos(y X_i), which have closed forms for all noise here:
 *
 * - Chernoff: P(|S| > h) <= 2 exp(sum of log M_i(w_i x) - x h) for each x > 0.
 *   Of gaussian noise, M(x) <= exp(sigma^2 x^2 / 2) (Canonne, Kamath, Steinke,
 *   arXiv:2004.00010).
 *
 * - Fourier: let g be even, of the period P, 0 up to h - e, rising from there to h,
 *   and 1 up to P/2, where h <= P/2. Then 1(|x| > h) <= g(x) + 1(|x| >= P - h), so
 *   P(|S| > h) <= E g(S) + P(|S| >= P - h), the latter by Chernoff. g is 1 less the
 *   indicator of |x| <= m, m = h - e/2, convolved with eight boxes of the width
 *   e/8; so, with t = 2 pi / P,
 *
 *		E g(S) = 1 - 2m/P - sum over k >= 1 of 2 sin(k t m) / (pi k)
 *				 (sin(k t e/16) / (k t e/16))^8 product of phi_i(w_i k t),
 *
 *   and what is beyond the K-th term is at most (16 / (K t e))^8 / (4 pi).
 *
 * Both are bounds whatever the weights; the lesser width is taken, after more than
 * the rounding errors of doubles has been added. The first one is 1.4 to 2 times
 * as wide as need be, the second one within a percent.
 */
#ifndef DP_MECHANISMS_COMBINATION_H
#define DP_MECHANISMS_COMBINATION_H

#include "mechanisms/noise.h"

/* Some of the independent draws in a sum, all with one law and one weight. */
typedef struct DpCombined
{
	const DpNoise *noise; /* without a quantum */
	double weight;		  /* of any sign */
	double count;		  /* how many */
} DpCombined;

/*
 * A width h, in grid steps, with P(|S| > h) <= tail. tail: in (0, 1), no less than
 * 2^-41. Errors: DP_OUT_OF_MEMORY, DP_MECHANISM_NOT_APPLICABLE (a quantum).
 */
extern DpStatus dp_combination_width(const DpCombined *parts, int count,
									 double tail, double *width);

/*
 * The same where less is known of the weights: that S has this standard deviation,
 * and that no draw has more than a share of its variance, for which a bound is
 * enough. laws: those of all draws.
 *
 * Proof. With u_i = w_i^2 Var X_i / Var S, which add up to 1, let L(u) be the
 * greatest over all laws of
 * what bounds log M(x sqrt(u / Var X) sd S) and is convex in u, and 0 at 0. Then
 * L(u_i) <= u_i L(share) / share, and these add up to L(share) / share. Of laplace
 * noise log M itself is convex: -log(1 - c (cosh(y) - 1)), since cosh(sqrt(u)) is,
 * and -log(1 - v) is and rises. The bound for gaussian noise is linear in u. For
 * staircases M - 1 is taken, a power series of u whose terms are not negative.
 * Errors: as above.
 */
extern DpStatus dp_combination_bound(const DpNoise *const *laws, int count,
									 double deviation, double share,
									 double tail, double *width);

#endif
