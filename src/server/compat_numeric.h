/*
 * compat_numeric.h
 *		Differences between versions of PostgreSQL in numerics that may fail.
 *
 * *failed says whether there is no result, because it would not fit or because the
 * divisor is 0; nothing is raised then.
 */
#ifndef DP_SERVER_COMPAT_NUMERIC_H
#define DP_SERVER_COMPAT_NUMERIC_H

#include "postgres.h"

#include "utils/numeric.h"

#if PG_VERSION_NUM >= 190000
#include "nodes/miscnodes.h"

#define DP_COMPAT_NUMERIC(name) \
	static inline Numeric dp_compat_numeric_##name(Numeric a, Numeric b, \
												   bool *failed) \
	{ \
		ErrorSaveContext context = {.type = T_ErrorSaveContext}; \
		Numeric result = numeric_##name##_safe(a, b, (Node *) &context); \
\
		*failed = context.error_occurred; \
		return result; \
	}

static inline int32
dp_compat_numeric_int4(Numeric number, bool *failed)
{
	ErrorSaveContext context = {.type = T_ErrorSaveContext};
	int32 result = numeric_int4_safe(number, (Node *) &context);

	*failed = context.error_occurred;
	return result;
}
#else
#define DP_COMPAT_NUMERIC(name) \
	static inline Numeric dp_compat_numeric_##name(Numeric a, Numeric b, \
												   bool *failed) \
	{ \
		*failed = false; \
		return numeric_##name##_opt_error(a, b, failed); \
	}

static inline int32
dp_compat_numeric_int4(Numeric number, bool *failed)
{
	*failed = false;
	return numeric_int4_opt_error(number, failed);
}
#endif

/* dp_compat_numeric_add() and so on */
DP_COMPAT_NUMERIC(add)
DP_COMPAT_NUMERIC(sub)
DP_COMPAT_NUMERIC(mul)
DP_COMPAT_NUMERIC(div)

#endif
