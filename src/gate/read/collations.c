/*
 * collations.c
 *		Texts compared byte by byte.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "gate/read/call_words.h"
#include "gate/read/collations.h"
#include "gate/relations/refusal.h"

/* Whether the locale of a row of a catalog is the server's own "C". */
static bool
has_own_locale(HeapTuple tuple, int cache, AttrNumber column, char provider)
{
	bool isnull;
	Datum locale;
	char *name;

	if (provider != COLLPROVIDER_LIBC)
		return false;
	locale = SysCacheGetAttr(cache, tuple, column, &isnull);
	if (isnull)
		return false;
	name = TextDatumGetCString(locale);
	return strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0;
}

/* Whether texts are compared byte by byte, without a locale's rules. */
static bool
compares_bytes(Oid collation)
{
	bool is_default = collation == DEFAULT_COLLATION_OID;
	int cache = is_default ? DATABASEOID : COLLOID;
	HeapTuple tuple = SearchSysCache1(
		cache, ObjectIdGetDatum(is_default ? MyDatabaseId : collation));
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	if (is_default)
		result = has_own_locale(
			tuple, cache, Anum_pg_database_datcollate,
			((Form_pg_database) GETSTRUCT(tuple))->datlocprovider);
	else
		result = has_own_locale(
			tuple, cache, Anum_pg_collation_collcollate,
			((Form_pg_collation) GETSTRUCT(tuple))->collprovider);
	ReleaseSysCache(tuple);
	return result;
}

void
dp_collations_check_default(Node *node)
{
	if (!compares_bytes(DEFAULT_COLLATION_OID))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("json can be put in order over a protected relation "
						"only in a database whose collation is \"C\""),
				 errhint("Compare numbers or texts in it, (x -> 'a')::numeric "
						 "or x ->> 'a' COLLATE \"C\"."),
				 dp_refusal_position(exprLocation(node))));
}

void
dp_collations_check_order(Oid collation, int location)
{
	if (!compares_bytes(collation))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("texts can be put in order over a protected relation "
						"only byte by byte"),
				 errhint("Write COLLATE \"C\" after one of them."),
				 dp_refusal_position(location)));
}

void
dp_collations_check_letters(Oid collation, Node *node)
{
	if (collation == DEFAULT_COLLATION_OID || collation == C_COLLATION_OID)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s can be used over a protected relation only with the "
					"letters of the database's collation or of \"C\"",
					dp_call_words(node)),
			 errhint("Write COLLATE \"default\" after the text."),
			 dp_refusal_position(exprLocation(node))));
}
