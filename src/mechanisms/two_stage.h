/*
 * two_stage.h
 *		Answers from a few public levels (Chen, Pal, Golubchik, 5.2).
 *
 * The levels divide the span of the bounds into equal parts, both ends
 * included. The true answer is rounded to the nearest level, two-sided
 * geometric noise moves it by whole levels, and the result is clamped to the
 * levels. This beats noise on the answer itself where the truth is near a level
 * and epsilon is small to medium. At large epsilon it is worse, since the
 * rounding remains.
 *
 * Two answers whose distance is at most a part s of the span are at most
 * ceil(s (levels - 1)) levels apart after rounding, so noise of that
 * sensitivity hides one row:
 *
 *		maxima and minima: s = 1;
 *		means, without rows the middle of the bounds: s = 1/2, since a row moves
 *		the mean of n others by at most span/(n+1), n >= 1, and the middle by at
 *		most half of the span (add/remove; s = 1 under substitution, and for
 *		units of several rows, beside which one of a single row weighs little).
 */
#ifndef DP_MECHANISMS_TWO_STAGE_H
#define DP_MECHANISMS_TWO_STAGE_H

#include "mechanisms/expected_error.h"
#include "mechanisms/noise.h"

/* A prepared answer: plain data. */
typedef struct DpTwoStage
{
	uint64_t levels; /* 2 .. DP_LEVELS_MAX */
	bool half;		 /* the sensitivity is half of the span */
	DpNoise noise;	 /* in levels */
} DpTwoStage;

/*
 * choice->levels: how many; half: the answer's sensitivity is half of the span,
 * not all of it. Guarantee: epsilon-DP for an answer of that sensitivity.
 * Errors: DP_PARAMETER_OUT_OF_RANGE (levels), those of dp_noise_init.
 */
extern DpStatus dp_two_stage_init(DpTwoStage *prepared,
								  const DpMechanismChoice *choice,
								  DpEpsilon epsilon, bool half);

/*
 * One private level, 0 .. levels - 1. The truth is numerator/denominator of the
 * span, 0 .. 1; denominator: 1 .. 2^115.
 * Errors: DP_RANDOM_FAILED.
 */
extern DpStatus dp_two_stage_draw(DpRandom *random, const DpTwoStage *prepared,
								  dp_int128 numerator, dp_int128 denominator,
								  uint64_t *level);

/* P(answer is level `to`) where the truth is rounded to level `from`. */
extern double dp_two_stage_pmf(const DpTwoStage *prepared, uint64_t from,
							   uint64_t to);

/*
 * The error as a fraction of the span, for the least favourable truth: in
 * closed form from the distribution of the levels, rounding included.
 */
extern void dp_two_stage_error(const DpTwoStage *prepared, DpError *error);

#endif
