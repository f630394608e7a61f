/*
 * worker.c
 *		Takes requests from the slots, one batch per transaction.
 *
 * A charge must outlive whatever the asking transaction does next, so it is
 * committed here, in a process of its own, before the asker continues. Askers wait
 * until it is on disk, several at once, while the next batch is being written; so a
 * hot budget takes more charges per second than its askers could make by updating
 * one row in turn.
 *
 * The worker waits for nobody's locks, except, for a while, superusers' locks
 * on the ledger's tables. A request whose population is locked by an owner is
 * put back, and tried again when owners have released locks; after a while it
 * is refused. The other requests continue meanwhile.
 *
 * How much work a request is may be up to whoever asks, or to an owner. So it
 * has a limit (limit.h): who needs longer stands aside, for a turn of its own,
 * and is refused when that is not enough.
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
#include "access/xlog_internal.h"
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

#include "ledger/activity.h"
#include "ledger/limit.h"
#include "ledger/spin.h"
#include "ledger/step.h"
#include "ledger/store.h"
#include "ledger/worker.h"
#include "ledger/worker_settings.h"
#include "ledger/worker_slots.h"
#include "server/compat.h"
#include "server/resources.h"

/* How long to stay awake for the next request of somebody who asks alone. */
#define SPIN_US 150

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

/* before_shmem_exit: also after an error or a request to terminate. */
static void
leave(int code, Datum arg)
{
	(void) code;
	(void) arg;
	dp_worker_slots_leave();
}

/* The end of all that was committed here, or before this worker began. */
static XLogRecPtr committed = InvalidXLogRecPtr;

/*
 * Where standbys are synchronous, a commit waits for them, and one that is
 * interrupted looks like one that they have. So commits cannot be cancelled
 * here, and a worker that is told to end meanwhile does not report the charges
 * as durable.
 */
static void
commit(void)
{
	dp_limit_end();
	pqsignal(SIGINT, PG_SIG_IGN);
	QueryCancelPending = false;
	CommitTransactionCommand();
	committed = Max(committed, XactLastCommitEnd);
	DP_STEP("after-commit");
	CHECK_FOR_INTERRUPTS();
}

/*
 * One transaction for some requests, or with none to begin with; the error, or
 * NULL. is_alone: one that has the worker for itself.
 */
static ErrorData *
run_batch(DpStoreRequest *requests, int count, bool is_alone)
{
	MemoryContext context = CurrentMemoryContext;
	ErrorData *volatile error = NULL;

	PG_TRY();
	{
		SetCurrentStatementStartTimestamp(); /* what now() is */
		StartTransactionCommand();
		DP_STEP("transaction-begun");
		if (count > 0)
		{
			dp_limit_begin(is_alone);
			dp_store_apply(requests, count);
		}
		else if (!RecoveryInProgress())
			dp_store_begin();
		DP_STEP("before-commit");
		commit();
		if (count > 0)
			dp_store_committed();
	}
	PG_CATCH();
	{
		HOLD_INTERRUPTS();
		dp_limit_end();
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

/* True for a request that stands aside together with the one that took too
 * long; slot: that one's, or NULL where it is not known. */
static bool
goes_with(const DpStoreRequest *request, const DpSlot *slot)
{
	if (request->slot == slot)
		return true;

	/* A failure shall count before the next charge. */
	if (request->unreadable || request->header.kind == DP_REQUEST_FAIL)
		return false;
	return slot == NULL || request->slot->role == slot->role;
}

/*
 * Whether a failed transaction took too long. Then somebody stands aside: the
 * request that did, and with it the others of its role, which may have many of
 * that kind; where it is not known which one, all of them.
 */
static bool
put_aside(DpStoreRequest *requests, int count)
{
	const DpSlot *slot;
	bool any = false;
	int i;

	if (dp_limit_cause(&slot) == DP_LIMIT_NONE)
		return false;
	for (i = 0; i < count; i++)
	{
		if (requests[i].is_aside || !goes_with(&requests[i], slot))
			continue;
		requests[i].is_aside = true;
		any = true;
	}
	for (i = 0; i < count && !any; i++)
		requests[i].is_aside = !requests[i].unreadable;
	return true;
}

/* Tries the requests of a failed batch one by one. */
static void
run_each(DpStoreRequest *requests, int count)
{
	int i;

	for (i = 0; i < count; i++)
	{
		ErrorData *error;

		if (requests[i].is_aside)
			continue;
		error = run_batch(&requests[i], 1, false);
		if (error != NULL && !put_aside(&requests[i], 1))
			dp_store_fail(&requests[i], error);
	}
}

/* Applies requests among others, except those that take too long. */
static void
run_together(DpStoreRequest *requests, int count)
{
	ErrorData *error;
	int i;

	do
		error = run_batch(requests, count, false);
	while (error != NULL && put_aside(requests, count));

	/*
	 * One bad request must not refuse the others. For a locked table all of
	 * them have waited, and none waits again.
	 */
	if (error != NULL && error->sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
	{
		for (i = 0; i < count; i++)
		{
			if (!requests[i].is_aside)
				dp_store_fail(&requests[i], error);
		}
	}
	else if (error != NULL && count > 1)
		run_each(requests, count);
	else if (error != NULL)
		dp_store_fail(&requests[0], error);
}

/* Refuses it, and tells the administrator what all charges had to wait for. */
static void
refuse_slow(DpStoreRequest *request)
{
	dp_store_refuse_slow(request);
	ereport(
		LOG,
		(errmsg("the ledger worked on a statement for too long, and "
				"refused it"),
		 errdetail("It was asked for by the role with OID %u, and is about the "
				   "population with number %d.",
				   request->slot->role, request->charges[0].population_id)));
}

/* Applies a slow request, which is refused if it takes too long now. */
static void
run_alone(DpStoreRequest *request)
{
	ErrorData *error = run_batch(request, 1, true);
	const DpSlot *slot;

	if (error == NULL)
		return;
	switch (dp_limit_cause(&slot))
	{
		case DP_LIMIT_NONE:
			dp_store_fail(request, error);
			break;
		case DP_LIMIT_TIME:
			refuse_slow(request);
			break;
		case DP_LIMIT_ABANDONED: /* no reply is read */
			elog(DEBUG1, "ended a request to the ledger that nobody waits for");
			break;
	}
}

static void
process(DpSlot **slots, int count)
{
	DpStoreRequest *requests = palloc0(count * sizeof(DpStoreRequest));
	int answered = 0;
	int i;

	for (i = 0; i < count; i++)
		attach(&requests[i], slots[i]);
	DP_STEP("requests-read");

	pgstat_report_activity(STATE_RUNNING, "writing charges");
	if (slots[0]->is_slow)
		run_alone(&requests[0]);
	else
		run_together(requests, count);

	/* Requesters are only told now, after the commit. */
	for (i = 0; i < count; i++)
	{
		if (requests[i].is_aside)
		{
			dp_store_detach(&requests[i]);
			dp_worker_slots_put_aside(slots[i]);
			continue;
		}
		if (requests[i].is_blocked &&
			dp_worker_slots_put_back(slots[i], requests[i].header.kind))
		{
			dp_store_detach(&requests[i]);
			continue;
		}
		dp_activity_count(&requests[i]);
		slots[i]->flush_to =
			dp_store_must_last(&requests[i]) ? committed : InvalidXLogRecPtr;
		dp_store_reply(&requests[i]);
		DP_STEP("reply-written");
		slots[answered++] = slots[i];
	}
	dp_activity_publish();
	dp_worker_slots_release(slots, answered);
	pgstat_report_activity(STATE_IDLE, NULL);
	pgstat_report_stat(false);
}

/*
 * Where the log ends. Right after a page's header nothing has been written yet, and
 * only what comes before the page can be on disk.
 */
static XLogRecPtr
end_of_log(void)
{
	XLogRecPtr end = GetXLogInsertRecPtr();
	uint64 in_page = end % XLOG_BLCKSZ;

	if (in_page == SizeOfXLogShortPHD ||
		XLogSegmentOffset(end, wal_segment_size) == SizeOfXLogLongPHD)
		end -= in_page;
	return end;
}

static void
begin(MemoryContext batch_context)
{
	if (!RecoveryInProgress())
		committed = end_of_log();
	MemoryContextSwitchTo(batch_context);
	(void) run_batch(NULL, 0, false);
	MemoryContextSwitchTo(TopMemoryContext);
}

/* Connects to the database, once the worker can be found and ended. */
static void
connect_worker(Oid database)
{
	uint64 generation;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	memcpy(&generation, MyBgworkerEntry->bgw_extra, sizeof(generation));

	/*
	 * Registered first, so that the entry is removed even if the connection
	 * fails.
	 */
	dp_worker_slots_begin(database, generation);
	before_shmem_exit(leave, (Datum) 0);
	BackgroundWorkerUnblockSignals();
	DP_STEP("worker-begins");

	/* A database that takes no new connections may have old ones. */
	BackgroundWorkerInitializeConnectionByOid(database, InvalidOid,
											  BGWORKER_BYPASS_ALLOWCONN);

	dp_worker_settings_override();
	dp_limit_init();
	DP_STEP("worker-connected");

	if (!dp_worker_slots_enter())
		proc_exit(0); /* given up meanwhile: another one was started */

	DP_STEP("worker-runs");
}

/*
 * Waits until somebody asks; ends the process where nobody has asked for long,
 * since idle_since.
 */
static void
wait_for_requests(TimestampTz idle_since)
{
	long idle =
		TimestampDifferenceMilliseconds(idle_since, GetCurrentTimestamp());

	if (idle >= DP_WORKER_IDLE_MS && dp_worker_slots_may_leave())
		proc_exit(0);
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 dp_worker_slots_are_blocked()
						 ? DP_WORKER_RETRY_MS
						 : Max(DP_WORKER_IDLE_MS - idle, 1),
					 PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
}

void
dp_ledger_worker_main(Datum argument)
{
	MemoryContext batch_context;
	DpSlot **batch;
	TimestampTz idle_since;
	bool is_standby;

	connect_worker(DatumGetObjectId(argument));
	batch = MemoryContextAlloc(TopMemoryContext,
							   dp_shared->slot_count * sizeof(DpSlot *));
	batch_context = AllocSetContextCreate(TopMemoryContext, "ledger batch",
										  ALLOCSET_DEFAULT_SIZES);
	is_standby = RecoveryInProgress();
	begin(batch_context);
	idle_since = GetCurrentTimestamp();
	for (;;)
	{
		int count;

		CHECK_FOR_INTERRUPTS();
		if (is_standby && !RecoveryInProgress())
		{
			is_standby = false; /* promoted */
			begin(batch_context);
		}
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
			dp_worker_settings_override();
		}
		count = dp_worker_slots_take(batch);
		if (count == 0)
		{
			wait_for_requests(idle_since);
			continue;
		}
		MemoryContextSwitchTo(batch_context);
		process(batch, count);
		MemoryContextSwitchTo(TopMemoryContext);
		MemoryContextReset(batch_context);
		idle_since = GetCurrentTimestamp();
		if (count == 1 && !dp_worker_slots_are_blocked())
			dp_spin(dp_worker_slots_are_asked, NULL, SPIN_US);
	}
}
