/*
 * zcdp.h
 *		Zero-concentrated differential privacy: amounts of rho.
 *
 * A mechanism M is rho-zCDP (Bun, Steinke 2016) if for all neighbours and all
 * a > 1 the Renyi divergence D_a(M(x) || M(x')) is at most a rho. rho adds up,
 * for questions that are chosen after earlier answers too. Each mechanism states
 * its rho in its own header.
 *
 * An amount of rho is an integer number of 10^-24. Costs are rounded up and what
 * is granted is rounded down, on enclosures (interval.h): doubles propose public
 * numbers, which are then verified.
 */
#ifndef DP_MECHANISMS_ZCDP_H
#define DP_MECHANISMS_ZCDP_H

#include "core/epsilon.h"
#include "core/int128.h"

#define DP_RHO_ONE ((dp_int128) 1000000000000 * 1000000000000)

typedef struct DpRho
{
	dp_int128 units; /* of 10^-24; 1 .. 10^37 of a cost */
} DpRho;

/*
 * What rho a grant of (epsilon, delta) is worth: every rho-zCDP mechanism is
 * (epsilon, delta)-DP. For any a > 1 it is where
 *
 *		exp((a-1) (a rho - epsilon)) (1-1/a)^a / (a-1) <= delta
 *
 * (Canonne, Kamath, Steinke 2020, proposition 12); a double finds a nearly best
 * one, and the greatest multiple of 10^-24 is taken for which that holds.
 *
 * delta: in (0, 1). Errors: DP_PARAMETER_OUT_OF_RANGE (delta, or no such rho:
 * delta is below what doubles can search), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_zcdp_of_grant(DpEpsilon epsilon, double delta, DpRho *rho);

/* The same of the best order in doubles, for plans: about that. */
extern double dp_zcdp_of_grant_about(double epsilon, double delta);

/*
 * The epsilon of that conversion for an amount of rho: what rho-zCDP is worth at
 * this delta, in doubles and rounded up; for people to read.
 */
extern double dp_zcdp_to_epsilon(double rho, double delta);

/*
 * What any epsilon-DP mechanism costs: R(e) = e tanh(e/2), rounded up.
 *
 * Proof. Every pair of laws that is e-DP is a function of randomised response
 * (Kairouz, Oh, Viswanath 2015), for which, with u = a - 1/2,
 * (a-1) D_a = ln cosh(u e) - ln cosh(e/2). That is concave in s = u^2; the tangent
 * at s = 1/4 has the slope R(e), and s - 1/4 = a (a-1). So D_a <= a R(e). With
 * a -> 1 it is seen to be tight.
 */
extern DpStatus dp_zcdp_of_pure(DpEpsilon epsilon, DpRho *rho);

/*
 * What discrete Laplace noise of ratio exp(-e/D) costs where the answer, or the
 * vector of answers in L1, changes by at most D:
 *
 *		K(e, D) = e - (1 - exp(-e)) x / sinh(x), x = e/D,
 *
 * which is R(e) for D = 1 and e - 1 + exp(-e) in the limit. Rounded up, as
 * e - (1 - exp(-e)) (1 - x^2/6) where that is below R(e).
 *
 * Proof. (a-1) D_a = F(a - 1/2) - F(1/2), F(u) = ln sum sqrt(P Q) exp(u L), is
 * the logarithm of a product of 1 + u^2/c_j^2, since the sum is zero only for
 * imaginary u; so it is concave in u^2, and the tangent at u = 1/2 gives
 * D_a <= a KL(P || Q) = a K(e, D). K is convex in the shift and 0 at 0, so of a
 * vector all the change in one place is worst. (The limit: Harrison, Manurangsi
 * 2025.)
 *
 * sensitivity: D, at least 1.
 */
extern DpStatus dp_zcdp_of_laplace(DpEpsilon epsilon, dp_uint128 sensitivity,
								   DpRho *rho);

/*
 * What the exponential mechanism costs, and any mechanism whose log-likelihood
 * ratios for two neighbours lie in an interval of length e: e^2/8, or R(e) where
 * that is less, rounded up.
 *
 * Proof. With L the loss, k(t) = ln E exp(t L) has k(-1) = k(0) = 0 and
 * k'' <= e^2/4; so k(t) - t (t+1) e^2/8 is concave with zeros at -1 and 0, hence
 * not positive for t = a-1 > 0: D_a <= a e^2/8 (Dong, Durfee, Rogers 2020; Cesar,
 * Rogers 2021).
 */
extern DpStatus dp_zcdp_of_bounded_range(DpEpsilon epsilon, DpRho *rho);

/*
 * What discrete Gaussian noise of variance (p/q)^2 costs for answers that change
 * by at most sqrt(squared) in L2: squared q^2 / (2 p^2), rounded up (Canonne,
 * Kamath, Steinke 2020, theorem 4 and, for vectors, corollary 15).
 */
extern DpStatus dp_zcdp_of_gaussian(uint64_t p, uint64_t q, dp_uint128 squared,
									DpRho *rho);

/* a times, saturating at 10^37 units: rho adds up. */
extern DpRho dp_zcdp_times(DpRho rho, uint64_t times);

#endif
