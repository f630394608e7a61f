/*
 * worker_slots.c
 *		The worker's side of the slots.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "ledger/locks.h"
#include "ledger/step.h"
#include "ledger/worker_slots.h"
#include "server/compat.h"

/*
 * How long a request waits for a transaction that changes its budgets: one to
 * charge, and one that stores answers, which are paid for, or tells a failure.
 */
#define LOCK_TIMEOUT_MS 2000
#define STORE_TIMEOUT_MS 30000

/*
 * What does not fit into a slot, with many charges or long answers, comes in turn:
 * a batch takes so many bytes of these from each role, at least one request of one
 * role, and so many in all, since whatever is in it waits until all is written. A
 * hundred charges take some 50 kB, and some 30 ms.
 */
#define ROLE_BYTES (128 * 1024)
#define BATCH_BYTES (1024 * 1024)

/* For how many times its own time a slow request lets others go before the next. */
#define SLOW_REST 3

/* Whose slots they are, for the life of the process. */
static Oid my_database = InvalidOid;
static uint64 my_generation = 0;

static DpWorkerEntry *
my_entry(void)
{
	DpWorkerEntry *entry = dp_slots_worker(my_database);

	if (entry == NULL || entry->generation != my_generation)
		return NULL;
	return entry;
}

void
dp_worker_slots_begin(Oid database, uint64 generation)
{
	my_database = database;
	my_generation = generation;
}

bool
dp_worker_slots_enter(void)
{
	DpWorkerEntry *entry;

	LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
	entry = my_entry();
	if (entry != NULL)
	{
		entry->state = DP_WORKER_RUNNING;
		entry->procno = dp_compat_proc_number();
		dp_activity_begin(my_database);
	}
	LWLockRelease(dp_shared->lock);
	return entry != NULL;
}

/* Writes the reply to a request that was lost; the lock is held. */
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
	slot->flush_to = InvalidXLogRecPtr;
	slot->state = DP_SLOT_DONE;
	dp_slots_wake(slot->requester);
}

void
dp_worker_slots_leave(void)
{
	DpWorkerEntry *entry;
	int i;

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

/*
 * Whether requests wait for locks, and when to try them again; reset when they
 * are tried again. A failed batch does not change it.
 */
static struct
{
	bool any;
	uint64 releases; /* of locks, at the last try */
	TimestampTz at;	 /* of the last try */
} blocked;

/* Slow requests. */
static struct
{
	bool wait;		   /* there are some, at the last look */
	int next;		   /* slot where to look for one */
	TimestampTz taken; /* the one that the worker works on, or 0 */
	TimestampTz after; /* when the next one may be taken */
} slow;

/* Whether a request has to wait for its locks. */
static bool
stands_back(const DpSlot *slot, bool retry)
{
	if (slot->blocked != 0 && !retry)
	{
		blocked.any = true; /* by a worker before this one, too */
		return true;
	}
	return false;
}

/* The long requests of a batch: so few that they can be looked through. */
typedef struct LongRequests
{
	const DpSlot *slots[BATCH_BYTES / DP_SLOT_BYTES + 1];
	int count;
	Size bytes;
} LongRequests;

static bool
is_long(const DpSlot *slot)
{
	return slot->capacity > DP_SLOT_BYTES;
}

/* Whether a batch has no room for a further long request. */
static bool
is_full(const LongRequests *taken, const DpSlot *slot)
{
	Size of_role = 0;
	int i;

	for (i = 0; i < taken->count; i++)
	{
		if (taken->slots[i]->role == slot->role)
			of_role += taken->slots[i]->capacity;
	}
	return (of_role > 0 && of_role + slot->capacity > ROLE_BYTES) ||
		   (taken->count > 0 && taken->bytes + slot->capacity > BATCH_BYTES);
}

static void
take_long(LongRequests *taken, const DpSlot *slot)
{
	taken->slots[taken->count++] = slot;
	taken->bytes += slot->capacity;
}

/* True for a request of this database that waits. The lock is held. */
static bool
waits(const DpSlot *slot)
{
	return slot->state == DP_SLOT_REQUESTED && slot->database == my_database;
}

/* Puts a request back, unless it was abandoned. The lock is held. */
static void
put_back(DpSlot *slot)
{
	slot->state =
		slot->state == DP_SLOT_TAKEN ? DP_SLOT_REQUESTED : DP_SLOT_FREE;
}

/* Notes that the worker is done with what it has taken. */
static void
end_slow(TimestampTz now)
{
	if (slow.taken != 0)
		slow.after = now + SLOW_REST * Max(now - slow.taken, 0);
	slow.taken = 0;
}

/* Takes a slow request whose turn it is; NULL if there is none. The lock is
 * held. */
static DpSlot *
take_slow(TimestampTz now, bool retry)
{
	int i;

	slow.wait = false;
	for (i = 0; i < dp_shared->slot_count; i++)
	{
		int number = (slow.next + i) % dp_shared->slot_count;
		DpSlot *slot = &dp_shared->slots[number];

		if (!slot->is_slow || !waits(slot))
			continue;
		slow.wait = true;
		if (now < slow.after || stands_back(slot, retry))
			continue;
		slow.next = number + 1;
		slow.taken = now;
		slot->state = DP_SLOT_TAKEN;
		return slot;
	}
	return NULL;
}

int
dp_worker_slots_take(DpSlot **batch)
{
	uint64 releases = dp_lock_releases();
	TimestampTz now = GetCurrentTimestamp();
	bool retry =
		blocked.any &&
		(releases != blocked.releases ||
		 TimestampDifferenceExceeds(blocked.at, now, DP_WORKER_RETRY_MS));
	static int first = 0; /* from batch to batch */
	int next = first;
	int refused = -1; /* the first one for which there was no room */
	LongRequests taken = {.count = 0};
	int count = 0;
	int i;

	if (retry || !blocked.any)
	{
		blocked.any = false; /* unless they are put back */
		blocked.releases = releases;
		blocked.at = now;
	}
	end_slow(now);
	LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
	batch[0] = take_slow(now, retry);
	if (batch[0] != NULL)
	{
		LWLockRelease(dp_shared->lock);
		return 1;
	}
	for (i = 0; i < dp_shared->slot_count; i++)
	{
		int number = (first + i) % dp_shared->slot_count;
		DpSlot *slot = &dp_shared->slots[number];

		if (slot->is_slow || !waits(slot) || stands_back(slot, retry))
			continue;
		if (is_long(slot) && is_full(&taken, slot))
		{
			refused = refused < 0 ? number : refused;
			continue;
		}
		slot->state = DP_SLOT_TAKEN;
		batch[count++] = slot;
		if (!is_long(slot))
			continue;
		take_long(&taken, slot);
		next = number + 1;
	}
	first = refused < 0 ? next : refused;
	LWLockRelease(dp_shared->lock);
	if (count > 0)
		DP_STEP("requests-taken");
	return count;
}

bool
dp_worker_slots_are_blocked(void)
{
	return blocked.any || slow.wait;
}

bool
dp_worker_slots_are_asked(void *unused)
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

bool
dp_worker_slots_may_leave(void)
{
	DpWorkerEntry *entry;
	bool idle;

	LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
	idle = !dp_worker_slots_are_asked(NULL);
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
		case DP_REQUEST_FAIL:
			return STORE_TIMEOUT_MS;
		case DP_REQUEST_GIVE_UP: /* somebody waits for the error */
			return 0;
		default:
			return LOCK_TIMEOUT_MS;
	}
}

bool
dp_worker_slots_put_back(DpSlot *slot, DpRequestKind kind)
{
	TimestampTz now = GetCurrentTimestamp();
	bool in_time;

	LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
	if (slot->blocked == 0)
		slot->blocked = now;
	in_time = patience(kind) > 0 &&
			  !TimestampDifferenceExceeds(slot->blocked, now, patience(kind));
	if (in_time)
	{
		put_back(slot);
		blocked.any = true;
	}
	LWLockRelease(dp_shared->lock);
	return in_time;
}

void
dp_worker_slots_put_aside(DpSlot *slot)
{
	LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
	slot->is_slow = true;
	put_back(slot);
	LWLockRelease(dp_shared->lock);
}

void
dp_worker_slots_release(DpSlot **slots, int count)
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
