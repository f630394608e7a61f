/*
 * worker_call.c
 *		Wakes the database's ledger worker, or starts it.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/timestamp.h"

#include "ledger/slots.h"
#include "ledger/step.h"
#include "ledger/worker.h"
#include "ledger/worker_call.h"

/*
 * A worker that is not running after this time is given up. Normally the
 * process that asked for it notices a failure, but it may have ended. One that
 * comes up later finds another generation in its entry, and ends.
 */
#define START_PATIENCE_MS 10000

/* Starts of a worker that may fail in a row before the request is refused. */
#define STARTS_MAX 3

/*
 * The worker that this process started, while it is not known to run: for the
 * next request where this one ends early.
 */
static BackgroundWorkerHandle *my_start = NULL;
static uint64 my_start_generation = 0;

/* Refuses because no worker process can be had. */
static void
refuse_without_worker(void)
{
	ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_RESOURCES),
					errmsg("could not start the ledger worker"),
					errhint("Set max_worker_processes higher, or see the "
							"server's log for why the worker ended.")));
}

void
dp_worker_call(int *starts)
{
	DpWorkerEntry *entry;
	DpWorkerEntry *fresh = NULL;
	uint64 generation = 0;
	TimestampTz now = GetCurrentTimestamp();
	int i;

	LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
	entry = dp_slots_worker(MyDatabaseId);
	if (entry != NULL && entry->state == DP_WORKER_STARTING &&
		TimestampDifferenceExceeds(entry->asked, now, START_PATIENCE_MS))
	{
		entry->state = DP_WORKER_NONE;
		entry = NULL;
	}
	if (entry != NULL)
	{
		bool is_running = entry->state == DP_WORKER_RUNNING;
		int procno = entry->procno;

		/*
		 * The worker is woken after the lock is released, since it takes it at
		 * once.
		 */
		LWLockRelease(dp_shared->lock);
		if (is_running)
			dp_slots_wake(procno);
		return;
	}
	for (i = 0; i < DP_WORKERS_MAX && fresh == NULL; i++)
	{
		if (dp_shared->workers[i].state == DP_WORKER_NONE)
			fresh = &dp_shared->workers[i];
	}
	if (fresh != NULL)
	{
		generation = ++dp_shared->last_generation;
		fresh->state = DP_WORKER_STARTING;
		fresh->database = MyDatabaseId;
		fresh->generation = generation;
		fresh->asked = now;
	}
	LWLockRelease(dp_shared->lock);
	DP_STEP("entry-taken");

	if (fresh == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("too many databases charge privacy budgets at once"),
				 errdetail("There are ledger workers for %d databases.",
						   DP_WORKERS_MAX),
				 errhint("Try again in a few seconds.")));
	if (my_start != NULL)
	{
		pfree(my_start); /* of an earlier worker, which ran and ended */
		my_start = NULL;
	}
	if (++*starts > STARTS_MAX ||
		!dp_worker_start(MyDatabaseId, generation, &my_start))
	{
		LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
		if (fresh->generation == generation)
			fresh->state = DP_WORKER_NONE;
		LWLockRelease(dp_shared->lock);
		refuse_without_worker();
	}
	my_start_generation = generation;
	DP_STEP("worker-asked-for");
}

void
dp_worker_watch_start(void)
{
	pid_t pid;
	DpWorkerEntry *entry;

	if (my_start == NULL ||
		GetBackgroundWorkerPid(my_start, &pid) != BGWH_STOPPED)
		return;
	LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
	entry = dp_slots_worker(MyDatabaseId);
	if (entry != NULL && entry->generation == my_start_generation)
		entry->state = DP_WORKER_NONE;
	LWLockRelease(dp_shared->lock);
	pfree(my_start);
	my_start = NULL;
}
