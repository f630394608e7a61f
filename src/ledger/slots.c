/*
 * slots.c
 *		Set-up of the shared memory.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/guc.h"

#include "ledger/slots.h"

#define TRANCHE "dp_noise"
#define SLOTS_DEFAULT 128

DpShared *dp_shared = NULL;

/* How many slots for stores come to those that anybody may use. */
#define STORE_SLOTS(open) Max((open) / 4, 4)

static int open_count = SLOTS_DEFAULT;
static shmem_request_hook_type prev_shmem_request = NULL;
static shmem_startup_hook_type prev_shmem_startup = NULL;

static Size
shared_size(void)
{
	return add_size(
		offsetof(DpShared, slots),
		mul_size(open_count + STORE_SLOTS(open_count), sizeof(DpSlot)));
}

static void
request_memory(void)
{
	if (prev_shmem_request != NULL)
		prev_shmem_request();
	RequestAddinShmemSpace(shared_size());
	RequestNamedLWLockTranche(TRANCHE, 1);
}

/* A number that no other shared memory had, but with the chance of a guess. */
static uint64
make_incarnation(void)
{
	uint64 result;

	if (!pg_strong_random(&result, sizeof(result)))
		elog(FATAL, "could not make a random number");
	return result;
}

static void
start_memory(void)
{
	bool found;
	int i;

	if (prev_shmem_startup != NULL)
		prev_shmem_startup();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	dp_shared = ShmemInitStruct("dp_noise", shared_size(), &found);
	if (!found)
	{
		memset(dp_shared, 0, shared_size());
		dp_shared->lock = &GetNamedLWLockTranche(TRANCHE)->lock;
		dp_shared->incarnation = make_incarnation();
		dp_shared->open_count = open_count;
		dp_shared->slot_count = open_count + STORE_SLOTS(open_count);
		pg_atomic_init_u64(&dp_shared->releases, 0);
		for (i = 0; i < DP_CHANGES; i++)
			pg_atomic_init_u64(&dp_shared->changes[i], 0);
	}
	LWLockRelease(AddinShmemInitLock);
}

void
dp_slots_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	DefineCustomIntVariable(
		"dp_noise.ledger_slots",
		"Sets how many statements may wait for the ledger at once.",
		"In all databases together; each takes about 4 kB of shared memory, "
		"and "
		"so does a quarter as many that only store answers. 1 to 10000.",
		&open_count, SLOTS_DEFAULT, 1, 10000, PGC_POSTMASTER, 0, NULL, NULL,
		NULL);
	prev_shmem_request = shmem_request_hook;
	shmem_request_hook = request_memory;
	prev_shmem_startup = shmem_startup_hook;
	shmem_startup_hook = start_memory;
}

DpWorkerEntry *
dp_slots_worker(Oid database)
{
	int i;

	for (i = 0; i < DP_WORKERS_MAX; i++)
	{
		DpWorkerEntry *worker = &dp_shared->workers[i];

		if (worker->state != DP_WORKER_NONE && worker->database == database)
			return worker;
	}
	return NULL;
}

void
dp_slots_wake(int procno)
{
	SetLatch(&ProcGlobal->allProcs[procno].procLatch);
}
