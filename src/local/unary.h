/*
 * unary.h
 *		Values as bits, one for each declared value, each randomised by itself.
 *
 * The true value's bit is 1 and all others are 0; a value that is not declared
 * has no bit. So the bits of two values differ in at most two bits. Each bit
 * is randomised by a coin of its own:
 *
 * - symmetric (RAPPOR's permanent response: Erlingsson, Pihur, Korolova 2014,
 *   with one hash for each value): flipped with probability
 *   1 / (1 + e^(epsilon/2)). Either bit changes the probability of a report by
 *   a factor of at most e^(epsilon/2).
 * - optimal (Wang, Blocki, Li, Jha 2017, OUE): a 1 is reported as 1 with
 *   probability 1/2, a 0 with 1 / (1 + e^epsilon). Between two values that both
 *   have a bit, these two change the probability of a report by a factor
 *   of at most (1/2)/q * (1-q)/(1/2) = e^epsilon; where one has none, by at
 *   most max((1+e^epsilon)/2, 2/(1+e^-epsilon)), which is not more.
 *
 * Both are epsilon-DP in the local model. A coin of probability 1 / (1 + e^x),
 * x rational, is drawn exactly: a fair coin keeps the bit; if it does not, a
 * coin of probability e^-x flips it; if that does not either, all is repeated.
 * P(flip) = e^-x / (1 + e^-x).
 *
 * A report of a stored symmetric response (RAPPOR's instantaneous response)
 * keeps each of its bits with probability q', and otherwise flips it, so that
 * one report is report_epsilon-DP: with x = e^(-report_epsilon/2) and y =
 * e^(-epsilon/2),
 *
 *		q' = (1 - xy) / ((1+x)(1-y)),
 *
 * rounded down, towards 1/2, to a multiple of 2^-32: that falls with x and
 * grows with y, so that enclosures bound it. All reports of one stored
 * response together are epsilon-DP, since they are made of it alone.
 */
#ifndef DP_LOCAL_UNARY_H
#define DP_LOCAL_UNARY_H

#include <stdbool.h>

#include "core/epsilon.h"
#include "random/source.h"

typedef enum DpEncoding
{
	DP_ENCODING_OPTIMAL,
	DP_ENCODING_SYMMETRIC
} DpEncoding;

/*
 * Draws the report of one bit of a value. Errors: DP_RANDOM_FAILED.
 */
extern DpStatus dp_unary_draw(DpRandom *random, DpEncoding encoding,
							  DpEpsilon epsilon, bool bit, bool *report);

/* How reports of a stored bit are drawn. */
typedef struct DpUnaryReport
{
	uint64_t flips; /* a bit is flipped with probability flips / 2^32 */
} DpUnaryReport;

#define DP_UNARY_REPORT_ONE ((uint64_t) 1 << 32)

/*
 * epsilon: that of the stored response; report_epsilon: of one report, below
 * epsilon. Errors: DP_PARAMETER_OUT_OF_RANGE (not below), DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_unary_report_init(DpUnaryReport *report, DpEpsilon epsilon,
									 DpEpsilon report_epsilon);

/* Draws the report of one stored bit. Errors: DP_RANDOM_FAILED. */
extern DpStatus dp_unary_report_draw(DpRandom *random,
									 const DpUnaryReport *report, bool stored,
									 bool *result);

#endif
