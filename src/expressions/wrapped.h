/*
 * wrapped.h
 *		The server's functions that run with NULL in place of an error.
 *
 * A function that fails for some rows tells by failing what those rows hold.
 * So where protected rows reach a function that can fail, its wrapped form runs
 * in its place, dp_noise.try_<name>: the function itself, and NULL where it
 * raises a data exception. NULL comes out of a call, never of a whole
 * expression, so that the order in which an expression is evaluated does not
 * matter.
 */
#ifndef DP_EXPRESSIONS_WRAPPED_H
#define DP_EXPRESSIONS_WRAPPED_H

#include "postgres.h"

#include "fmgr.h"

/* What a wrapped form is called: this, and the function's name. */
#define DP_WRAPPED_PREFIX "try_"

/* The "function" of a cast by way of a text: this, and the type's name. */
#define DP_WRAPPED_CAST "cast_to_"

/* What else a function depends on, and asks for. */
typedef enum DpWrappedRule
{
	DP_RULE_TIMEZONE = 1, /* its value depends on the session's time zone */
	DP_RULE_BYTES = 2,	  /* it compares by a collation, which must be "C" */
	DP_RULE_PROBE = 4,	  /* constants are tried out when a query is read */
	DP_RULE_NULLS = 8,	  /* it is not strict: null has a meaning to it */
	DP_RULE_EMPTY = 16,	  /* tried with an empty text, which may be no value */
	DP_RULE_DEFAULT_BYTES = 32, /* as BYTES, by the database's collation */
	DP_RULE_LETTERS =
		64 /* what is a letter, and its case, is the collation's */
} DpWrappedRule;

/*
 * Arguments that a function takes within bounds of memory and time: false for
 * others, for which the wrapped form is NULL. None of them is null, but for
 * functions with DP_RULE_NULLS.
 */
typedef bool (*DpWrappedGuard)(FunctionCallInfo call);

typedef struct DpWrapped
{
	const char *name;	   /* in pg_catalog, or DP_WRAPPED_CAST and a type */
	const char *arguments; /* names of types in pg_catalog, by single spaces */
	const char *symbol;	   /* in C; NULL: dp_try, or dp_try_cast */
	DpWrappedGuard guard;  /* or NULL */
	int constants;		   /* bits: arguments that no row may reach */
	int rules;			   /* DpWrappedRule */
} DpWrapped;

/* The entry of a function of the server; NULL: it is not listed. */
extern const DpWrapped *dp_wrapped_find(Oid function);

/* The same of a cast by way of a text, which is made without a function. */
extern const DpWrapped *dp_wrapped_find_cast(Oid from, Oid to);

/*
 * The wrapped form, by its name in the extension's schema; InvalidOid where the
 * extension was created by a version of the library that did not have it.
 */
extern Oid dp_wrapped_form(const DpWrapped *wrapped);

/*
 * Calls a function; false where it raises a data exception. Other errors go on.
 * See try.c for what the function may do.
 */
extern bool dp_wrapped_call(FunctionCallInfo call, Datum *result);

#endif
