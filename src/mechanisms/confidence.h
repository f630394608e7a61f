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
 * - A sum of answers, each with a draw of that noise: the same with the width of the
 *   sum of the draws, which are independent (dp_law_width).
 *
 * - Means and variances: sums_ends.h. Regressions: regression_ends.h.
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

/* How an answer was made; the numbers are stored with answers. */
typedef enum DpLawKind
{
	DP_LAW_NONE,		  /* there is no interval without the data */
	DP_LAW_EXACT,		  /* the truth, which has a single possible value */
	DP_LAW_NOISE,		  /* truth + noise */
	DP_LAW_LEVELS,		  /* a level + noise in levels */
	DP_LAW_RATIO,		  /* a mean, of two noisy sums */
	DP_LAW_VARIANCE,	  /* of three */
	DP_LAW_DEVIATION,	  /* the root of that */
	DP_LAW_WALK_UP,		  /* over marks from the least point: a maximum */
	DP_LAW_WALK_DOWN,	  /* from the greatest: a minimum */
	DP_LAW_VARIANCE_POP,  /* the variance over n, not n - 1 */
	DP_LAW_DEVIATION_POP, /* the root of that */
	DP_LAW_REGRESSION /* of nine sums; a second grid is the question's own */
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
	uint64_t levels;   /* of levels: how many; of noise: how many more draws are
						* added up in it */
	uint64_t steps;	   /* that a row counts in sums; of walks: marks */
	bool has_threshold; /* a count that is shown from here on: */
	int64_t threshold;	/* of walks: theirs */
} DpLaw;

/*
 * Whether some prepared call has such a law, as far as all that follows must be
 * able to rely on it. To be asked of a law that was read from bytes, which say
 * anything.
 */
extern bool dp_law_is_sound(const DpLaw *law);

/* The most draws that a law of noise adds up. */
#define DP_LAW_DRAWS_MAX 1000

/*
 * The width h of intervals, in steps of the number that the noise is added to; of
 * means and variances, of weighted sums whose weights add up to 1 in size; of
 * regressions, of each draw where all are within it; for walks, in steps of the grid,
 * on the side that the walk came from. level: in (0, 1), at most 1 - 2^-40. Errors:
 * those of dp_half_width.
 *
 * k draws add up to at most k times the width of one at the root of the level, for
 * they are independent. The lesser of that and of the following is taken.
 *
 * - Laplace and geometric noise without a quantum: a geometric number differs by less
 *   than 1 from a Laplace one. The sum of k of these is the difference of two gamma
 *   numbers; its size is that of a sum of J exponential ones, J being j with
 *   probability C(2k-j-1, k-j) / 2^(2k-j-1) (Kotz, Kozubowski, Podgorski 2001,
 *   proposition 2.3.2). So it is beyond x times their scale with probability
 *   exp(-x) times the sum of x^m/m! P(J > m) over m < k.
 * - Gaussian noise: a discrete Gaussian number is sub-Gaussian with its sigma
 *   (Canonne, Kamath, Steinke 2020, arXiv:2004.00010), so k of them are with
 *   sqrt(k) sigma: beyond w with probability 2 exp(-w^2 / (2 k sigma^2)) at most.
 */
extern DpStatus dp_law_width(const DpLaw *law, double level, dp_uint128 *width);

/*
 * The same for the noisy number of rows that such an answer has: of noise itself, of
 * a mean A~ + B~, of a variance B0~ + B1~ + B2~, of a regression all nine. Errors:
 * those of dp_half_width; DP_MECHANISM_NOT_APPLICABLE for the others, which have none.
 */
extern DpStatus dp_law_rows_width(const DpLaw *law, double level,
								  dp_uint128 *width);

/* That number of rows, in steps; one row counts for law->steps, or 1. */
extern dp_int128 dp_law_rows(const DpLaw *law, dp_int128 answer,
							 const dp_int128 *sums);

/*
 * 1 - level, rounded so that it is not above 1 minus the decimal that was
 * written.
 */
extern double dp_law_tail(double level);

/* The greatest and the least level, also for messages. */
#define DP_LEVEL_MAX (1 - 0x1p-40)

/*
 * An end of the interval of levels, as a fraction of the span: exact at 0 and 1, and
 * otherwise rounded outwards. sums: the level, and the greatest one.
 */
extern double dp_law_level_end(dp_uint128 width, const dp_int128 *sums,
							   bool is_high);

/*
 * An end of the interval of a count that is shown from a threshold on; answer:
 * at least that. For geometric noise without a quantum, and for gaussian.
 */
extern int64_t dp_law_shown_end(const DpLaw *law, double level, int64_t answer,
								bool is_high);

/* log P(X >= k) of such noise, in doubles. */
extern double dp_noise_log_tail(const DpNoise *noise, double k);

#endif
