/*
 * zcdp.h
 *		Zero-concentrated differential privacy: amounts of rho.
 *
 * A mechanism M is rho-zCDP (Bun, Steinke 2016) if for all neighbours and all a
 * > 1 the Renyi divergence D_a(M(x) || M(x')) is at most a rho. rho adds up,
 * even for questions that are chosen after earlier answers. Each mechanism
 * states its rho in its own header.
 *
 * An amount of rho is an integer number of 10^-24. Costs are rounded up and
 * grants are rounded down, on enclosures (interval.h): doubles propose public
 * numbers, which are then verified.
 */
#ifndef DP_MECHANISMS_ZCDP_H
#define DP_MECHANISMS_ZCDP_H

#include "core/epsilon.h"
#include "core/int128.h"

#define DP_RHO_ONE ((dp_int128) 1000000000000 * 1000000000000)

typedef struct DpRho
{
	dp_int128 ticks; /* of 10^-24; 1 .. 10^37 of a cost */
} DpRho;

/* Of enclosures: enough for 10^-24 of amounts up to 10^13, and far more. */
#define DP_RHO_BITS 256

/*
 * The cost of `parts` answers, each by any mechanism that is
 * (epsilon/parts)-DP: parts times R(epsilon/parts), R(e) = e tanh(e/2), rounded
 * up.
 *
 * Proof. Every pair of laws that is e-DP is a function of randomised response
 * (Kairouz, Oh, Viswanath 2015), for which, with u = a - 1/2, (a-1) D_a = ln
 * cosh(u e) - ln cosh(e/2). That is concave in s = u^2; the tangent at s = 1/4
 * has the slope R(e), and s - 1/4 = a (a-1). So D_a <= a R(e). The limit a -> 1
 * shows that this is tight.
 */
extern DpStatus dp_zcdp_of_pure(DpEpsilon epsilon, uint64_t parts, DpRho *rho);

/*
 * The epsilon whose price R(epsilon) is rho: the greatest one that costs no more.
 * Errors: DP_EPSILON_OUT_OF_RANGE (there is none), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_zcdp_to_pure(DpRho rho, DpEpsilon *epsilon);

/*
 * The cost of `parts` answers with discrete Laplace noise of ratio exp(-s/t),
 * where each answer, or each vector in L1, changes by at most D: parts times
 *
 *		K(e, D) = e - (1 - exp(-e)) x / sinh(x), x = s/t, e = D x,
 *
 * which is R(e) for D = 1 and e - 1 + exp(-e) in the limit. Rounded up, as
 * e - (1 - exp(-e)) (1 - x^2/6), or R(e) where that is less.
 *
 * Proof. (a-1) D_a = F(a - 1/2) - F(1/2), F(u) = ln sum sqrt(P Q) exp(u L). For
 * h = exp(-x) and w = exp(2 u x) the sum is, but for a factor, (w^D + 1)/(1-h)
 * + w + ... + w^(D-1), which is 0 only where w^D (w-h)/(1-hw) = 1: a Blaschke
 * product of degree D + 1, so all zeros are on the unit circle, and the sum is
 * a product of 1 + u^2/c_j^2. Its logarithm is concave in u^2, and the tangent
 * at u = 1/2 gives D_a <= a KL(P || Q), which is a K(e, D). K is convex in the
 * shift and 0 at 0, so a vector costs most if all of its change is in one
 * place. (The limit: Harrison, Manurangsi 2025, arXiv:2510.25746.)
 *
 * s, t, sensitivity: at least 1.
 */
extern DpStatus dp_zcdp_of_laplace(uint64_t s, uint64_t t,
								   dp_uint128 sensitivity, uint64_t parts,
								   DpRho *rho);

/*
 * The cost of `parts` answers by the exponential mechanism, or by any mechanism
 * whose log-likelihood ratios for two neighbours lie in an interval of length e
 * = epsilon/parts: parts times e^2/8, or R(e) where that is less, rounded up.
 *
 * Proof. With L the loss, k(t) = ln E exp(t L) has k(-1) = k(0) = 0 and
 * k'' <= e^2/4; so k(t) - t (t+1) e^2/8 is concave with zeros at -1 and 0, hence
 * not positive for t = a-1 > 0: D_a <= a e^2/8 (Dong, Durfee, Rogers 2020; Cesar,
 * Rogers 2021).
 */
extern DpStatus dp_zcdp_of_bounded_range(DpEpsilon epsilon, uint64_t parts,
										 DpRho *rho);

/*
 * The same for a mechanism whose log-likelihood ratios lie between -e/2 and e, or
 * between -e and e/2, e = epsilon/parts, for any two neighbours (one-sided walks,
 * above_threshold.h): an interval of the length 3e/2, so parts times 9 e^2/32, or R(e)
 * where that is less, rounded up.
 */
extern DpStatus dp_zcdp_of_one_sided(DpEpsilon epsilon, uint64_t parts,
									 DpRho *rho);

/*
 * The cost of discrete Gaussian noise of variance (p/q)^2 for answers that
 * change by at most sqrt(squared) in L2: squared q^2 / (2 p^2), rounded up
 * (Canonne, Kamath, Steinke 2020).
 */
extern DpStatus dp_zcdp_of_gaussian(uint64_t p, uint64_t q, dp_uint128 squared,
									DpRho *rho);

#endif
