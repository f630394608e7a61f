/*
 * certainty.h
 *		Calls of functions that raise nothing which depends on a row.
 *
 * For lists of functions (wrapped.h). What is said here of a function must hold
 * in each version of the server, so it is said of few: those that are asked for
 * most, and do little else than to go through their bytes.
 */
#ifndef DP_EXPRESSIONS_CERTAINTY_H
#define DP_EXPRESSIONS_CERTAINTY_H

#include "expressions/wrapped.h"

/*
 * Texts by the collation "C": letters of ASCII are replaced, bytes compared,
 * whatever they are, and no locale is asked.
 */
extern bool dp_certain_by_bytes(FunctionCallInfo call);

/*
 * A text by a constant pattern of LIKE under the same collation, where the
 * encoding tells a character's end by its bytes. The one error is that of a
 * backslash at the pattern's end, so it must have none.
 */
extern bool dp_certain_like(FunctionCallInfo call);

#endif
