/*
 * zcdp_grant.h
 *		Zero-concentrated differential privacy: what grants of (epsilon, delta)
 *		are worth in rho, and the reverse.
 */
#ifndef DP_MECHANISMS_ZCDP_GRANT_H
#define DP_MECHANISMS_ZCDP_GRANT_H

#include "core/epsilon.h"
#include "mechanisms/zcdp.h"

/*
 * The rho that a grant of (epsilon, delta) is worth: every rho-zCDP mechanism
 * is (epsilon, delta)-DP. It is if, for some a > 1,
 *
 *		exp((a-1) (a rho - epsilon)) (1-1/a)^a / (a-1) <= delta
 *
 * (Canonne, Kamath, Steinke 2020, proposition 12); doubles find a nearly best
 * a, and the greatest multiple of 10^-24 for which this holds is taken.
 *
 * delta: in (0, 1). Errors: DP_PARAMETER_OUT_OF_RANGE (delta, or no such rho:
 * delta is below what doubles can search), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_zcdp_of_grant(DpEpsilon epsilon, double delta, DpRho *rho);

/* The same for the best order, approximately, in doubles: for planning. */
extern double dp_zcdp_of_grant_about(double epsilon, double delta);

/*
 * The reverse conversion: the epsilon of rho-zCDP at this delta, in doubles and
 * rounded up; for people to read.
 */
extern double dp_zcdp_to_epsilon(double rho, double delta);

/*
 * An epsilon, a multiple of 2^-20, for which every mechanism of this rho is
 * (epsilon, delta)-DP by the bound above: verified as that of a grant is, and
 * nearly the least one. So no grant of it is worth less than rho.
 *
 * For Gaussian noise the exact epsilon is about 7% less at (1, 1e-6). But the
 * bound needs no more than rho, so it holds for any change, in any direction,
 * of as many numbers as there are, and for several such answers together.
 *
 * delta: in (0, 1). Errors: DP_PARAMETER_OUT_OF_RANGE (delta, no rho),
 * DP_EPSILON_OUT_OF_RANGE (it is above 10^6), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_zcdp_cost_of_rho(DpRho rho, double delta,
									DpEpsilon *epsilon);

#endif
