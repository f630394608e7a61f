/*
 * integer_text.h
 *		128-bit integers as decimal text, for the text forms of states.
 */
#ifndef DP_AGGREGATES_INTEGER_TEXT_H
#define DP_AGGREGATES_INTEGER_TEXT_H

#include "core/int128.h"

/* Digits, sign and the end of the string. */
#define DP_INTEGER_TEXT 41

/* Writes one, and returns where it starts within room. */
extern const char *dp_integer_write(dp_int128 value,
									char room[DP_INTEGER_TEXT]);

#endif
