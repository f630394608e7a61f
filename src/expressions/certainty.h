/*
 * certainty.h
 *		Which calls cannot fail for any row.
 *
 * For the list of wrapped functions (wrapped.h). What is claimed here of a
 * function must hold in each version of the server. So it is claimed of few:
 * the ones used most, which do little more than walk through bytes.
 */
#ifndef DP_EXPRESSIONS_CERTAINTY_H
#define DP_EXPRESSIONS_CERTAINTY_H

#include "expressions/wrapped.h"

/*
 * Functions of texts under the collation "C": they replace ASCII letters or
 * compare bytes, whatever these are, and ask no locale.
 */
extern bool dp_certain_by_bytes(FunctionCallInfo call);

/*
 * LIKE with a constant pattern under the same collation, in encodings where
 * bytes show where a character ends. The only error is that of a backslash at
 * the pattern's end, so the pattern must not end with one.
 */
extern bool dp_certain_like(FunctionCallInfo call);

#endif
