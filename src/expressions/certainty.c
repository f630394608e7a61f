/*
 * certainty.c
 *		Calls of functions that raise nothing which depends on a row.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "mb/pg_wchar.h"

#include "expressions/certainty.h"
#include "expressions/guards.h"
#include "server/compat.h"

bool
dp_certain_by_bytes(FunctionCallInfo call)
{
	return call->fncollation == C_COLLATION_OID ||
		   (call->fncollation == DEFAULT_COLLATION_OID &&
			dp_compat_database_has_c_letters());
}

bool
dp_certain_like(FunctionCallInfo call)
{
	const Const *constant = dp_guard_constant(call, 1);
	const text *pattern;

	if (!dp_certain_by_bytes(call) || constant == NULL ||
		(GetDatabaseEncoding() != PG_UTF8 &&
		 pg_database_encoding_max_length() > 1))
		return false;
	pattern = DatumGetTextPP(constant->constvalue);
	return memchr(VARDATA_ANY(pattern), '\\', VARSIZE_ANY_EXHDR(pattern)) ==
		   NULL;
}
