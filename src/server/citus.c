/*
 * citus.c
 *		Tells a backend that serves Citus.
 *
 * By the name under which it was connected, to which RESET goes back: the one
 * now could have been set since, on workers too. Parallel workers do not know that name, and are refused
 * wherever Citus is. And by the number of the group of servers in Citus's
 * catalogue, which is 0 where people ask.
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
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "server/citus.h"

/* The group of this server; 0 where the catalogue has none. */
static int32
local_group(Oid extension)
{
	Oid catalogue =
		get_relname_relid("pg_dist_local_group", PG_CATALOG_NAMESPACE);
	int32 group = 0;
	Relation relation;
	SysScanDesc scan;
	HeapTuple tuple;
	bool isnull;

	if (!OidIsValid(catalogue) ||
		getExtensionOfObject(RelationRelationId, catalogue) != extension)
		return 0;
	relation = table_open(catalogue, AccessShareLock);
	scan = systable_beginscan(relation, InvalidOid, false, NULL, 0, NULL);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		group = DatumGetInt32(
			heap_getattr(tuple, 1, RelationGetDescr(relation), &isnull));
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
	return group;
}

/* As Citus calls its connections: citus_internal gpid=..., and others. */
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
		(!was_connected_by_citus() && local_group(extension) == 0))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("private aggregates cannot be computed where Citus runs a "
					"part of a statement"),
			 errdetail("The settings there are not those of the session, nor "
					   "would be its epsilon."),
			 errhint("Aggregate rows of a table that is not distributed, such "
					 "as a copy.")));
}
