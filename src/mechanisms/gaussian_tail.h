/*
 * gaussian_tail.h
 *		Sums of exp(-x^2 / (2 v)) over the integers from k on, and integrals.
 *
 * Computed as rigorous enclosures (interval.h), each relative to its first term
 * or to the integrand at the end, so that nothing underflows.
 */
#ifndef DP_MECHANISMS_GAUSSIAN_TAIL_H
#define DP_MECHANISMS_GAUSSIAN_TAIL_H

#include "mechanisms/interval.h"

/* exp(-x^2 / (2 v)), v = numerator / denominator, above 0. */
typedef struct DpBell
{
	BIGNUM *numerator;
	BIGNUM *denominator;
} DpBell;

/*
 * The sum over x = k, k+1, ... divided by the term of k; k: at least 1.
 *
 * Term by term where v is below 256 or terms fall fast (8 k > v), cut off where
 * the rest is geometric. Else by the Euler-Maclaurin formula at a = k - 1/2, with
 * f(x) = exp(-x^2/(2 v)) and 16 terms:
 *
 *		sum = integral from a of f - sum of b_i f^(2i-1)(a), i = 1 .. 16, + R,
 *
 * b_i the coefficients of (x/2)/sinh(x/2). The derivatives are Hermite
 * polynomials. With |B_32(x)|/32! <= 4/(2 pi)^32 and the moments of the normal
 * distribution, |R| <= 2 sqrt(v) ((a/2v)^32 + 2 31!!/(4v)^16) f(a).
 */
extern void dp_bell_sum(DpWork *work, DpInterval *x, const DpBell *bell,
						dp_int128 k);

/*
 * The integral from a = numerator/denominator, not negative, on, divided by
 * exp(-a^2/(2 v)): sqrt(v) times Mills' ratio of z = a/sqrt(v). For z^2 below
 * 160, it is half of the whole bell less the series a sum z^2k/(2k+1)!!;
 * beyond, the asymptotic series, whose error is at most the first omitted term.
 */
extern void dp_bell_integral(DpWork *work, DpInterval *x, const DpBell *bell,
							 const BIGNUM *numerator,
							 const BIGNUM *denominator);

/* The sum over all integers: 1 + 2 exp(-1/(2 v)) dp_bell_sum(1). */
extern void dp_bell_total(DpWork *work, DpInterval *x, const DpBell *bell);

/* a^2 / (2 v), a = numerator / denominator. */
extern void dp_bell_exponent(DpWork *work, DpInterval *x, const DpBell *bell,
							 const BIGNUM *numerator,
							 const BIGNUM *denominator);

#endif
