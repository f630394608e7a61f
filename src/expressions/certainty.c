/*
 * certainty.c
 *		Which calls cannot fail for any row.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "expressions/certainty.h"
#include "expressions/guards.h"
#include "server/compat.h"

/* Whether the database's collation has the letters of "C". */
static bool
database_has_c_letters(void)
{
	HeapTuple tuple =
		SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
	bool result = false;
	bool isnull = true;
	Datum type;

	if (!HeapTupleIsValid(tuple))
		return false;
	type =
		SysCacheGetAttr(DATABASEOID, tuple, Anum_pg_database_datctype, &isnull);
	if (!isnull && ((Form_pg_database) GETSTRUCT(tuple))->datlocprovider ==
					   COLLPROVIDER_LIBC)
	{
		const char *name = TextDatumGetCString(type);

		result = strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0;
	}
	ReleaseSysCache(tuple);
	return result;
}

bool
dp_certain_by_bytes(FunctionCallInfo call)
{
	return call->fncollation == C_COLLATION_OID ||
		   (call->fncollation == DEFAULT_COLLATION_OID &&
			database_has_c_letters());
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
