/*
 * locks.c
 *		Locking populations, and telling the worker when they are free again.
 *
 * It is a lock of the server's, on a database object with the number of the
 * population and the class of the table of populations: the server itself does
 * not use this tag, and nobody else can take it. Waiting for it is visible in
 * pg_locks, and if owners lock populations in different orders, the server detects
 * the deadlock. The same holds of what a relation is declared to be, which the
 * worker does not lock.
 *
 * The ledger also keeps the names of relations and of their schemas, and the
 * server takes no lock on a schema that is renamed. So there is a lock on the
 * schema's name, again with a tag that nobody else uses. Whoever notes the name of
 * a relation takes it in share mode; whoever has renamed a schema takes it
 * exclusively, before looking for relations there. If the session that notes a
 * name comes first, the renaming one waits for it to end and then finds what it
 * noted. If it comes second, it waits and then reads the new name.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "commands/extension.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/resowner.h"

#include "ledger/locks.h"
#include "ledger/schema.h"
#include "ledger/slots.h"
#include "server/ownership.h"

/* Of the ledger's tables the one that was created first: DROP EXTENSION locks
 * it before the others. */
#define FIRST_TABLE "place"

/* The table whose oid is the class of the locks. */
#define POPULATIONS "population"

/* The sub-object of a schema that stands for its name; the server locks 0. */
#define SCHEMA_NAME 1

PG_FUNCTION_INFO_V1(dp_lock_population);
PG_FUNCTION_INFO_V1(dp_lock_columns);
PG_FUNCTION_INFO_V1(dp_lock_names);
PG_FUNCTION_INFO_V1(dp_lock_schema);

/*
 * Whether this process has locked a population in this transaction; reset when
 * locks are released. After ROLLBACK TO it may no longer hold the lock; then
 * the worker is woken needlessly.
 */
static bool holds_lock = false;

static pg_atomic_uint64 *
changes_of(int population_id)
{
	uint32 hash = hash_combine(murmurhash32(MyDatabaseId),
							   murmurhash32((uint32) population_id));

	return &dp_shared->changes[hash % DP_CHANGES];
}

/* Called when locks have been released: a waiting request may go on. */
static void
tell_worker(ResourceReleasePhase phase, bool is_commit, bool is_top_level,
			void *arg)
{
	DpWorkerEntry *entry;

	(void) arg;
	if (phase != RESOURCE_RELEASE_AFTER_LOCKS || !holds_lock ||
		(is_commit && !is_top_level))
		return;
	if (is_top_level)
		holds_lock = false;
	pg_atomic_fetch_add_u64(&dp_shared->releases, 1);
	LWLockAcquire(dp_shared->lock, LW_SHARED);
	entry = dp_slots_worker(MyDatabaseId);
	if (entry != NULL && entry->state == DP_WORKER_RUNNING)
		dp_slots_wake(entry->procno);
	LWLockRelease(dp_shared->lock);
}

static LockAcquireResult
acquire(int population_id, bool wait)
{
	LOCKTAG tag;
	Oid class = get_relname_relid(POPULATIONS,
								  get_namespace_oid(DP_LEDGER_SCHEMA, false));

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, class, (uint32) population_id, 0);
	return LockAcquire(&tag, ExclusiveLock, false, !wait);
}

void
dp_lock_population_as_owner(int population_id)
{
	static bool registered = false;

	if (dp_shared != NULL && !registered)
	{
		RegisterResourceReleaseCallback(tell_worker, NULL);
		registered = true;
	}
	(void) acquire(population_id, true);
	AcceptInvalidationMessages();
	if (dp_shared == NULL)
		return;
	holds_lock = true;

	/*
	 * Makes the worker forget what it remembers. It reads the counter under
	 * the same lock, so all changes counted by then are committed or undone.
	 */
	pg_atomic_fetch_add_u64(changes_of(population_id), 1);
}

bool
dp_lock_population_as_worker(int population_id)
{
	return acquire(population_id, false) != LOCKACQUIRE_NOT_AVAIL;
}

void
dp_lock_declared(Oid relation)
{
	LOCKTAG tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, RelationRelationId, relation, 0);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
	AcceptInvalidationMessages();
}

/* Locks the name of a schema until the end of the transaction. Waits. */
static void
lock_schema(Oid schema, LOCKMODE mode)
{
	LOCKTAG tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, NamespaceRelationId, schema,
					   SCHEMA_NAME);
	(void) LockAcquire(&tag, mode, false, false);
	AcceptInvalidationMessages();
}

/* The ledger's first table, when it was locked last. */
static Oid known = InvalidOid;

/* The ledger's first table; InvalidOid without the extension. */
static Oid
find_first_table(LOCKMODE mode)
{
	return RangeVarGetRelid(makeRangeVar(DP_LEDGER_SCHEMA, FIRST_TABLE, -1),
							mode, true);
}

/*
 * Not the extension itself is locked: whoever tries to drop it locks it before
 * anybody asks for the right to, as does ALTER FUNCTION ... DEPENDS ON
 * EXTENSION, which needs none. Its tables are locked later, when it is really
 * being dropped, in the order of their creation.
 */
void
dp_lock_ledger(Oid *ledger)
{
	Oid table = find_first_table(AccessShareLock);

	if (OidIsValid(table) && table != known)
	{
		Oid extension = getExtensionOfObject(RelationRelationId, table);

		if (OidIsValid(extension) &&
			extension == get_extension_oid("dp_noise", true))
			known = table;
	}
	if (!OidIsValid(table) || table != known)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("extension \"dp_noise\" does not exist in "
							   "this database")));
	*ledger = table;
}

uint64
dp_lock_incarnation(void)
{
	uint64 result = hash_bytes_uint32_extended(
		known,
		hash_bytes_uint32_extended(MyDatabaseId, dp_shared->incarnation));

	return Max(result, 1);
}

uint64
dp_lock_changes(int population_id)
{
	return pg_atomic_read_u64(changes_of(population_id));
}

uint64
dp_lock_releases(void)
{
	return pg_atomic_read_u64(&dp_shared->releases);
}

/* (population_id integer): the lock of owners, for the extension's own functions. */
Datum
dp_lock_population(PG_FUNCTION_ARGS)
{
	dp_lock_population_as_owner(PG_GETARG_INT32(0));
	PG_RETURN_VOID();
}

/*
 * (relation oid): locks what a relation is declared to be, and keeps the names of
 * its columns as they are.
 */
Datum
dp_lock_columns(PG_FUNCTION_ARGS)
{
	dp_lock_as_owner(PG_GETARG_OID(0));
	dp_lock_declared(PG_GETARG_OID(0));
	PG_RETURN_VOID();
}

/*
 * (relation oid): keeps the name of the schema that a relation is in as it is,
 * also if the relation is moved meanwhile.
 */
Datum
dp_lock_names(PG_FUNCTION_ARGS)
{
	Oid relation = PG_GETARG_OID(0);
	Oid locked = InvalidOid;
	Oid schema;

	while (schema = get_rel_namespace(relation),
		   OidIsValid(schema) && schema != locked)
	{
		lock_schema(schema, ShareLock);
		locked = schema;
	}
	PG_RETURN_VOID();
}

/* (schema oid): for whoever has renamed it. */
Datum
dp_lock_schema(PG_FUNCTION_ARGS)
{
	lock_schema(PG_GETARG_OID(0), ExclusiveLock);
	PG_RETURN_VOID();
}
