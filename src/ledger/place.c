/*
 * place.c
 *		Identifies the server, so that the ledger notices when it continues
 *		from an earlier state.
 *
 * A crash loses no charge. But a standby that lagged, a base backup and a dump
 * lack the charges that came later, and a copied database has its budgets a
 * second time. No ledger can know what it lacks. But it can notice that one of
 * these has happened, when something differs from what is recorded in
 * dp_noise_ledger.place:
 *
 *	- the system identifier: another cluster, after a restore or pg_upgrade;
 *	- the timeline: a standby was promoted, or a backup recovered from an archive;
 *	- the backup: a base backup was started without an archive, which stays on
 *	the timeline. backup_label.old shows from which backup it was started;
 *	- the database: one made from a template, as its oid says, or the seal that
 *	it lacks where its creator has chosen the oid of the old one;
 *	- the extension: dropped and created again by pg_restore --clean.
 *
 * A restored snapshot of the disk looks like a crash, and is not noticed.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_db_role_setting.h"
#include "commands/dbcommands.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/parsenodes.h"
#include "storage/fd.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "server/result_row.h"
#include "server/settings.h"

PG_FUNCTION_INFO_V1(dp_present_place);
PG_FUNCTION_INFO_V1(dp_seal_database);

enum
{
	PLACE_SYSTEM,
	PLACE_TIMELINE,
	PLACE_DATABASE,
	PLACE_DATABASE_NAME,
	PLACE_EXTENSION,
	PLACE_BACKUP,
	PLACE_COLUMNS
};

/* Where and when the base backup began that this server was started from;
 * palloc'd, or NULL for none. */
static char *
find_backup(void)
{
	static const char *const lines[] = {"START WAL LOCATION: ", "START TIME: "};
	FILE *file = AllocateFile(BACKUP_LABEL_OLD, "r");
	StringInfoData result;
	char line[MAXPGPATH];

	if (file == NULL)
		return NULL;
	initStringInfo(&result);
	while (fgets(line, sizeof(line), file) != NULL)
	{
		int i;

		line[strcspn(line, "\n")] = '\0';
		for (i = 0; i < (int) lengthof(lines); i++)
		{
			size_t length = strlen(lines[i]);

			if (strncmp(line, lines[i], length) == 0)
				appendStringInfo(&result, "%s%s", result.len > 0 ? ", " : "",
								 line + length);
		}
	}
	FreeFile(file);
	return result.data;
}

/*
 * (): system identifier, timeline (null on a standby), database, its name,
 * extension, base backup or null.
 */
Datum
dp_present_place(PG_FUNCTION_ARGS)
{
	Datum values[PLACE_COLUMNS] = {0};
	bool nulls[PLACE_COLUMNS] = {false};
	char *name = get_database_name(MyDatabaseId);
	char *backup = find_backup();

	values[PLACE_SYSTEM] = Int64GetDatum((int64) GetSystemIdentifier());
	nulls[PLACE_TIMELINE] = RecoveryInProgress();
	if (!nulls[PLACE_TIMELINE])
		values[PLACE_TIMELINE] = Int64GetDatum(GetWALInsertionTimeLine());
	values[PLACE_DATABASE] = ObjectIdGetDatum(MyDatabaseId);
	values[PLACE_DATABASE_NAME] =
		DirectFunctionCall1(namein, CStringGetDatum(name));
	values[PLACE_EXTENSION] =
		ObjectIdGetDatum(get_extension_oid("dp_noise", true));
	nulls[PLACE_BACKUP] = backup == NULL;
	if (backup != NULL)
		values[PLACE_BACKUP] = CStringGetTextDatum(backup);
	PG_RETURN_DATUM(dp_result_row(fcinfo, values, nulls));
}

/* (seal): among the settings of the database, for superusers. */
Datum
dp_seal_database(PG_FUNCTION_ARGS)
{
	VariableSetStmt *set = makeNode(VariableSetStmt);
	A_Const *seal = makeNode(A_Const);

	seal->val.sval.type = T_String;
	seal->val.sval.sval = text_to_cstring(PG_GETARG_TEXT_PP(0));
	seal->location = -1;
	set->kind = VAR_SET_VALUE;
	set->name = DP_SETTING_DATABASE_SEAL;
	set->args = list_make1(seal);
	AlterSetting(MyDatabaseId, InvalidOid, set);
	PG_RETURN_VOID();
}
