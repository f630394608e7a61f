/*
 * regression_ends.h
 *		Intervals of what follows from the nine noisy sums of a regression.
 *
 * With the sums B~ij = Bij + Zij of regression.h, T their total without noise, T~ the
 * noisy one, and f any polynomial of i and j whose mean over the shares Bij/T is F,
 *
 *		sum of f B~ - F T~ = sum of (f - F) Z,		sum of f B~ - F T = sum of f Z.
 *
 * So, where |sum of w Z| is at most h(w) (regression_width.h), a mean m, a variance v
 * and the covariance g of the shares meet, with c, q, p the means, variances and the
 * covariance of B~/T~,
 *
 *		|c - m| T~ <= h(i/2 - m),
 *		|q + (c-m)^2 - v| T~ <= h([i=2] - i m + m^2 - v),
 *		|p + (c-m)(c'-m') - g| T~ <= h((i/2-m)(j/2-m') - g),
 *
 * and T v, T g the same without - v, - g in the weights. The weights follow from the
 * truth, not from the draw, so each h holds for the truth at its share of the tail; the
 * shares of what an answer follows from add up to 1. As in sums_ends.h, all that is
 * possible gives bounds of the weights, these a width, and so on. The answer is computed
 * from these ranges by arithmetic of intervals, and is within what it may be: |g| <=
 * sqrt(v v'), v <= m(1-m), |corr| <= 1. Where a variance that is divided by may be 0,
 * ends are infinite.
 */
#ifndef DP_MECHANISMS_REGRESSION_ENDS_H
#define DP_MECHANISMS_REGRESSION_ENDS_H

#include "mechanisms/confidence.h"
#include "mechanisms/double_range.h"
#include "mechanisms/regression.h"

/* What ranges of values are computed from: all but the sums is public. */
typedef struct DpRegressionEnds
{
	const DpLaw *law;
	double level;
	dp_uint128 width; /* dp_law_width of that level */
	double lower[2];  /* of the bounds of y and x */
	double spans[2];  /* from there to the upper bounds */
	const dp_int128 *sums;
} DpRegressionEnds;

/*
 * The interval of a value, but for the number of rows (dp_law_rows_width), rounded
 * outwards. All that is possible if the sums' total is not above 0.
 */
extern DpRange dp_regression_range(const DpRegressionEnds *ends,
								   DpRegressionValue value);

#endif
