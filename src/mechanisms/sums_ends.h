/*
 * sums_ends.h
 *		Ends of the intervals of means and variances, from their noisy sums.
 *
 * What is true of a mean or a variance, p or (m, v), makes a weighted sum of the
 * noise known, whose weights are known, too, and which is seldom beyond its width.
 * The interval contains all p, or all v, for which no such sum is beyond. Whatever
 * the width depends on but the truth itself is public, so the truth is in there with
 * probability L, however p or v were found. It is computed from the outside: all that
 * is possible gives bounds of the weights, these give widths, these a smaller range of
 * what is possible, and so on, a few times.
 *
 * - Means (mean.h) of sums A~, B~, T = A~ + B~: A~ - p T = (1-p) Z_A - p Z_B, with
 *   weights that add up to 1. All of 0 .. 1 if T <= 0.
 *
 * - Variances (variance.h), of three noisy sums with T = B0~ + B1~ + B2~, in units of
 *   the span squared, m the mean and v <= m(1-m) the variance over n:
 *
 *		B2~ + (m^2 - v) T - m (B1~ + 2 B2~) =
 *				(m^2 - v) Z0 - (m(1-m) + v) Z1 + ((1-m)^2 - v) Z2
 *		B1~/2 + B2~ - m T = -m Z0 + (1/2 - m) Z1 + (1-m) Z2
 *
 *   The left side of the first one is ((m - c)^2 + B2~/T - c^2 - v) T, c being
 *   (B1~/2 + B2~)/T. Its weights add up to at most 1 in size, those of the second one
 *   to 1 + |1/2 - m|. So the second one bounds m, and the first one v. All that is
 *   possible if T is no greater than the width of Z0 + Z1 + Z2. Over n - 1 instead of
 *   n a variance is at most n'/(n'-1) times that, n' = (T less that width)/steps
 *   rounded down, and 2 at least. Standard deviations: the roots.
 *
 * Widths for laplace noise are those of weighted_laplace.h, for a joint staircase
 * those of joint_shape.h, at 1 - L for a mean and, of a variance, at 0.88, 0.1 and 0.02 of that for the first sum, the second one and
 * Z0 + Z1 + Z2, so that all hold at once with probability L. For other noise they are
 * the weights' sum times h, where the draws are all within h with probability L: each
 * at the level L^(1/2) or L^(1/3).
 */
#ifndef DP_MECHANISMS_SUMS_ENDS_H
#define DP_MECHANISMS_SUMS_ENDS_H

#include "mechanisms/confidence.h"

/* Of the tail of a variance, what is for the first of its sums. */
#define DP_SUMS_ENDS_SHARE 0.88

/* How the widths of weighted sums are found. */
typedef enum DpSumsWay
{
	DP_SUMS_APART, /* from the width of each draw */
	DP_SUMS_LAPLACE,
	DP_SUMS_STAIRCASE
} DpSumsWay;

extern DpSumsWay dp_sums_ends_way(const DpLaw *law);

/* dp_law_width of a mean's or a variance's weighted sums, at a tail. */
extern DpStatus dp_sums_ends_width(const DpLaw *law, double tail,
								   dp_uint128 *width);

/*
 * An end of the interval of a mean, as a fraction of the span: exact at 0 and
 * 1, and otherwise rounded outwards. width: dp_law_width of the level. sums: A~ and
 * T.
 */
extern double dp_law_ratio_end(const DpLaw *law, double level, dp_uint128 width,
							   const dp_int128 *sums, bool is_high);

/*
 * The same for a variance, in units of the span squared: 0 .. 1/2, or 1/4 over n.
 * sums: B0~, B1~, B2~.
 */
extern double dp_law_variance_end(const DpLaw *law, double level,
								  dp_uint128 width, const dp_int128 *sums,
								  bool is_high);

#endif
