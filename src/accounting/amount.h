/*
 * amount.h
 *		Exact amounts of epsilon and delta.
 *
 * An amount is an integer number of 10^-24. Decimal fractions of up to 24
 * places are exact: ten times 0.1 is 1. Further places are rounded in the
 * direction that the caller chooses: charges up and grants down, so that no sum
 * of charges exceeds a grant by rounding.
 */
#ifndef DP_ACCOUNTING_AMOUNT_H
#define DP_ACCOUNTING_AMOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/epsilon.h"
#include "core/int128.h"

#define DP_AMOUNT_DECIMALS 24

/* The greatest amount: 10^13, far above any sum of epsilons. */
#define DP_AMOUNT_LIMIT_DIGITS 13

typedef struct DpAmount
{
	dp_int128 ticks; /* of 10^-24; 0 .. 10^37 */
} DpAmount;

/* Room for the text of any amount, with the terminating zero. */
#define DP_AMOUNT_TEXT 48

/*
 * Reads a plain decimal number that is not negative, such as 0.25. up: whether
 * places beyond the 24th are rounded up. False when the text has another form
 * or the amount is above 10^13.
 */
extern bool dp_amount_parse(const char *text, bool up, DpAmount *amount);

/* Writes the shortest plain decimal that is exactly the amount. */
extern void dp_amount_format(DpAmount amount, char text[DP_AMOUNT_TEXT]);

/*
 * The charge for a double that was asked for: its decimal of 15 significant
 * digits, so that what people write as 0.1 is charged as 0.1, and ten times
 * that is 1. False for NaN, negative values and values above 10^13.
 *
 * The double may be a little greater than that decimal: 0.1 by 5.6e-18, others
 * by up to 5e-15 of their size. So mechanisms never use the double. They use
 * the decimal, rounded down by one of the functions below, and never more than
 * was charged.
 */
extern bool dp_amount_from_double(double value, DpAmount *amount);

/*
 * The epsilon that a mechanism may use when this amount is charged: rounded
 * down to a multiple of 2^-20, so never more. False when that is out of range.
 */
extern bool dp_amount_to_epsilon(DpAmount amount, DpEpsilon *epsilon);

/*
 * The epsilon that is used when this double, 2^-20 .. 10^6, was asked for.
 * False when it is out of range.
 */
extern bool dp_amount_epsilon_of(double asked, DpEpsilon *epsilon);

/* The delta that may be used when this amount is charged: the greatest double
 * that is not above it. */
extern double dp_amount_to_delta(DpAmount amount);

/* The greatest amount, 10^13. */
extern DpAmount dp_amount_greatest(void);

/* a + b, saturating at 10^37 ticks. */
extern DpAmount dp_amount_add(DpAmount a, DpAmount b);

/* a - b, or 0 where that is negative. */
extern DpAmount dp_amount_left(DpAmount a, DpAmount b);

/* -1, 0 or 1 */
extern int dp_amount_compare(DpAmount a, DpAmount b);

#endif
