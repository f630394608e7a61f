/*
 * joint_staircase.h
 *		The discrete staircase distribution of several integers together.
 *
 * For vectors z of d integers, of the size |z| = |z_1| + ... + |z_d|, with the
 * sensitivity D, the first step r and b = exp(-epsilon):
 *
 *		P(z) = a * b^level(|z|)
 *		level(m) = 0 for m < r, else 1 + floor((m - r) / D)
 *
 * Guarantee: a shift by a vector of the size D at most changes P by a factor of at
 * most exp(epsilon), whatever r is: it changes |z| by at most D, and level(m + D)
 * = level(m) + 1 from r on, no more before. So r is a public choice. One by k D at
 * most changes it by exp(k epsilon) at most, for k steps of that kind lead there.
 *
 * Of d = 1 it is staircase.h. With
 *
 *		V(n) = how many vectors are smaller than n: 2n(n-1) + 1 for d = 2,
 *			   (2n-1) (2n^2 - 2n + 3) / 3 for d = 3
 *		q    = b / (1-b), and differences with the step D
 *
 * all sums over levels are Newton's series: the sum over k >= 0 of (1-b) b^k F(r +
 * kD) is, for polynomials F, the sum over i >= 0 of (diff^i F)(r) q^i. That of V is
 * 1/a. So the first level has the probability V(r) a.
 *
 * Source: Geng, Kairouz, Oh, Viswanath, The Staircase Mechanism in Differential
 * Privacy, IEEE J. Sel. Topics Signal Process. 9 (2015), of real vectors.
 */
#ifndef DP_SAMPLERS_JOINT_STAIRCASE_H
#define DP_SAMPLERS_JOINT_STAIRCASE_H

#include "samplers/staircase.h"

/* The most integers that are drawn together. */
#define DP_JOINT_SUMS_MAX 3

/*
 * Prepares draws. sums: 2 or 3; bits: DP_REAL_BITS outside tests. Errors: as
 * dp_staircase_init, DP_PARAMETER_OUT_OF_RANGE also for sums.
 */
extern DpStatus dp_joint_staircase_init(DpStaircase *staircase, uint32_t sums,
										uint64_t sensitivity,
										uint64_t first_step, DpEpsilon epsilon,
										int bits);

/*
 * One draw of all, exactly; the time does not grow with epsilon. Errors:
 * DP_RANDOM_FAILED (also of a level above 2^62, which has a probability below
 * exp(-2^42)), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_joint_staircase_draw(DpRandom *random,
										const DpStaircase *staircase,
										dp_int128 values[DP_JOINT_SUMS_MAX]);

#endif
