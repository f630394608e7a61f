/*
 * wrapped.h
 *		The server's functions, with NULL in place of an error.
 *
 * A function that fails for some rows reveals by failing what those rows hold.
 * So where protected rows reach a function that can fail, its wrapped form,
 * dp_noise.try_<name>, runs instead: it calls the function, and returns NULL
 * where that raises a data exception. NULL is the result of one call, never of
 * a whole expression, so that the order of evaluation does not matter.
 */
#ifndef DP_EXPRESSIONS_WRAPPED_H
#define DP_EXPRESSIONS_WRAPPED_H

#include "postgres.h"

#include "fmgr.h"

/* The name of a wrapped form is this and the function's name. */
#define DP_WRAPPED_PREFIX "try_"

/* The "function" of a cast through a text is named by this and the type. */
#define DP_WRAPPED_CAST "cast_to_"

/* What else a function depends on or needs. */
typedef enum DpWrappedRule
{
	DP_RULE_TIMEZONE = 1, /* its value depends on the session's time zone */
	DP_RULE_BYTES = 2,	  /* it compares by a collation, which must be "C" */
	DP_RULE_PROBE = 4,	  /* its constants are tried beforehand */
	DP_RULE_NULLS = 8,	  /* it is not strict: null has a meaning to it */
	DP_RULE_EMPTY = 16,	  /* tried with an empty text, valid or not */
	DP_RULE_DEFAULT_BYTES = 32, /* for the database's collation */
	DP_RULE_LETTERS = 64, /* letters and their case depend on the collation */
	DP_RULE_KEPT =
		128 /* results are kept for days and times (kept_results.h) */
} DpWrappedRule;

/*
 * Whether a function takes bounded memory and time for these arguments; if not,
 * the wrapped form returns NULL. No argument is null, except for functions with
 * DP_RULE_NULLS.
 */
typedef bool (*DpWrappedGuard)(FunctionCallInfo call);

/*
 * Whether a function raises nothing that its wrapped form would catch, whatever
 * its first argument is, within bounds. This is asked once, at the first of
 * many calls. So it may depend on the collation and on other arguments that are
 * constants (dp_guard_constant).
 */
typedef bool (*DpWrappedCertainty)(FunctionCallInfo call);

typedef struct DpWrapped
{
	const char *name;	   /* in pg_catalog, or DP_WRAPPED_CAST and a type */
	const char *arguments; /* names of types in pg_catalog, and spaces */
	const char *symbol;	   /* in C; NULL: dp_try, or dp_try_cast */
	DpWrappedGuard guard;  /* or NULL */
	int constants;		   /* bits: arguments that no row may affect */
	int rules;			   /* DpWrappedRule */
	DpWrappedCertainty certainty; /* NULL: errors have to be caught */
} DpWrapped;

/* The entry of a function of the server; NULL: it is not listed. */
extern const DpWrapped *dp_wrapped_find(Oid function);

/* The same for a cast through a text, which has no function. */
extern const DpWrapped *dp_wrapped_find_cast(Oid from, Oid to);

/*
 * The wrapped form, by its name in the extension's schema; InvalidOid where the
 * extension was created by a version of the library that did not have it.
 */
extern Oid dp_wrapped_form(const DpWrapped *wrapped);

/*
 * Calls a function; false where it raises a data exception. Other errors
 * propagate. try.c says what the function may do.
 */
extern bool dp_wrapped_call(FunctionCallInfo call, Datum *result);

#endif
