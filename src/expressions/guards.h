/*
 * guards.h
 *		Which arguments functions can process in bounded memory and time.
 *
 * Wrapped forms do not turn running out of memory into NULL, so whether that
 * happens must not depend on a row. Most functions return results of bounded
 * size for arguments of bounded size; those that can return more have a guard
 * (wrapped.h) of their own.
 */
#ifndef DP_EXPRESSIONS_GUARDS_H
#define DP_EXPRESSIONS_GUARDS_H

#include "access/detoast.h"
#include "nodes/primnodes.h"

#include "expressions/wrapped.h"
#include "server/compat.h"

/* Bytes of a single value; longer ones give NULL. */
#define DP_GUARD_VALUE ((Size) 1024 * 1024)
#define DP_GUARD_NUMERIC ((Size) 512)

/* Bytes of a function's result. */
#define DP_GUARD_RESULT ((Size) 1024 * 1024)

/* The size of a value with its header, uncompressed. */
static inline Size
dp_guard_size(Datum value)
{
	struct varlena *data = (struct varlena *) DatumGetPointer(value);

	if (VARATT_IS_4B_U(data))
		return VARSIZE_4B(data);
	if (VARATT_IS_1B(data) && !VARATT_IS_1B_E(data))
		return VARSIZE_1B(data) - VARHDRSZ_SHORT + VARHDRSZ;
	return toast_raw_datum_size(value);
}

/* True for a value of at most `limit` bytes; no limit is below 128. */
static inline bool
dp_guard_fits(Datum value, Size limit)
{
	const struct varlena *data = (struct varlena *) DatumGetPointer(value);

	if (VARATT_IS_1B(data) && !VARATT_IS_1B_E(data))
		return true;
	return dp_guard_size(value) <= limit;
}

/* An argument of a call if it is a constant and not null; otherwise NULL. */
extern const Const *dp_guard_constant(FunctionCallInfo call, int argument);

/*
 * True for a guard that looks only at the first argument's size, and accepts
 * all shorter ones where it accepts one.
 */
extern bool dp_guard_is_by_size(DpWrappedGuard guard);

/* A text that is searched for another, or for the characters of one. */
extern bool dp_guard_search(FunctionCallInfo call);

/* A text and a pattern of LIKE, which recurses once for each %. */
extern bool dp_guard_like(FunctionCallInfo call);

/* A text, and a regular expression as the second argument. */
extern bool dp_guard_regexp(FunctionCallInfo call);

/* The same, and a third argument that replaces each match. */
extern bool dp_guard_regexp_replace(FunctionCallInfo call);

/* replace(text, text, text) */
extern bool dp_guard_replace(FunctionCallInfo call);

/* A length in characters as the second argument. */
extern bool dp_guard_pad(FunctionCallInfo call);
extern bool dp_guard_repeat(FunctionCallInfo call);

/* numeric: a square root, an exponential and a power of ordinary size */
extern bool dp_guard_sqrt(FunctionCallInfo call);
extern bool dp_guard_power(FunctionCallInfo call);
extern bool dp_guard_exp(FunctionCallInfo call);

/* A format of to_char without fields that depend on the server's locale. */
extern bool dp_guard_date_format(FunctionCallInfo call);
extern bool dp_guard_number_format(FunctionCallInfo call);

/* A format by which a text is read, without names of time zones. */
extern bool dp_guard_input_format(FunctionCallInfo call);

/* The name of an encoding of bytes as text, as the second argument. */
extern bool dp_guard_encoding(FunctionCallInfo call);

/* An array, a text between its elements, and perhaps one in place of nulls. */
extern bool dp_guard_join(FunctionCallInfo call);

/* A text that is split; any of the arguments may be null. */
extern bool dp_guard_split(FunctionCallInfo call);

/*
 * A range: whether its bounds are part of it, as the third argument, or null.
 */
extern bool dp_guard_range(FunctionCallInfo call);

/* jsonb, and a path as the second argument: path_guard.c. */
extern bool dp_guard_path(FunctionCallInfo call);

/* json as a text, nested no deeper than the stack always allows. */
extern bool dp_guard_json(FunctionCallInfo call);

/* jsonb values, where the second one is not nested deeply; or the first one. */
extern bool dp_guard_contains(FunctionCallInfo call);
extern bool dp_guard_contained(FunctionCallInfo call);

/*
 * A date or time as a text, without words. A word that the server does not know
 * is looked up in files, as a time zone.
 */
extern bool dp_guard_date(FunctionCallInfo call);

/* The plain name of a time zone as the first argument. */
extern bool dp_guard_zone(FunctionCallInfo call);

#endif
