/*
 * integer_text.h
 *		128-bit integers as decimal text, for the text forms of states.
 */
#ifndef DP_AGGREGATES_INTEGER_TEXT_H
#define DP_AGGREGATES_INTEGER_TEXT_H

#include "core/int128.h"

/* Digits, sign and the end of the string. */
#define DP_INTEGER_TEXT 41

/*
 * Reads a decimal integer. The first character behind it; NULL when there is
 * none or it does not fit.
 */
extern const char *dp_integer_read(const char *text, dp_int128 *value);

/*
 * Reads the text form of a state of that SQL type, (integer,...): so many
 * integers, of which the first alone may be negative and the last is a bigint.
 * Error: invalid_text_representation, with that hint.
 */
extern void dp_integers_read(const char *text, dp_int128 *integers, int number,
							 const char *type, const char *hint);

/* Writes one, and returns where it starts within room. */
extern const char *dp_integer_write(dp_int128 value,
									char room[DP_INTEGER_TEXT]);

#endif
