/*
 * protection.c
 *		Look-ups in the extension's tables and catalogs.
 *
 * Nothing is cached beyond a statement: only statements with a dp_ aggregate
 * come here, so a look-up each is cheap, and no stale answer can survive a
 * change of protection.
 */
#include "postgres.h"

#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "gate/protection.h"
#include "gate/release.h"

static bool asking = false;

bool
dp_gate_is_asking(void)
{
	return asking;
}

bool
dp_gate_is_private_aggregate(Oid function)
{
	Oid extension;
	char *name;

	if (function < FirstNormalObjectId)
		return false;
	name = get_func_name(function);
	if (name == NULL || strncmp(name, "dp_", 3) != 0)
		return false;
	extension = getExtensionOfObject(ProcedureRelationId, function);
	return OidIsValid(extension) &&
		   extension == get_extension_oid("dp_noise", true);
}

/*
 * Runs a query as the superuser that owns the extension's tables, on the
 * newest snapshot that the transaction allows. One row at most is expected;
 * its columns are copied to values. False when there is none.
 */
static bool
ask(const char *sql, int nargs, Oid *types, Datum *args, int ncolumns,
	Datum *values)
{
	MemoryContext context = CurrentMemoryContext;
	Oid user;
	int security;
	int nest;
	volatile bool found = false;
	int i;

	GetUserIdAndSecContext(&user, &security);
	nest = dp_gate_begin_silence();
	asking = true;
	PG_TRY();
	{
		SetUserIdAndSecContext(BOOTSTRAP_SUPERUSERID,
							   security | SECURITY_LOCAL_USERID_CHANGE |
								   SECURITY_NOFORCE_RLS);
		(void) set_config_option("search_path", "pg_catalog, pg_temp",
								 PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
								 true, 0, false);
		if (SPI_connect() != SPI_OK_CONNECT)
			elog(ERROR, "could not connect to the server's SQL interface");
		if (SPI_execute_with_args(sql, nargs, types, args, NULL, false, 1) !=
			SPI_OK_SELECT)
			elog(ERROR, "could not look up a protected relation");
		found = SPI_processed > 0;
		for (i = 0; found && i < ncolumns; i++)
		{
			bool isnull;
			Datum value = SPI_getbinval(SPI_tuptable->vals[0],
										SPI_tuptable->tupdesc, i + 1, &isnull);
			Form_pg_attribute attribute =
				TupleDescAttr(SPI_tuptable->tupdesc, i);
			MemoryContext old = MemoryContextSwitchTo(context);

			values[i] = isnull ? (Datum) 0
							   : datumCopy(value, attribute->attbyval,
										   attribute->attlen);
			MemoryContextSwitchTo(old);
		}
		SPI_finish();
	}
	PG_FINALLY();
	{
		asking = false;
		AtEOXact_GUC(true, nest);
		SetUserIdAndSecContext(user, security);
	}
	PG_END_TRY();
	return found;
}

bool
dp_gate_is_protected(Oid relation)
{
	Oid types[1] = {OIDOID};
	Datum args[1] = {ObjectIdGetDatum(relation)};

	return ask("SELECT FROM dp_noise.current_identity AS i"
			   " JOIN dp_noise.relation_entry AS r ON r.relation_id = i.id"
			   " WHERE i.class = 'pg_catalog.pg_class'::pg_catalog.regclass"
			   " AND i.object = $1 AND r.is_protected",
			   1, types, args, 0, NULL);
}

bool
dp_gate_is_add_remove(Oid relation)
{
	Oid types[1] = {OIDOID};
	Datum args[1] = {ObjectIdGetDatum(relation)};

	return ask("SELECT FROM dp_noise.current_identity AS i"
			   " JOIN dp_noise.relation_entry AS r ON r.relation_id = i.id"
			   " WHERE i.class = 'pg_catalog.pg_class'::pg_catalog.regclass"
			   " AND i.object = $1 AND r.neighbours = 'add_remove'",
			   1, types, args, 0, NULL);
}

bool
dp_gate_unit_is_row(Oid relation)
{
	Oid types[1] = {OIDOID};
	Datum args[1] = {ObjectIdGetDatum(relation)};

	/* A unique index says nothing of the rows of inheriting tables. */
	return ask("SELECT FROM dp_noise.current_identity AS i"
			   " JOIN dp_noise.relation_entry AS r ON r.relation_id = i.id"
			   " JOIN pg_catalog.pg_class AS c ON c.oid = i.object"
			   " WHERE i.class = 'pg_catalog.pg_class'::pg_catalog.regclass"
			   " AND i.object = $1 AND (r.privacy_unit IS NULL OR ("
			   "NOT (c.relkind = 'r' AND c.relhassubclass) AND EXISTS ("
			   "SELECT FROM pg_catalog.pg_index AS x"
			   " JOIN pg_catalog.pg_attribute AS a"
			   " ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0]"
			   " WHERE x.indrelid = c.oid AND x.indisunique AND x.indimmediate"
			   " AND x.indisvalid AND x.indpred IS NULL AND x.indexprs IS NULL"
			   " AND x.indnkeyatts = 1 AND a.attnotnull"
			   " AND a.attname = r.privacy_unit)))",
			   1, types, args, 0, NULL);
}

bool
dp_gate_bounds(Oid relation, AttrNumber column, Datum *lower, Datum *upper)
{
	Oid types[2] = {OIDOID, INT2OID};
	Datum args[2] = {ObjectIdGetDatum(relation), Int16GetDatum(column)};
	Datum values[2];

	if (!ask("SELECT b.lower, b.upper FROM dp_noise.current_identity AS i"
			 " JOIN dp_noise.column_bounds AS b ON b.relation_id = i.id"
			 " JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.object"
			 " AND a.attname = b.column_name"
			 " WHERE i.class = 'pg_catalog.pg_class'::pg_catalog.regclass"
			 " AND i.object = $1 AND a.attnum = $2 AND NOT a.attisdropped",
			 2, types, args, 2, values))
		return false;
	*lower = values[0];
	*upper = values[1];
	return true;
}
