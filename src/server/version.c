/*
 * version.c
 *		The version of the library, and that of the extension in the database.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_extension.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

#include "server/version.h"

PG_FUNCTION_INFO_V1(dp_library_version);

/* No arguments. Scripts of later versions call it in the library of this one. */
Datum
dp_library_version(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	PG_RETURN_TEXT_P(cstring_to_text(DP_VERSION));
}

char *
dp_version_of_extension(void)
{
	Relation extensions = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	char *version = NULL;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber,
				F_NAMEEQ, CStringGetDatum("dp_noise"));
	scan = systable_beginscan(extensions, ExtensionNameIndexId, true, NULL, 1,
							  &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		bool isnull;
		Datum value = heap_getattr(tuple, Anum_pg_extension_extversion,
								   RelationGetDescr(extensions), &isnull);

		if (!isnull)
			version = TextDatumGetCString(value);
	}
	systable_endscan(scan);
	table_close(extensions, AccessShareLock);
	return version == NULL || strcmp(version, DP_VERSION) == 0 ? NULL : version;
}

/* The number at the beginning of a text, of which a dot too is passed. */
static unsigned long
next_number(const char **text)
{
	char *end;
	unsigned long number = strtoul(*text, &end, 10);

	*text = *end == '.' ? end + 1 : end;
	return number;
}

int
dp_version_number(void)
{
	const char *version = DP_VERSION;
	int number = (int) next_number(&version);

	number = number * 100 + (int) next_number(&version);
	return number * 100 + (int) next_number(&version);
}

/* Whether the library is older, by the three numbers of each. */
static bool
library_is_older(const char *than)
{
	const char *version = DP_VERSION;
	int i;

	for (i = 0; i < 3; i++)
	{
		unsigned long ours = next_number(&version);
		unsigned long other = next_number(&than);

		if (ours != other)
			return ours < other;
	}
	return false;
}

const char *
dp_version_remedy(const char *of_extension)
{
	return library_is_older(of_extension)
			   ? "Restart the server: it runs the library that it was started "
				 "with. If that is still the old one, install the new one."
			   : "As superuser, ALTER EXTENSION dp_noise UPDATE.";
}

void
dp_check_version(void)
{
	char *version = dp_version_of_extension();

	if (version != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the server runs dp_noise %s, and the extension in "
						"this database is version %s",
						DP_VERSION, version),
				 errhint("%s", dp_version_remedy(version))));
}
