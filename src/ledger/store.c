/*
 * store.c
 *		A batch of requests in one transaction.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "ledger/budgets.h"
#include "ledger/decision.h"
#include "ledger/step.h"
#include "ledger/store.h"

/*
 * Takes the lock that functions for owners take (dp_as_owner), for the
 * transaction. The extension's oid is looked up again when its schema has
 * changed, also while the lock was waited for: it was dropped and created
 * meanwhile.
 */
static Oid
lock_budgets(void)
{
	static Oid schema = InvalidOid;
	static Oid extension = InvalidOid;
	Oid now = get_namespace_oid("dp_noise", true);

	do
	{
		if (now != schema || !OidIsValid(extension))
		{
			schema = now;
			extension = get_extension_oid("dp_noise", true);
		}
		if (!OidIsValid(now) || !OidIsValid(extension))
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
							errmsg("extension \"dp_noise\" does not exist in "
								   "this database")));
		LockDatabaseObject(ExtensionRelationId, extension, 0, ExclusiveLock);
		now = get_namespace_oid("dp_noise", true);
	} while (now != schema);
	return extension;
}

/* What is remembered from batch to batch. */
static struct
{
	bool valid;		/* the last batch was committed, and may be kept */
	Oid extension;	/* that it was read from */
	uint64 changes; /* of owners, until then */
	DpBatch batch;
} kept;

/* Under the lock: goes on with the last batch, or starts afresh. */
static void
open_batch(Oid extension)
{
	uint64 changes = pg_atomic_read_u64(&dp_shared->changes);

	if (!kept.valid || kept.extension != extension || kept.changes != changes)
	{
		if (kept.batch.context == NULL)
			kept.batch.context = AllocSetContextCreate(
				TopMemoryContext, "ledger budgets", ALLOCSET_DEFAULT_SIZES);
		MemoryContextReset(kept.batch.context);
		kept.batch.relations = NIL;
		kept.batch.roles = NIL;
		kept.batch.stale = false;
		kept.extension = extension;
		kept.changes = changes;
	}
	kept.valid = false; /* until it is committed */
}

void
dp_store_committed(void)
{
	kept.valid = dp_budgets_may_be_kept(&kept.batch);
}

void
dp_store_apply(DpStoreRequest *requests, int count)
{
	int i;

	open_batch(lock_budgets());
	DP_STEP("budgets-locked");
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to the server's SQL interface");
	PushActiveSnapshot(GetTransactionSnapshot());
	for (i = 0; i < count; i++)
	{
		if (requests[i].unreadable)
			continue;

		dp_decide(&kept.batch, &requests[i]);
	}
	DP_STEP("budgets-unwritten");
	dp_budgets_write(&kept.batch);
	DP_STEP("budgets-written");
	PopActiveSnapshot();
	SPI_finish();
}
