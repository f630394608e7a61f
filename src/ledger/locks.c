/*
 * locks.c
 *		Locking relations, and telling the worker when they are free again.
 *
 * The lock is the server's, of the class of database objects, on the oid of
 * the relation in pg_class: a tag that the server itself does not use, and
 * nobody can take otherwise. Whoever waits for it is seen in pg_locks, and
 * owners who lock relations in different orders hear of the deadlock from the
 * server.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/inval.h"
#include "utils/resowner.h"

#include "ledger/locks.h"
#include "ledger/slots.h"

PG_FUNCTION_INFO_V1(dp_lock_relation);

/* Whether this process has locked a relation in this transaction. */
static bool holds_lock = false;

static pg_atomic_uint64 *
changes_of(Oid relation)
{
	uint32 hash =
		hash_combine(murmurhash32(MyDatabaseId), murmurhash32(relation));

	return &dp_shared->changes[hash % DP_CHANGES];
}

/* When locks have been released: a waiting request may go on. */
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
acquire(Oid class, Oid object, LOCKMODE mode, bool wait)
{
	LOCKTAG tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, class, object, 0);
	return LockAcquire(&tag, mode, false, !wait);
}

void
dp_lock_of_owner(Oid relation)
{
	static bool registered = false;

	if (dp_shared != NULL && !registered)
	{
		RegisterResourceReleaseCallback(tell_worker, NULL);
		registered = true;
	}
	(void) acquire(RelationRelationId, relation, ExclusiveLock, true);
	AcceptInvalidationMessages();
	if (dp_shared == NULL)
		return;
	holds_lock = true;

	/*
	 * What the worker remembers ends here. It looks under the same lock, so
	 * all changes counted by then are committed or undone.
	 */
	pg_atomic_fetch_add_u64(changes_of(relation), 1);
}

bool
dp_lock_of_worker(Oid relation)
{
	return acquire(RelationRelationId, relation, ExclusiveLock, false) !=
		   LOCKACQUIRE_NOT_AVAIL;
}

/*
 * The oid of the extension is looked up again when its schema has changed,
 * also while it was being locked: it was dropped and created meanwhile.
 */
bool
dp_lock_extension(Oid *extension)
{
	static Oid schema = InvalidOid;
	static Oid known = InvalidOid;
	Oid now = get_namespace_oid("dp_noise", true);

	do
	{
		if (now != schema || !OidIsValid(known))
		{
			schema = now;
			known = get_extension_oid("dp_noise", true);
		}
		if (!OidIsValid(now) || !OidIsValid(known))
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
							errmsg("extension \"dp_noise\" does not exist in "
								   "this database")));
		if (acquire(ExtensionRelationId, known, AccessShareLock, false) ==
			LOCKACQUIRE_NOT_AVAIL)
			return false;
		AcceptInvalidationMessages();
		now = get_namespace_oid("dp_noise", true);
	} while (now != schema);
	*extension = known;
	return true;
}

uint64
dp_lock_changes(Oid relation)
{
	return pg_atomic_read_u64(changes_of(relation));
}

uint64
dp_lock_releases(void)
{
	return pg_atomic_read_u64(&dp_shared->releases);
}

/* (relation oid): the lock of owners, for the extension's own functions. */
Datum
dp_lock_relation(PG_FUNCTION_ARGS)
{
	dp_lock_of_owner(PG_GETARG_OID(0));
	PG_RETURN_VOID();
}
