/*
 * numeric_value.h
 *		numeric to double and 128-bit integers to numeric.
 */
#ifndef DP_AGGREGATES_NUMERIC_VALUE_H
#define DP_AGGREGATES_NUMERIC_VALUE_H

#include "utils/numeric.h"

#include "core/int128.h"

/*
 * The double nearest to a numeric; NaN and infinities are kept, and what is
 * beyond the range of double becomes an infinity. It never fails.
 *
 * Values of up to 15 or 16 digits are read straight from the stored digits;
 * the rest goes through numeric's own conversion.
 */
extern double dp_numeric_to_double(Datum numeric);

extern Numeric dp_numeric_from_int128(dp_int128 value);

/* A whole number; saturates. NaN is 0. */
extern dp_int128 dp_numeric_to_int128(Datum numeric);

/*
 * value * 2^exponent. For negative exponents rounded to as many decimals as
 * show one step of 2^exponent, and one more.
 */
extern Numeric dp_numeric_scale(Numeric value, int exponent);

/* A value rounded to the decimals that steps of 2^exponent tell apart. */
extern Numeric dp_numeric_round_to_step(Numeric value, int exponent);

/* value * 2^exponent, so rounded where the exponent is negative. */
extern Numeric dp_numeric_of_steps(Numeric value, int exponent);

/*
 * A whole number of steps of 2^exponent as a numeric with the decimals that such
 * steps tell apart, exactly rounded down or up.
 */
extern Numeric dp_numeric_outwards(dp_int128 steps, int exponent, bool up);

/* lower + span * numerator / denominator, to 16 significant digits or more. */
extern Numeric dp_numeric_between(int64 lower, uint64 span, dp_int128 numerator,
								  dp_int128 denominator);

#endif
