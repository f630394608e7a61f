/*
 * slots.h
 *		Shared memory between backends and the ledger workers.
 *
 * One lock guards it all and is held for a few instructions. A slot goes
 *
 *		free -> requested -> taken -> done -> free
 *
 * by the requester, the worker, the worker and the requester. A requester that
 * cannot wait any longer (cancelled, terminated) gives the slot up: at once if
 * the worker has not taken it, otherwise it is marked as abandoned, and the
 * worker frees it. A request that has to wait for somebody's lock goes back to
 * requested. No role has more than three quarters of the slots at once;
 * otherwise it could make its requests wait for a lock of its own, and leave
 * no slots for others.
 *
 * Some slots are kept for the second request of a question, which stores its
 * answers or gives them up. It takes one of them where the others are full, and
 * waits until there is one: the question is charged, so its answers must not be
 * lost because others ask. Charges cannot get there, and what is there ends by
 * itself; so a store comes to its turn. A slot is nobody's before a request is
 * in it, so whoever dies between charge and store leaves nothing behind.
 *
 * A request of up to DP_SLOT_BYTES travels in the slot, a longer one in a
 * dynamic segment of the requester.
 */
#ifndef DP_LEDGER_SLOTS_H
#define DP_LEDGER_SLOTS_H

#include "access/xlogdefs.h"
#include "datatype/timestamp.h"
#include "port/atomics.h"
#include "storage/dsm.h"
#include "storage/lwlock.h"

#include "ledger/activity.h"
#include "ledger/request.h"

#define DP_SLOT_BYTES 4096
#define DP_WORKERS_MAX 64

/*
 * How many counters of owners' changes there are; populations whose hashes agree
 * share one.
 */
#define DP_CHANGES 64

typedef enum DpSlotState
{
	DP_SLOT_FREE,
	DP_SLOT_REQUESTED,
	DP_SLOT_TAKEN,
	DP_SLOT_DONE,
	DP_SLOT_ABANDONED /* taken, and nobody waits any more */
} DpSlotState;

typedef struct DpSlot
{
	DpSlotState state;
	Oid database;
	Oid role;			 /* the requester's session_user, for its share */
	int requester;		 /* its number, for its latch */
	TimestampTz asked;	 /* when the request was made */
	TimestampTz blocked; /* requested: since when locks keep it back, or 0 */
	bool is_slow;		 /* gets a turn of its own; see limit.h */
	XLogRecPtr
		flush_to;		/* done: what must be on disk before it is used, or 0 */
	dsm_handle segment; /* DSM_HANDLE_INVALID: bytes below */
	Size capacity;		/* of the bytes or the segment */
	union
	{
		char bytes[DP_SLOT_BYTES];
		DpRequest request;
		DpReply reply;
	} data;
} DpSlot;

typedef enum DpWorkerState
{
	DP_WORKER_NONE,
	DP_WORKER_STARTING,
	DP_WORKER_RUNNING
} DpWorkerState;

typedef struct DpWorkerEntry
{
	DpWorkerState state;
	Oid database;
	int procno;		   /* running: for its latch */
	uint64 generation; /* of this start, never reused */
	TimestampTz asked; /* when the start was asked for */
} DpWorkerEntry;

typedef struct DpShared
{
	LWLock *lock;
	uint64 incarnation; /* random: of this memory; see dp_lock_incarnation */
	pg_atomic_uint64 changes[DP_CHANGES]; /* by owners; see locks.h */
	pg_atomic_uint64 releases;			  /* of owners' locks */
	uint64 last_generation;
	int slot_count; /* all slots */
	int open_count; /* the first ones, for any request; then those for stores */
	DpWorkerEntry workers[DP_WORKERS_MAX];
	DpActivity activities[DP_ACTIVITIES_MAX];
	DpSlot slots[FLEXIBLE_ARRAY_MEMBER];
} DpShared;

/* NULL when the library was not preloaded. */
extern DpShared *dp_shared;

/* Reserves the memory; called from _PG_init, does nothing after start-up. */
extern void dp_slots_init(void);

/* The worker entry of a database, or NULL. The lock is held. */
extern DpWorkerEntry *dp_slots_worker(Oid database);

/* Wakes the process of that number. */
extern void dp_slots_wake(int procno);

#endif
