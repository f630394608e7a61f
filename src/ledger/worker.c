/*
 * worker.c
 *		Takes requests from the slots, one batch per transaction.
 *
 * A charge must outlive whatever the asking transaction does next, so it is
 * committed here, in a process of its own, before the asker continues. While
 * one batch is being committed, the next one gathers; so a hot budget takes
 * more charges per second than its askers could make by updating one row in
 * turn.
 *
 * The worker waits for nobody's locks, except, for a while, superusers' locks
 * on the ledger's tables. A request whose relation is locked by an owner is
 * put back, and tried again when owners have released locks; after a while it
 * is refused. The other requests continue meanwhile.
 *
 * The worker ends after DP_WORKER_IDLE_MS without a request. It gives up its
 * entry under the lock under which requests are made, so no request is left
 * behind: a requester that finds no entry starts another worker. If the worker
 * dies in the middle of a batch, the requests that it has taken get an error:
 * their charges may have been made, but no answers are released.
 *
 * On a standby it tells what would happen to charges, and finds stored
 * answers. It writes nothing there; it remembers nothing from batch to batch,
 * since it does not notice replicated changes; and it needs none of the
 * owners' locks, since owners work on the primary server.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "ledger/locks.h"
#include "ledger/slots.h"
#include "ledger/spin.h"
#include "ledger/step.h"
#include "ledger/store.h"
#include "ledger/worker.h"
#include "server/compat.h"
#include "server/resources.h"

/*
 * How long a request waits for a transaction that changes its budgets: one to
 * charge, and one to store answers, which are paid for.
 */
#define LOCK_TIMEOUT_MS 2000
#define STORE_TIMEOUT_MS 30000

/* Blocked requests are tried again after this time, too: locks can go without
 * notice, with a prepared transaction. */
#define RETRY_MS 100

/* Of longer requests, in bytes, with answers to be stored or heard again, a batch
 * has one at most: the others in it wait until it is written. */
#define LONG_REQUEST (1024 * 1024)

/* How long to stay awake for the next request of somebody who asks alone. */
#define SPIN_US 150

/* How long to wait for locks on the ledger's tables. */
#define TABLE_LOCK_TIMEOUT "2s"

static Oid my_database = InvalidOid;
static uint64 my_generation = 0;

bool
dp_worker_start(Oid database, uint64 generation,
				BackgroundWorkerHandle **handle)
{
	BackgroundWorker worker = {0};
	MemoryContext old;
	bool started;

	worker.bgw_flags =
		BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_ConsistentState;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	worker.bgw_main_arg = ObjectIdGetDatum(database);
	worker.bgw_notify_pid = MyProcPid;
	snprintf(worker.bgw_name, BGW_MAXLEN,
			 "dp_noise ledger worker for database %u", database);
	snprintf(worker.bgw_type, BGW_MAXLEN, "dp_noise ledger worker");
	snprintf(worker.bgw_library_name, BGW_MAXLEN, "dp_noise");
	snprintf(worker.bgw_function_name, BGW_MAXLEN, "dp_ledger_worker_main");
	memcpy(worker.bgw_extra, &generation, sizeof(generation));

	/* The caller watches the start across errors and transactions. */
	old = MemoryContextSwitchTo(TopMemoryContext);
	started = RegisterDynamicBackgroundWorker(&worker, handle);
	MemoryContextSwitchTo(old);
	return started;
}

static DpWorkerEntry *
my_entry(void)
{
	DpWorkerEntry *entry = dp_slots_worker(my_database);

	if (entry == NULL || entry->generation != my_generation)
		return NULL;
	return entry;
}

/* Writes a reply that does not fit a normal course; the lock is held. */
static void
fail_slot(DpSlot *slot)
{
	DpReply *reply = &slot->data.reply;

	/* The requester looks here first, whatever carried the request. */
	memset(reply, 0, sizeof(*reply));
	reply->size = sizeof(*reply);
	reply->sqlstate = ERRCODE_CRASH_SHUTDOWN;
	strlcpy(reply->message,
			"the ledger worker ended before it confirmed a charge",
			sizeof(reply->message));
	strlcpy(reply->detail,
			"The charge may have been made; nothing was answered.",
			sizeof(reply->detail));
	strlcpy(reply->hint,
			"Try again; a question that was charged is refused as asked before "
			"unless on_repeat is 'answer'.",
			sizeof(reply->hint));
	slot->segment = DSM_HANDLE_INVALID;
	slot->state = DP_SLOT_DONE;
	dp_slots_wake(slot->requester);
}

/* before_shmem_exit: also after an error or a request to terminate. */
static void
leave(int code, Datum arg)
{
	DpWorkerEntry *entry;
	int i;

	(void) code;
	(void) arg;
	DP_STEP("worker-ends");
	LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
	entry = my_entry();
	if (entry != NULL)
	{
		entry->state = DP_WORKER_NONE;
		for (i = 0; i < dp_shared->slot_count; i++)
		{
			DpSlot *slot = &dp_shared->slots[i];

			if (slot->database != my_database)
				continue;
			if (slot->state == DP_SLOT_TAKEN)
				fail_slot(slot);
			else if (slot->state == DP_SLOT_ABANDONED)
				slot->state = DP_SLOT_FREE;
			else if (slot->state == DP_SLOT_REQUESTED)
				dp_slots_wake(slot->requester); /* to start another worker */
		}
	}
	LWLockRelease(dp_shared->lock);
}

/* Requests that wait for locks, and when to try them again. */
static struct
{
	bool any;
	uint64 releases; /* of locks, at the last try */
	TimestampTz at;	 /* of the last try */
} blocked;

/*
 * Whether a request that waits has to wait for another batch: as its locks, or
 * another long one, keep it back.
 */
static bool
stands_back(const DpSlot *slot, bool retry, bool has_long)
{
	if (slot->blocked != 0 && !retry)
	{
		blocked.any = true; /* by a worker before this one, too */
		return true;
	}
	return has_long && slot->capacity > LONG_REQUEST;
}

/*
 * Takes all waiting requests; their number. One that is longer than others is
 * taken in turn: the search begins behind the last one.
 */
static int
take_requests(DpSlot **batch)
{
	uint64 releases = dp_lock_releases();
	TimestampTz now = GetCurrentTimestamp();
	bool retry =
		blocked.any && (releases != blocked.releases ||
						TimestampDifferenceExceeds(blocked.at, now, RETRY_MS));
	static int first = 0;
	int next = first;
	bool has_long = false;
	int count = 0;
	int i;

	if (retry || !blocked.any)
	{
		blocked.any = false; /* unless they are put back */
		blocked.releases = releases;
		blocked.at = now;
	}
	LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
	for (i = 0; i < dp_shared->slot_count; i++)
	{
		int number = (first + i) % dp_shared->slot_count;
		DpSlot *slot = &dp_shared->slots[number];

		if (slot->state != DP_SLOT_REQUESTED || slot->database != my_database ||
			stands_back(slot, retry, has_long))
			continue;
		slot->state = DP_SLOT_TAKEN;
		batch[count++] = slot;
		if (slot->capacity <= LONG_REQUEST)
			continue;
		has_long = true;
		next = number + 1;
	}
	first = next;
	LWLockRelease(dp_shared->lock);
	if (count > 0)
		DP_STEP("requests-taken");
	return count;
}

/* Whether there is a request of this database; a hint without the lock. */
static bool
is_asked(void *unused)
{
	int i;

	(void) unused;
	for (i = 0; i < dp_shared->slot_count; i++)
	{
		volatile DpSlot *slot = &dp_shared->slots[i];

		if (slot->state == DP_SLOT_REQUESTED && slot->database == my_database)
			return true;
	}
	return false;
}

/* Gives up the entry, unless a request has come meanwhile. */
static bool
may_leave(void)
{
	DpWorkerEntry *entry;
	bool idle;

	LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
	idle = !is_asked(NULL);
	entry = my_entry();
	if (idle && entry != NULL)
		entry->state = DP_WORKER_NONE;
	LWLockRelease(dp_shared->lock);
	DP_STEP("worker-idle");
	return idle;
}

/* For how long a request waits for locks. */
static int
patience(DpRequestKind kind)
{
	switch (kind)
	{
		case DP_REQUEST_STORE:
			return STORE_TIMEOUT_MS;
		case DP_REQUEST_GIVE_UP: /* somebody waits to hear of an error */
		case DP_REQUEST_NUMBER:	 /* has another way */
			return 0;
		default:
			return LOCK_TIMEOUT_MS;
	}
}

/*
 * Puts a blocked request back to be tried again; false when it has waited for
 * long enough.
 */
static bool
put_back(DpStoreRequest *request, DpSlot *slot)
{
	TimestampTz now = GetCurrentTimestamp();
	bool in_time;

	LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
	if (slot->blocked == 0)
		slot->blocked = now;
	in_time = patience(request->header.kind) > 0 &&
			  !TimestampDifferenceExceeds(slot->blocked, now,
										  patience(request->header.kind));
	if (in_time)
	{
		slot->state =
			slot->state == DP_SLOT_TAKEN ? DP_SLOT_REQUESTED : DP_SLOT_FREE;
		blocked.any = true;
	}
	LWLockRelease(dp_shared->lock);
	if (in_time)
		dp_store_detach(request);
	return in_time;
}

/*
 * Hands slots back to those who wait for them. They are woken when the lock is
 * free again, or they would wait for that at once.
 */
static void
release_slots(DpSlot **slots, int count)
{
	int *requesters = palloc(Max(count, 1) * sizeof(int));
	int waiting = 0;
	int i;

	LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
	for (i = 0; i < count; i++)
	{
		DpSlot *slot = slots[i];

		if (slot->state == DP_SLOT_TAKEN)
		{
			slot->state = DP_SLOT_DONE;
			requesters[waiting++] = slot->requester;
		}
		else
			slot->state = DP_SLOT_FREE;
	}
	LWLockRelease(dp_shared->lock);
	for (i = 0; i < waiting; i++)
	{
		dp_slots_wake(requesters[i]);
		DP_STEP("slot-done");
	}
}

/*
 * Where standbys are synchronous, a commit waits for them, and one that is
 * interrupted looks like one that they have. So nobody cancels it, and a worker
 * that is told to end tells nobody that the charges are safe.
 */
static void
commit(void)
{
	pqsignal(SIGINT, SIG_IGN);
	QueryCancelPending = false;
	CommitTransactionCommand();
	DP_STEP("after-commit");
	CHECK_FOR_INTERRUPTS();
}

/* One transaction for some requests, or with none to tidy up; the error, or
 * NULL. */
static ErrorData *
run_batch(DpStoreRequest *requests, int count)
{
	MemoryContext context = CurrentMemoryContext;
	ErrorData *volatile error = NULL;

	PG_TRY();
	{
		StartTransactionCommand();
		DP_STEP("transaction-begun");
		if (count > 0)
			dp_store_apply(requests, count);
		else if (!RecoveryInProgress())
			dp_store_tidy();
		DP_STEP("before-commit");
		commit();
		dp_store_committed();
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		AbortCurrentTransaction();
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
	pqsignal(SIGINT, StatementCancelHandler);
	MemoryContextSwitchTo(context);
	return error;
}

/* Copies a request out of its slot; one that cannot be read is refused. */
static void
attach(DpStoreRequest *request, DpSlot *slot)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		dp_store_attach(request, slot);
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		request->unreadable = true;
		dp_store_fail(request, error);
	}
	PG_END_TRY();
}

static void
process(DpSlot **slots, int count)
{
	DpStoreRequest *requests = palloc0(count * sizeof(DpStoreRequest));
	ErrorData *error;
	int answered = 0;
	int i;

	for (i = 0; i < count; i++)
		attach(&requests[i], slots[i]);
	DP_STEP("requests-read");

	pgstat_report_activity(STATE_RUNNING, "writing charges");
	error = run_batch(requests, count);

	/*
	 * One bad request must not refuse the others. For a locked table all of
	 * them have waited, and none waits again.
	 */
	if (error != NULL && error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
	{
		for (i = 0; i < count; i++)
			dp_store_fail(&requests[i], error);
	}
	else if (error != NULL && count > 1)
	{
		for (i = 0; i < count; i++)
		{
			error = run_batch(&requests[i], 1);
			if (error != NULL)
				dp_store_fail(&requests[i], error);
		}
	}
	else if (error != NULL)
		dp_store_fail(&requests[0], error);

	/* Only now, after the commit, is anybody told. */
	for (i = 0; i < count; i++)
	{
		if (requests[i].is_blocked && put_back(&requests[i], slots[i]))
			continue;
		dp_store_reply(&requests[i]);
		DP_STEP("reply-written");
		slots[answered++] = slots[i];
	}
	release_slots(slots, answered);
	pgstat_report_activity(STATE_IDLE, NULL);
	pgstat_report_stat(false);
}

/*
 * What the server, the database or the superuser's role has as its settings
 * must neither stop a charge nor make it less than durable. A database's owner, who
 * may be anybody, can give it any setting that everybody may change; they
 * stand back altogether, and of the server's those that matter.
 */
static void
override_settings(void)
{
	static const struct
	{
		const char *name;
		const char *value;
	} settings[] = {
		{"role", "none"},
		{"default_transaction_read_only", "off"},
		{"default_transaction_isolation", "read committed"},
		{"lock_timeout", TABLE_LOCK_TIMEOUT},
		{"statement_timeout", "0"},
		{"idle_in_transaction_session_timeout", "0"},
		{"idle_session_timeout", "0"},
		{"exit_on_error", "off"},
		{"transform_null_equals", "off"},
		{"array_nulls", "on"},
		{"restrict_nonsystem_relation_kind", ""}, /* pg_dump sets it */
		{"transaction_timeout", "0"},			  /* where the server has it */
		{"search_path", "pg_catalog, pg_temp"},
		{"session_replication_role", "origin"},
		{"row_security", "on"},
		{"jit", "off"}, /* would compile for longer than all it runs */

		/* The server's log may show plans, and custom ones quote answers. */
		{"plan_cache_mode", "force_generic_plan"},
		{"auto_explain.log_min_duration", "-1"},
	};
	int i;

	dp_resources_forget_database();

	/* Not by its setting, which takes names alone, in a transaction. */
	SetSessionAuthorization(BOOTSTRAP_SUPERUSERID, true);
	for (i = 0; i < (int) lengthof(settings); i++)
	{
		if (GetConfigOption(settings[i].name, true, false) != NULL)
			SetConfigOption(settings[i].name, settings[i].value, PGC_SUSET,
							PGC_S_OVERRIDE);
	}
	if (synchronous_commit < SYNCHRONOUS_COMMIT_LOCAL_FLUSH)
		SetConfigOption("synchronous_commit", "on", PGC_SUSET, PGC_S_OVERRIDE);
}

static void
tidy(MemoryContext batch_context)
{
	MemoryContextSwitchTo(batch_context);
	(void) run_batch(NULL, 0);
	MemoryContextSwitchTo(TopMemoryContext);
}

void
dp_ledger_worker_main(Datum argument)
{
	MemoryContext batch_context;
	DpSlot **batch;
	DpWorkerEntry *entry;
	TimestampTz idle_since;
	bool is_standby;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	memcpy(&my_generation, MyBgworkerEntry->bgw_extra, sizeof(my_generation));

	/* The entry goes even if the connection fails. */
	my_database = DatumGetObjectId(argument);
	before_shmem_exit(leave, (Datum) 0);
	BackgroundWorkerUnblockSignals();
	DP_STEP("worker-begins");

	/* A database that takes no new connections may have old ones. */
	BackgroundWorkerInitializeConnectionByOid(my_database, InvalidOid,
											  BGWORKER_BYPASS_ALLOWCONN);

	override_settings();
	DP_STEP("worker-connected");

	LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
	entry = my_entry();
	if (entry != NULL)
	{
		entry->state = DP_WORKER_RUNNING;
		entry->procno = dp_compat_proc_number();
	}
	LWLockRelease(dp_shared->lock);
	if (entry == NULL)
		proc_exit(0); /* given up meanwhile: another one was started */

	DP_STEP("worker-runs");
	batch = MemoryContextAlloc(TopMemoryContext,
							   dp_shared->slot_count * sizeof(DpSlot *));
	batch_context = AllocSetContextCreate(TopMemoryContext, "ledger batch",
										  ALLOCSET_DEFAULT_SIZES);
	is_standby = RecoveryInProgress();
	tidy(batch_context);
	idle_since = GetCurrentTimestamp();
	for (;;)
	{
		int count;
		long idle;

		CHECK_FOR_INTERRUPTS();
		if (is_standby && !RecoveryInProgress())
		{
			is_standby = false; /* promoted */
			tidy(batch_context);
		}
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
			override_settings();
		}
		count = take_requests(batch);
		if (count > 0)
		{
			MemoryContextSwitchTo(batch_context);
			process(batch, count);
			MemoryContextSwitchTo(TopMemoryContext);
			MemoryContextReset(batch_context);
			idle_since = GetCurrentTimestamp();
			if (count == 1 && !blocked.any)
				dp_spin(is_asked, NULL, SPIN_US);
			continue;
		}
		idle =
			TimestampDifferenceMilliseconds(idle_since, GetCurrentTimestamp());
		if (idle >= DP_WORKER_IDLE_MS && may_leave())
			proc_exit(0);
		(void) WaitLatch(
			MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
			blocked.any ? RETRY_MS : Max(DP_WORKER_IDLE_MS - idle, 1),
			PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}
