/*
 * rounded_real.h
 *		Continuous noise on a grid: scaled, then rounded to the nearest integer.
 *
 * The continuous number is known as a cell of binary digits. More of them are
 * drawn until the whole cell, scaled, rounds to one integer. So the integer is
 * the rounded real number itself, and no double takes part in the decision.
 */
#ifndef DP_SAMPLERS_ROUNDED_REAL_H
#define DP_SAMPLERS_ROUNDED_REAL_H

#include "core/int128.h"
#include "random/source.h"

#define DP_ROUNDED_BITS 64

/* A positive rational factor. */
typedef struct DpScale
{
	dp_uint128 numerator; /* 1 .. 2^100 */
	uint64_t denominator; /* 1 .. 2^62 */
} DpScale;

/*
 * scale * Z rounded to the nearest integer and clamped to -limit .. limit,
 * where Z has the density 1 / (pi (1 + z^2)): the quotient of the coordinates of
 * a point drawn in the quarter disc, with a sign.
 *
 * limit: 0 .. 2^62; bits: of the first cell, DP_ROUNDED_BITS outside tests
 * (1 .. 64). Errors: DP_RANDOM_FAILED, DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_rounded_cauchy_draw(DpRandom *random, DpScale scale,
									   uint64_t limit, int bits,
									   int64_t *value);

/*
 * The same where Z has the density exp(-|z|) / 2. |Z| is an integer, counted by
 * coins of probability exp(-1), plus a fraction whose binary digits are
 * independent: the digit of 2^-i is one with probability 1 / (1 + exp(2^-i)).
 */
extern DpStatus dp_rounded_laplace_draw(DpRandom *random, DpScale scale,
										uint64_t limit, int bits,
										int64_t *value);

/* P(value <= z) without a limit, in doubles. */
extern double dp_rounded_cauchy_below(double scale, double z);
extern double dp_rounded_laplace_below(double scale, double z);

#endif
