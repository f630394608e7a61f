/*
 * gaussian_delta.h
 *		The privacy loss of discrete Gaussian noise: delta as a function of
 *		epsilon.
 *
 * Everything here is an upper bound on rigorous enclosures (interval.h).
 */
#ifndef DP_MECHANISMS_GAUSSIAN_DELTA_H
#define DP_MECHANISMS_GAUSSIAN_DELTA_H

#include "mechanisms/interval.h"
#include "samplers/discrete_gaussian.h"

/* Epsilons here are multiples of 2^-60, of either sign. */
#define DP_LOSS_BITS 60

/* Of a work, more than the binary logarithm of 1/delta. */
#define DP_GAUSSIAN_BITS 192

/* How far the answers of neighbouring data sets are apart. */
typedef struct DpGaussianReach
{
	uint64_t numbers;	/* most answers that differ; 1 .. 2^34 */
	uint64_t change;	/* of each of them, at most; 0: not known but through
					   * distance, and in any direction */
	uint64_t distance;	/* in L2, rounded up; 1 .. 2^42 */
	dp_uint128 squared; /* exact square of that; not above distance^2 */
} DpGaussianReach;

/*
 * delta(e) of noise N_Z(0, sigma^2) on n numbers each of which changes by at most
 * c: what P(A) - exp(e) P'(A) can be at most for any event A and neighbours. With
 * S the sum of n such draws,
 *
 *		delta(e) = P(S >= t) - exp(e) P(S >= t + n c),
 *		t = floor(e sigma^2 / c - n c / 2) + 1.
 *
 * (n = 1: Canonne, Kamath, Steinke 2020, theorem 7.) Proof. Where all n change
 * by c, the privacy loss of draws with the sum s is (n c^2 + 2 c s)/(2 sigma^2).
 * That is the worst case: the divergence of (Y, Y + d) for Y log-concave on the
 * integers rises with d at every exp(e), so the pair for d is a function of that
 * for d + 1 (Blackwell), and so it is with products of such pairs.
 *
 * S is not itself discrete Gaussian for n > 1, but its probabilities are within
 * exp(+-tau) of those of N_Z(0, n sigma^2), tau = 5 (n-1) exp(-pi^2 sigma^2), for
 * sigma >= 1/2. Proof, by induction: the k-th step convolves N_Z(0, k sigma^2)
 * with N_Z(0, sigma^2), which at z is exp(-z^2/(2 (k+1) sigma^2)) times a sum of
 * exp(-(x - w)^2/(2 v)) over the integers, v = sigma^2 k/(k+1) >= sigma^2/2. By
 * Poisson summation that is c (1 +- h) for every w, h = 2 sum exp(-2 pi^2 v j^2),
 * so the law changes by a factor within (1+h)/(1-h) <= exp(5 exp(-2 pi^2 v)).
 * (Kairouz, Liu, Steinke 2021, who have 10.) A smaller sigma has the bound 1.
 *
 * *x is an enclosure of that bound; its upper end is what counts. reach->change:
 * at least 1. loss: e, in units of 2^-60.
 */
extern void dp_gaussian_delta(DpWork *work, DpInterval *x, DpSigma sigma,
							  const DpGaussianReach *reach, dp_int128 loss);

/*
 * The same for a vector of n numbers that changes by at most D in L2, in any
 * direction: that of continuous noise, with a margin. Let |Y| <= T sigma for all
 * n, but for w = 2 n exp(-T^2/2). Within that the laws of discrete and of
 * rounded continuous noise differ by a factor within exp(+-eta),
 * eta = n (T/(2 sigma) + 1/(2 sigma^2)); so
 *
 *		delta(e) <= exp(eta) G(e - 2 eta) + (1 + exp(e + eta)) w,
 *		G(e) = Phi(D/(2s) - e s/D) - exp(e) Phi(-D/(2s) - e s/D), s = sigma
 *
 * (Balle, Wang 2018). T is chosen for deltas of 2^(DP_GAUSSIAN_BITS - work->bits)
 * and more. loss: not negative. Where nothing follows, 1.
 */
extern void dp_gaussian_vector_delta(DpWork *work, DpInterval *x, DpSigma sigma,
									 const DpGaussianReach *reach,
									 dp_int128 loss);

/* P(Y >= k) of N_Z(0, sigma^2), for any k of 100 bits. */
extern void dp_gaussian_tail(DpWork *work, DpInterval *x, DpSigma sigma,
							 dp_int128 k);

#endif
