/*
 * smooth_sensitivity.h
 *		Noise for the median that is small where the data are dense.
 *
 * The lower median of n values is x[m], m = floor((n-1)/2), where x[i] is the
 * lower bound for i < 0 and the upper bound for i >= n. Adding, removing or
 * exchanging a row moves it by at most one of the two gaps beside it. Let
 *
 *		A_k = max over 0 <= t <= k+1 of x[m+t] - x[m+t-k-1],
 *
 * the widest window of k+1 gaps that contains m. After a change of one row each
 * such window lies in one of k+2 gaps that contains the new m (removing or
 * adding a row shifts one end by one place, an exchange does both), so A_k <=
 * A'_{k+1}: in data that differ by k rows, no gap beside the median is wider
 * than A_k.
 *
 * Smooth sensitivity is max over k of A_k exp(-beta k) (Nissim, Raskhodnikova,
 * Smith 2007, proposition 3.4). Rounding that up would break its smoothness, so
 * it is defined on a lattice of integers instead:
 *
 *		s_0 = 2^24, s_{j+1} = floor(s_j (1 + b + b^2/2)), b = beta/q,
 *		J = max over k of (min{j : s_j >= 2^24 max(A_k, 1)} - q k),
 *		S = s_J / 2^24,
 *
 * where q >= 1 makes b at most 1/16, so that S is at most 7% above what the
 * formula gives. By A_k <= A'_{k+1} neighbours differ by at most q in J, so in
 * ln S by at most beta; and S >= A_0. That is all the privacy argument needs of
 * S:
 *
 * Cauchy noise, scale S/alpha: the density 1/(1+z^2) changes by at most
 * exp(|d|) when z moves by d and by at most exp(|l|) when it is scaled by
 * exp(l), so the answer is (alpha+beta)-DP. alpha = beta = epsilon/2 (tight), or
 * epsilon/6 each (nrs, the constants of the paper).
 *
 * Laplace noise, scale S/alpha: first the scale changes at the old centre, then
 * the centre by at most alpha. With alpha = epsilon/2 and e = epsilon/2, a change
 * of scale by exp(l), 0 <= l <= beta, is (e, delta)-DP where
 *
 *		delta >= exp(-z) (1 - exp(-beta)), z = (e + beta)/(exp(beta) - 1),
 *		delta >= 1 - exp(-y) - exp(e) (1 - exp(-y exp(-beta))),
 *			y = (beta - e)/(1 - exp(-beta)), if beta > e:
 *
 * the hockey-stick divergences in the two directions, which grow with l since
 * ln|Z| is a location family with a monotone likelihood ratio. beta is the
 * greatest that satisfies both (tight), or at most the paper's
 * epsilon / (2 ln(2/delta)) (nrs). Doubles choose beta, a public number, with
 * a margin far wider than their error; all that follows is exact.
 *
 * Where beta is below 2^-11 the lattice would be too fine to walk; S is then
 * the whole span and all of epsilon goes to alpha.
 */
#ifndef DP_MECHANISMS_SMOOTH_SENSITIVITY_H
#define DP_MECHANISMS_SMOOTH_SENSITIVITY_H

#include <stddef.h>

#include "core/epsilon.h"
#include "core/points.h"
#include "mechanisms/contribution.h"
#include "mechanisms/mechanism.h"
#include "samplers/rounded_real.h"

/* alpha and beta are in units of 2^-21. */
#define DP_SMOOTH_ONE ((uint64_t) 1 << 21)

/* A prepared mechanism: plain data. */
typedef struct DpSmooth
{
	DpMechanism mechanism; /* DP_SMOOTH_CAUCHY or DP_SMOOTH_LAPLACE */
	uint64_t alpha;
	uint64_t beta;	/* 0: the sensitivity is the span */
	uint64_t q;		/* lattice points of one row */
	uint64_t b;		/* floor(beta / q) */
	uint64_t span;	/* of the grid */
	uint64_t reach; /* lattice points from a gap of one step to the span */
	int bits;		/* of the first cell of noise */
} DpSmooth;

/*
 * Guarantee: epsilon-DP for smooth_cauchy, (epsilon, delta)-DP for
 * smooth_laplace, of the medians of all groups together, for units of
 * contribution.rows rows: each row of a unit in each group gets its share of
 * epsilon and of delta (group privacy).
 * choice: one of the two mechanisms; span: of the grid.
 * Errors: DP_PARAMETER_OUT_OF_RANGE (no delta); DP_EPSILON_OUT_OF_RANGE (the
 * share is below 3 * 2^-20); DP_MECHANISM_NOT_APPLICABLE.
 */
extern DpStatus dp_smooth_init(DpSmooth *smooth,
							   const DpMechanismChoice *choice,
							   DpEpsilon epsilon, uint64_t span,
							   DpContribution contribution);

/*
 * J of values in lower .. upper, which are reordered: those around the median
 * are sorted afterwards.
 */
extern uint64_t dp_smooth_index(const DpSmooth *smooth, int64_t *values,
								size_t count, int64_t lower, int64_t upper);

/* s_J / 2^24 / alpha, in grid steps: the scale of the noise. */
extern DpScale dp_smooth_scale(const DpSmooth *smooth, uint64_t index);

/* dp_smooth_index of points that need not be in an array. */
extern uint64_t dp_smooth_index_points(const DpSmooth *smooth, DpPoints *points,
									   int64_t lower, int64_t upper);

/*
 * One private median, in lower .. upper; points are reordered. Without points
 * it is the lower bound, with the noise of the whole span.
 * Errors: DP_RANDOM_FAILED, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_smooth_draw_points(DpRandom *random, const DpSmooth *smooth,
									  DpPoints *points, int64_t lower,
									  int64_t upper, int64_t *result);

#endif
