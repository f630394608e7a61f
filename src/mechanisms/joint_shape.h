/*
 * joint_shape.h
 *		Errors and widths of staircase noise on two or three sums together.
 *
 * Public arithmetic in doubles: nothing here draws noise or sees data. The law is that
 * of samplers/joint_staircase.h, a mixture of laws that are uniform on balls: on the
 * vectors of a size below n = r + kD, with a probability proportional to b^k V(n). So
 * whatever is counted in balls as F(n), a polynomial from some level l on and 0 before,
 * has the mean
 *
 *		b^l (sum over i of (diff^i F)(r + lD) q^i) / (sum over i of (diff^i V)(r) q^i)
 */
#ifndef DP_MECHANISMS_JOINT_SHAPE_H
#define DP_MECHANISMS_JOINT_SHAPE_H

#include "mechanisms/mechanism.h"
#include "samplers/joint_staircase.h"

/* The probability of one vector of a size. */
extern double dp_joint_pmf(const DpStaircase *shape, double size);

/* E|X| and E X^2 of one of the numbers. */
extern double dp_joint_mean_absolute(const DpStaircase *shape);
extern double dp_joint_mean_square(const DpStaircase *shape);

/*
 * The first step r in 1 .. sensitivity of least E|X| or E X^2. Privacy does not
 * depend on r, so the search may use doubles.
 */
extern double dp_joint_best_step(uint32_t sums, double sensitivity,
								 DpEpsilon epsilon, DpCost cost);

/* P(|X| > h) of one of the numbers, and of the size of all; h: whole, 0 or more. */
extern double dp_joint_tail(const DpStaircase *shape, double h);
extern double dp_joint_size_tail(const DpStaircase *shape, double h);

/* The least h with P(|X| > h) <= tail. */
extern double dp_joint_half_width(const DpStaircase *shape, double tail);

/*
 * A width w with P(|w1 X1 + w2 X2 + w3 X3| > w) <= tail for all weights of which none
 * exceeds the given one in size, and which add up to no more than `sum` in size; the
 * third is 0 where only two are drawn together. It is the least of three.
 *
 * - sum h, where all |X| are within h but for the tail, as P(|X| > h) <= tail/d says.
 * - The greatest weight times the width of the size.
 * - x + sum/2, by the law of real vectors. Let Y be uniform on the real ball of the
 *   size R = n - 1 + d/2, and v its volume. The unit cubes around the integer vectors
 *   of a size below n are within that ball, and within them a weighted sum differs by
 *   sum/2 at most. So of these vectors no more than v P(|sum of w Y| > x) have a
 *   weighted sum beyond x + sum/2.
 *
 *   The ball is convex and symmetric in each number. Given one number, the sum of the
 *   others' is symmetric and unimodal, so P(|sum of w Y| <= x) falls as any |w| rises
 *   (Anderson 1955). It also falls as two weights are moved apart with their sum kept:
 *   with u, t = Y1 + Y2, Y1 - Y2, and t given, the rest of the sum is symmetric, as the
 *   ball is the same under -1 and under an exchange of Y1 and Y2, and unimodal, and t
 *   times half the difference of the weights moves it further out. So for a given
 *   sum of the |w| it is least where that is the weight of one of them. That one has
 *   P(|w Y| > x) = (1 - x / (w R))^d where this is positive.
 *
 *   For unequal weights, independent Laplace numbers are Y on a sphere, times a
 *   radius with a gamma law. Their sum has P(> x) = sum over i of c_i exp(-x/w_i),
 *   c_i as in weighted_laplace.h; so on the sphere of radius 1 it is, as Laplace
 *   transforms are unique, the sum of c_i (1 - x/w_i)^(d-1), and in the ball the sum of
 *   c_i (1 - x / (w_i R))^d, each where this is positive. With volumes instead of
 *   probabilities these are polynomials in n. Weights that are nearly equal are set
 *   apart, upwards.
 */
extern double dp_joint_weighted_width(const DpStaircase *shape, double tail,
									  const double weights[3], double sum);

#endif
