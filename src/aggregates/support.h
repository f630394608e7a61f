/*
 * support.h
 *		Support functions may only be used by the extension's own aggregates.
 *
 * Anyone may call one of the extension's functions, or declare an aggregate
 * over it, and so combine states, values and results that do not belong
 * together: of other types, of other calls, or a state with itself. Support
 * functions trust their arguments, so each first checks here who calls. PUBLIC
 * may not execute them either; the server checks that for the owner of the
 * aggregate.
 */
#ifndef DP_AGGREGATES_SUPPORT_H
#define DP_AGGREGATES_SUPPORT_H

#include "fmgr.h"

struct Aggref;

/*
 * The call of an aggregate that a support function serves. Its position among
 * the functions of the running plan node says so, in every phase of a parallel
 * plan too; the aggregate must be a member of the extension, and have the
 * function in that very role.
 *
 * Errors: feature_not_supported when called by hand, as a window function or
 * by another aggregate, and of a final function where Citus runs it.
 */
extern struct Aggref *dp_support_aggref(FunctionCallInfo fcinfo);

/* The same once an execution, for functions without a use of fn_extra. */
static inline void
dp_support_check(FunctionCallInfo fcinfo)
{
	if (unlikely(fcinfo->flinfo->fn_extra == NULL))
		fcinfo->flinfo->fn_extra = dp_support_aggref(fcinfo);
}

#endif
