/*
 * role_path.c
 *		In which schemas a role's sessions look names up.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_db_role_setting.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "server/role_path.h"

/* Whether some of the settings, texts name=value, is such a search_path. */
static bool
names_catalog(Datum settings)
{
	Datum *texts;
	int count;
	int i;

	deconstruct_array(DatumGetArrayTypeP(settings), TEXTOID, -1, false,
					  TYPALIGN_INT, &texts, NULL, &count);
	for (i = 0; i < count; i++)
	{
		const char *setting = TextDatumGetCString(texts[i]);

		if (strncmp(setting, "search_path=", 12) == 0 &&
			strstr(setting, "pg_catalog") != NULL)
			return true;
	}
	return false;
}

static bool
concerns(Form_pg_db_role_setting row, Oid role)
{
	return (row->setrole == role || !OidIsValid(row->setrole)) &&
		   (row->setdatabase == MyDatabaseId || !OidIsValid(row->setdatabase));
}

bool
dp_role_path_is_plain(Oid role)
{
	Relation table = table_open(DbRoleSettingRelationId, AccessShareLock);
	SysScanDesc scan =
		systable_beginscan(table, InvalidOid, false, NULL, 0, NULL);
	bool result = true;
	HeapTuple tuple;

	while (result && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool isnull;
		Datum settings = heap_getattr(tuple, Anum_pg_db_role_setting_setconfig,
									  RelationGetDescr(table), &isnull);

		result = isnull ||
				 !concerns((Form_pg_db_role_setting) GETSTRUCT(tuple), role) ||
				 !names_catalog(settings);
	}
	systable_endscan(scan);
	table_close(table, AccessShareLock);
	return result;
}
