/*
 * confidence.h
 *		Confidence intervals of a level L around private answers.
 *
 * This is post-processing of released answers and public parameters. Whatever
 * the truth is, the interval contains it with probability at least L over the
 * noise. The truth here is that of clamped values and bounded contributions.
 * Each interval holds by itself; k intervals at the level 1 - (1-L)/k hold
 * together with probability L.
 *
 * - Answer = truth + noise: the answer -+ h, h the least with P(|X| <= h) >= L.
 *   Where answers are clamped to a range, the same interval, cut to that range:
 *   a clamped answer is no further from the truth. The same for levels
 *   (two_stage.h), plus half a level, by which the truth was rounded.
 *
 * - Means (mean.h), A~ and B~ having noise each, T = A~ + B~: p in
 *   [(A~ - h)/T, (A~ + h)/T], cut to 0 .. 1; all of that if T <= 0. If p is the
 *   true one, (1-p) A~ - p B~ = A~ - p T is (1-p) Z_A - p Z_B. That is at most h
 *   where both draws are, so h at level sqrt(L) does (the draws are
 *   independent), and for laplace noise also that of half_width.h, at level L.
 *   Both are known before anything is drawn; the lesser is taken.
 *
 * - Variances (variance.h), of three noisy sums with T = B0~ + B1~ + B2~, in
 *   units of the span squared: with V~(c) = (c^2 B0~ - c(1-c) B1~ +
 *   (1-c)^2 B2~)/T, v~ its least value for c in 0 .. 1, and h at level L^(1/3),
 *   v in [v~ - h/T, (v~ T + h)/(T - h)], cut to 0 .. 1/4; all of that if T <= h.
 *   Proof, where no draw exceeds h: V~(m) T = v T + (m^2 - v) Z0 - (m(1-m) + v) Z1
 *   + ((1-m)^2 - v) Z2 at the true mean m, whose weights add up to at most 1 in
 *   size, as v <= m(1-m); so v~ <= V~(m) <= v + h/T. And v <= V(c~), the true sums'
 *   at c~, for which V(c~) T = v~ T + (V - c~^2) Z0 + (V + c~(1-c~)) Z1 +
 *   (V - (1-c~)^2) Z2 has weights that add up to at most 1 + V. Over n - 1 instead
 *   of n a variance is at most n'/(n'-1) times that, n' = (T - 3h)/steps rounded
 *   down, and 2 at least. Standard deviations: the roots.
 *
 * - A walk to a maximum (above_threshold of extreme.h): with probability L or
 *   more it stops at most j marks after the first one that is the maximum or
 *   above, so the maximum is above the mark j + 1 before the answer. The answer
 *   gives no upper limit, so the interval ends at the greatest point. For
 *   minima all of this is mirrored.
 *
 * - A count that decides whether its group is shown is at least t where it is
 *   seen. Given that, the law of the answer Y for a true count n rises with n, so
 *   the n >= 1 with P(Y >= y | n) > (1-L)/2 and P(Y > y | n) < (1+L)/2 are an
 *   interval, which has the true count with probability L or more.
 */
#ifndef DP_MECHANISMS_CONFIDENCE_H
#define DP_MECHANISMS_CONFIDENCE_H

#include "mechanisms/noise.h"

/* How an answer was made. */
typedef enum DpLawKind
{
	DP_LAW_NONE,	  /* there is no interval without the data */
	DP_LAW_EXACT,	  /* the truth, which has a single possible value */
	DP_LAW_NOISE,	  /* truth + noise */
	DP_LAW_LEVELS,	  /* a level + noise in levels */
	DP_LAW_RATIO,	  /* a mean, of two noisy sums */
	DP_LAW_VARIANCE,  /* of three */
	DP_LAW_DEVIATION, /* the root of that */
	DP_LAW_WALK_UP,	  /* over marks from the least point: a maximum */
	DP_LAW_WALK_DOWN  /* from the greatest: a minimum */
} DpLawKind;

/* The distribution of one answer; all of it is public. */
typedef struct DpLaw
{
	DpLawKind kind;
	DpNoise noise;	/* of each number that has some; of walks s and t alone */
	int exponent;	/* a step is 2^exponent, in the value's unit */
	bool has_least; /* the answer, in such steps, was clamped to no less ... */
	bool has_greatest; /* ... and to no more than */
	int64_t least;	   /* also of levels and means: the ends of the range */
	int64_t greatest;  /* likewise; of variances, least + span */
	uint64_t levels;   /* of levels: how many */
	uint64_t steps; /* of means and variances: that a row counts in the sums; of
					   walks: marks */
	bool has_threshold; /* a count that is shown from here on: */
	int64_t threshold;	/* of walks: theirs */
} DpLaw;

/*
 * Whether some prepared call has such a law, as far as all that follows must be
 * able to rely on it. To be asked of a law that was read from bytes, which say
 * anything.
 */
extern bool dp_law_is_sound(const DpLaw *law);

/*
 * The width h of intervals, in steps of the number that the noise is added to;
 * for walks, in steps of the grid, on the side that the walk came from. level:
 * in (0, 1), at most 1 - 2^-40. Errors: those of dp_half_width.
 */
extern DpStatus dp_law_width(const DpLaw *law, double level, dp_uint128 *width);

/* The greatest and the least level, also for messages. */
#define DP_LEVEL_MAX (1 - 0x1p-40)

/*
 * An end of the interval of a mean, as a fraction of the span: exact at 0 and
 * 1, and otherwise rounded outwards. sums: A~ and T.
 */
extern double dp_law_ratio_end(dp_uint128 width, const dp_int128 *sums,
							   bool is_high);

/* The same for levels. sums: the level, and the greatest one. */
extern double dp_law_level_end(dp_uint128 width, const dp_int128 *sums,
							   bool is_high);

/*
 * The same for a variance (over n - 1), in units of the span squared: 0 .. 1/2.
 * sums: B0~, B1~, B2~.
 */
extern double dp_law_variance_end(const DpLaw *law, dp_uint128 width,
								  const dp_int128 *sums, bool is_high);

/*
 * An end of the interval of a count that is shown from a threshold on; answer:
 * at least that. For geometric noise without a quantum, and for gaussian.
 */
extern int64_t dp_law_shown_end(const DpLaw *law, double level, int64_t answer,
								bool is_high);

/* log P(X >= k) of such noise, in doubles. */
extern double dp_noise_log_tail(const DpNoise *noise, double k);

#endif
