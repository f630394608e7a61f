/*
 * citus.c
 *		Recognises backends that serve Citus.
 *
 * They are recognised by the application name of the connection, the value that
 * RESET restores: the current one could have been set since, on workers too.
 * Parallel workers do not know that name, and are refused wherever Citus is
 * installed. On servers that Citus uses as workers, the server's group in
 * Citus's catalogue is not 0.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/parallel.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "server/citus.h"
#include "server/statement_error.h"

PG_FUNCTION_INFO_V1(dp_is_distributed);

/*
 * A table of Citus's catalogue, found as a member of the extension, since
 * anybody could make a table of that name; InvalidOid where there is none.
 */
static Oid
catalogue_table(Oid extension, const char *name)
{
	Oid table = get_relname_relid(name, PG_CATALOG_NAMESPACE);

	return OidIsValid(table) &&
				   getExtensionOfObject(RelationRelationId, table) == extension
			   ? table
			   : InvalidOid;
}

/*
 * Whether some row of such a table has, in a column, the oid or integer `value`
 * (or, if so asked, another one).
 */
static bool
has_row(Oid table, const char *column, uint32 value, bool other)
{
	AttrNumber number =
		OidIsValid(table) ? get_attnum(table, column) : InvalidAttrNumber;
	Relation relation;
	SysScanDesc scan;
	HeapTuple tuple;
	bool found = false;

	if (number == InvalidAttrNumber)
		return false;
	relation = table_open(table, AccessShareLock);
	scan = systable_beginscan(relation, InvalidOid, false, NULL, 0, NULL);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool isnull;
		Datum datum =
			heap_getattr(tuple, number, RelationGetDescr(relation), &isnull);

		found = !isnull && (DatumGetUInt32(datum) == value) != other;
	}
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return found;
}

/* On a coordinator, which clients connect to, the group of the server is 0. */
static bool
is_worker(Oid extension)
{
	return has_row(catalogue_table(extension, "pg_dist_local_group"), "groupid",
				   0, true);
}

/*
 * Names that Citus gives its connections: citus_internal gpid=..., and others.
 */
static bool
was_connected_by_citus(void)
{
	return IsParallelWorker() ||
		   strncmp(GetConfigOptionResetString("application_name"), "citus_",
				   6) == 0;
}

void
dp_citus_refuse(void)
{
	Oid extension = get_extension_oid("citus", true);

	if (!OidIsValid(extension) ||
		(!was_connected_by_citus() && !is_worker(extension)))
		return;
	dp_statement_error(
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("private aggregates cannot be computed where Citus runs a "
				"part of a statement"),
		 errdetail("The session's settings, its epsilon among them, do not "
				   "apply there."),
		 errhint("Aggregate rows of a table that is not distributed, such "
				 "as a copy.")));
}

/* (relation regclass) -> boolean */
Datum
dp_is_distributed(PG_FUNCTION_ARGS)
{
	Oid extension = get_extension_oid("citus", true);

	PG_RETURN_BOOL(OidIsValid(extension) &&
				   (is_worker(extension) ||
					has_row(catalogue_table(extension, "pg_dist_partition"),
							"logicalrelid", PG_GETARG_OID(0), false)));
}
