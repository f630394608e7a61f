/*
 * drops.c
 *		Checks before the ledger itself is dropped.
 *
 * DROP EXTENSION would delete ledger, budgets and protections without a
 * warning. So would DROP OWNED, and DROP ... CASCADE of what the extension
 * depends on: its schema, which need not belong to a superuser, or a language.
 * So nobody can drop the ledger while a relation is protected, unless it was
 * allowed in the same transaction (dp_noise.allow_drop), by a superuser or
 * whoever a superuser has given that right.
 *
 * The server announces every object that it is about to drop, by whatever
 * statement, one by one: first what depends on others, the extension last.
 * That is after privileges have been checked and everything has been locked,
 * and does not involve event triggers. The check is made when the ledger's
 * table of protected relations is announced: at that moment it can still be
 * read, and an error undoes everything before. Its indexes, like other tables
 * of the ledger, may be gone by then.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_class.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "ledger/drops.h"
#include "ledger/schema.h"
#include "ledger/tables.h"

#define MEMBERS "member"

PG_FUNCTION_INFO_V1(dp_allow_drop);

static object_access_hook_type prev_object_access = NULL;

/*
 * The outermost subtransaction that allowed the ledger to be dropped, or
 * InvalidSubTransactionId; reset when it ends.
 */
static SubTransactionId allowed_by = InvalidSubTransactionId;

/* True for the extension's table of protected relations. */
static bool
is_members(Oid relation)
{
	char *name = get_rel_name(relation);
	char *schema;
	Oid extension;

	if (name == NULL || strcmp(name, MEMBERS) != 0)
		return false;
	schema = get_namespace_name(get_rel_namespace(relation));
	if (schema == NULL || strcmp(schema, DP_LEDGER_SCHEMA) != 0)
		return false;
	extension = getExtensionOfObject(RelationRelationId, relation);
	return OidIsValid(extension) &&
		   extension == get_extension_oid("dp_noise", true);
}

/* The name of a protected relation, and how many there are. */
static int
count_protected(Oid members, char **name)
{
	Relation table = table_open(members, AccessShareLock);
	Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
	SysScanDesc scan =
		systable_beginscan(table, InvalidOid, false, snapshot, 0, NULL);
	HeapTuple row;
	int count = 0;

	while (HeapTupleIsValid(row = systable_getnext(scan)))
	{
		if (!OidIsValid(
				DatumGetObjectId(dp_tables_column(table, row, "relation"))))
			continue; /* not restored */
		if (count++ == 0)
			*name = quote_qualified_identifier(
				NameStr(
					*DatumGetName(dp_tables_column(table, row, "schema_name"))),
				NameStr(*DatumGetName(
					dp_tables_column(table, row, "relation_name"))));
	}
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	table_close(table, AccessShareLock);
	return count;
}

/* Before the ledger is dropped, with all locks that DROP EXTENSION takes. */
static void
before_drop(Oid members)
{
	char *name = NULL;
	int count;

	if (allowed_by != InvalidSubTransactionId)
		return;
	count = count_protected(members, &name);
	if (count == 0)
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
		 errmsg("cannot drop extension dp_noise while relations are protected"),
		 count == 1
			 ? errdetail("Its ledger and budgets, and the protection of %s, "
						 "would be lost.",
						 name)
			 : errdetail("Its ledger and budgets, and the protection of %s and "
						 "%d more, would be lost.",
						 name, count - 1),
		 errhint("End each protection with dp_noise.unprotect(), or have a "
				 "superuser call dp_noise.allow_drop() first, in the same "
				 "transaction.")));
}

static void
dp_ledger_object_access(ObjectAccessType access, Oid class, Oid object,
						int column_number, void *argument)
{
	if (prev_object_access != NULL)
		prev_object_access(access, class, object, column_number, argument);
	if (access == OAT_DROP && class == RelationRelationId &&
		column_number == 0 && is_members(object))
		before_drop(object);
}

void
dp_drops_init(void)
{
	prev_object_access = object_access_hook;
	object_access_hook = dp_ledger_object_access;
}

/* Ends the permission with the transaction. */
static void
end_permission(XactEvent event, void *unused)
{
	(void) event;
	(void) unused;
	allowed_by = InvalidSubTransactionId;
}

/* A permission that is rolled back to a savepoint was never given. */
static void
end_subpermission(SubXactEvent event, SubTransactionId own,
				  SubTransactionId parent, void *unused)
{
	(void) unused;
	if (own != allowed_by)
		return;
	if (event == SUBXACT_EVENT_ABORT_SUB)
		allowed_by = InvalidSubTransactionId;
	else if (event == SUBXACT_EVENT_COMMIT_SUB)
		allowed_by = parent;
}

/*
 * (): lets DROP EXTENSION pass in this transaction. For superusers, and whom
 * they have granted EXECUTE.
 */
Datum
dp_allow_drop(PG_FUNCTION_ARGS)
{
	static bool registered = false;

	(void) fcinfo;
	if (!registered)
	{
		RegisterXactCallback(end_permission, NULL);
		RegisterSubXactCallback(end_subpermission, NULL);
		registered = true;
	}
	if (allowed_by == InvalidSubTransactionId)
		allowed_by = GetCurrentSubTransactionId();
	PG_RETURN_VOID();
}
