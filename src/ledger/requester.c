/*
 * requester.c
 *		The requester's side of the slots.
 *
 * A request is put into a slot, the database's worker is started if there is
 * none, and the process waits on its latch. It can be interrupted at any time:
 * a cancelled requester gives up its slot, but the charge may still be made.
 * There is no refund.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "ledger/reply.h"
#include "ledger/requester.h"
#include "ledger/slots.h"
#include "ledger/spin.h"
#include "ledger/step.h"
#include "ledger/worker_call.h"
#include "server/compat.h"
#include "server/version.h"

/* How long to wait before looking whether the worker is still there. */
#define PATIENCE_MS 200

/* How long to wait for a worker that has nothing else to do before sleeping:
 * longer than a charge takes on a fast disk. */
#define SPIN_US 500

/* How often to look for a slot where a store has to wait for one. */
#define SLOT_RETRY_MS 5

/* How long to look for a free slot for what is told, and how often. */
#define TELL_PATIENCE_MS 60000
#define TELL_AGAIN_MS 10

/*
 * The slot that this process waits for, and its segment; given up after an
 * error, and when the process ends.
 */
static DpSlot *my_slot = NULL;

/* What must be on disk before the last reply is used; or none. */
static XLogRecPtr flush_to = InvalidXLogRecPtr;
static dsm_segment *my_segment = NULL;

/* Gives up the slot, in whatever state it is. */
static void
give_up(void)
{
	if (my_slot != NULL)
	{
		LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
		my_slot->state =
			my_slot->state == DP_SLOT_TAKEN ? DP_SLOT_ABANDONED : DP_SLOT_FREE;
		LWLockRelease(dp_shared->lock);
		my_slot = NULL;
	}
	if (my_segment != NULL)
	{
		dsm_detach(my_segment);
		my_segment = NULL;
	}
}

/* For processes that end without unwinding: FATAL errors. */
static void
give_up_at_exit(int code, Datum arg)
{
	(void) code;
	(void) arg;
	my_segment = NULL; /* is detached by the server */
	give_up();
}

void
dp_requester_refuse_standby(DpReply *reply)
{
	dp_reply_refuse(reply, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					"privacy budgets cannot be charged on a standby");
	dp_reply_hint(reply, "Ask the primary server. A standby repeats what was "
						 "answered there.");
}

bool
dp_requester_check(bool writes, DpReply *reply)
{
	char *version = dp_version_of_extension();

	if (version != NULL)
	{
		dp_reply_refuse(reply, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
						"the server runs dp_noise %s, and the extension in "
						"this database is version %s",
						DP_VERSION, version);
		dp_reply_hint(reply, "%s", dp_version_remedy(version));
	}
	else if (dp_shared == NULL)
	{
		dp_reply_refuse(reply, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
						"dp_noise is not preloaded");
		dp_reply_hint(reply, "Add dp_noise to shared_preload_libraries and "
							 "restart the server.");
	}
	else if (writes && RecoveryInProgress())
		dp_requester_refuse_standby(reply);
	else if (IsParallelWorker())
		dp_reply_refuse(reply, ERRCODE_INVALID_TRANSACTION_STATE,
						"privacy budgets cannot be charged in a parallel "
						"worker");
	return reply->sqlstate == 0;
}

static void
write_request(char *to, const DpRequest *request, const DpCharge *charges,
			  const DpAskedRelation *relations, char *const *answers)
{
	uint32 number;

	memcpy(to, request, sizeof(DpRequest));
	to += sizeof(DpRequest);
	if (request->count > 0)
		memcpy(to, charges, request->count * sizeof(DpCharge));
	to += request->count * sizeof(DpCharge);
	if (request->relation_count > 0)
		memcpy(to, relations,
			   request->relation_count * sizeof(DpAskedRelation));
	to += request->relation_count * sizeof(DpAskedRelation);
	for (number = 0; number < request->count; number++)
	{
		if (answers == NULL || charges[number].answer_size == 0)
			continue;
		memcpy(to, answers[number], charges[number].answer_size);
		to += charges[number].answer_size;
	}
}

/*
 * A free slot among some; NULL if there is none or the role has its share of
 * them, except where somebody waits to be told of an error. The lock is held.
 */
static DpSlot *
find_slot_among(Oid role, DpRequestKind kind, int first, int end)
{
	DpSlot *slot = NULL;
	int share = end - first - (end - first) / 4;
	int i;

	for (i = first; i < end; i++)
	{
		DpSlot *other = &dp_shared->slots[i];

		if (other->state == DP_SLOT_FREE)
			slot = slot == NULL ? other : slot;
		else if (other->role == role)
			share--;
	}
	return share > 0 || kind == DP_REQUEST_FAIL ? slot : NULL;
}

/* True for the second request of a question. */
static bool
is_of_charge_made(const DpRequest *request)
{
	return request->kind == DP_REQUEST_STORE ||
		   request->kind == DP_REQUEST_GIVE_UP ||
		   request->kind == DP_REQUEST_FAIL;
}

static DpSlot *
find_slot(const DpRequest *request, Oid role)
{
	DpSlot *slot =
		find_slot_among(role, request->kind, 0, dp_shared->open_count);

	if (slot == NULL && is_of_charge_made(request))
		slot = find_slot_among(role, request->kind, dp_shared->open_count,
							   dp_shared->slot_count);
	return slot;
}

/*
 * Takes the lock, and then a free slot: NULL, without the lock, where there is
 * none. What is to be stored waits for one. Of what is given up only the repeat
 * rule would know, and somebody waits for an error.
 */
static DpSlot *
take_slot(const DpRequest *request, Oid role)
{
	DpSlot *slot;

	while (LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE),
		   slot = find_slot(request, role), slot == NULL)
	{
		LWLockRelease(dp_shared->lock);
		if (request->kind != DP_REQUEST_STORE)
			return NULL;
		if (WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					  SLOT_RETRY_MS, PG_WAIT_EXTENSION) &
			WL_LATCH_SET)
			ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	return slot;
}

/*
 * Copies the request into a free slot. room: for the reply. False when no slot
 * is free.
 */
static bool
post(const DpRequest *request, const DpCharge *charges,
	 const DpAskedRelation *relations, char *const *answers, Size room)
{
	Size size = Max(request->size, room);
	Oid role = GetSessionUserId();
	TimestampTz asked = GetCurrentTimestamp();
	DpSlot *slot;
	char *bytes = NULL;

	/* A long request is written before the lock is taken. */
	if (size > DP_SLOT_BYTES)
	{
		my_segment = dsm_create(size, 0);
		dsm_pin_mapping(my_segment);
		bytes = dsm_segment_address(my_segment);
		write_request(bytes, request, charges, relations, answers);
	}

	slot = take_slot(request, role);
	if (slot == NULL)
		return false;
	slot->database = MyDatabaseId;
	slot->role = role;
	slot->requester = dp_compat_proc_number();
	slot->asked = asked;
	slot->blocked = 0;
	slot->is_slow = false;
	if (bytes != NULL)
	{
		slot->segment = dsm_segment_handle(my_segment);
		slot->capacity = size;
	}
	else
	{
		slot->segment = DSM_HANDLE_INVALID;
		slot->capacity = DP_SLOT_BYTES;
		write_request(slot->data.bytes, request, charges, relations, answers);
	}
	DP_STEP("request-written");
	slot->state = DP_SLOT_REQUESTED;
	my_slot = slot;
	LWLockRelease(dp_shared->lock);
	DP_STEP("request-posted");
	return true;
}

static bool
is_done(void *slot)
{
	return ((volatile DpSlot *) slot)->state == DP_SLOT_DONE;
}

/* Whether nobody else waits for any worker; a hint, without the lock. */
static bool
waits_alone(void)
{
	int busy = 0;
	int i;

	for (i = 0; i < dp_shared->slot_count && busy < 2; i++)
		busy +=
			((volatile DpSlot *) &dp_shared->slots[i])->state != DP_SLOT_FREE;
	return busy < 2;
}

static void
wait_for_reply(void)
{
	int starts = 0;

	dp_worker_call(&starts);
	DP_STEP("worker-called");
	if (waits_alone())
		dp_spin(is_done, my_slot, SPIN_US);
	for (;;)
	{
		DpSlotState state;

		LWLockAcquire(dp_shared->lock, LW_SHARED);
		state = my_slot->state;
		LWLockRelease(dp_shared->lock);
		if (state == DP_SLOT_DONE)
			break;
		if (WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					  PATIENCE_MS, PG_WAIT_EXTENSION) &
			WL_LATCH_SET)
			ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		if (state == DP_SLOT_REQUESTED)
		{
			dp_worker_watch_start();
			dp_worker_call(&starts);
		}
	}
	DP_STEP("reply-seen");
	flush_to = my_slot->flush_to;
}

/*
 * Waits until what the reply says is on disk, which it may not be yet (worker.c).
 * Whoever goes on before could see, after a crash, what was never charged.
 */
static void
flush(void)
{
	if (XLogRecPtrIsInvalid(flush_to))
		return; /* also on a standby */
	XLogFlush(flush_to);
	flush_to = InvalidXLogRecPtr;
	DP_STEP("reply-durable");
}

/* Where the reply is. */
static const char *
reply_bytes(void)
{
	if (my_segment != NULL && my_slot->segment != DSM_HANDLE_INVALID)
		return dsm_segment_address(my_segment);
	return my_slot->data.bytes;
}

/* Copies the reply out of the slot, or the segment, and frees both. */
static DpReply *
read_reply(void)
{
	const char *from = reply_bytes();
	Size size;
	DpReply *reply;

	size = ((const DpReply *) from)->size;
	reply = palloc(size);
	memcpy(reply, from, size);
	DP_STEP("reply-read");
	give_up();
	return reply;
}

static void
register_exit(void)
{
	static bool exit_registered = false;

	if (!exit_registered)
		before_shmem_exit(give_up_at_exit, (Datum) 0);
	exit_registered = true;
}

DpReply *
dp_requester_exchange(const DpRequest *request, const DpCharge *charges,
					  const DpAskedRelation *relations, char *const *answers,
					  Size room)
{
	DpReply *volatile reply = NULL;

	register_exit();
	flush_to = InvalidXLogRecPtr;
	DP_STEP("request-made");
	PG_TRY();
	{
		if (!post(request, charges, relations, answers, room))
			ereport(
				ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("too many statements wait for the ledger"),
				 errhint("Try again, or set dp_noise.ledger_slots higher.")));
		wait_for_reply();
		reply = read_reply();
	}
	PG_CATCH();
	{
		give_up();
		PG_RE_THROW();
	}
	PG_END_TRY();
	DP_STEP("slot-freed");
	flush();
	return reply;
}

/* Posts a request as soon as there is a slot. */
static bool
post_at_last(const DpRequest *request, const DpCharge *charges)
{
	TimestampTz begin = GetCurrentTimestamp();

	while (!post(request, charges, NULL, NULL, 0))
	{
		if (TimestampDifferenceExceeds(begin, GetCurrentTimestamp(),
									   TELL_PATIENCE_MS))
			return false;
		pg_usleep(TELL_AGAIN_MS * 1000L);
		CHECK_FOR_INTERRUPTS();
	}
	return true;
}

void
dp_requester_tell(DpRequestKind kind, const DpCharge *charges, uint32 count,
				  DpReply *reply)
{
	MemoryContext context = CurrentMemoryContext;
	DpRequest request = {.kind = kind,
						 .role = GetSessionUserId(),
						 .count = count,
						 .size = sizeof(DpRequest) + count * sizeof(DpCharge)};

	StaticAssertStmt(sizeof(DpRequest) + DP_TOLD_MAX * sizeof(DpCharge) <=
						 DP_SLOT_BYTES,
					 "what is told needs no memory but a slot");
	StaticAssertStmt(sizeof(DpReply) <= DP_SLOT_BYTES,
					 "the head of a reply fits into a slot");
	memset(reply, 0, sizeof(*reply));
	dp_reply_refuse(reply, ERRCODE_INSUFFICIENT_RESOURCES,
					"the ledger worker does not answer");
	dp_reply_hint(reply, "Try again.");
	register_exit();
	flush_to = InvalidXLogRecPtr;
	PG_TRY();
	{
		if (post_at_last(&request, charges))
		{
			wait_for_reply();
			memcpy(reply, reply_bytes(), sizeof(*reply));
		}
	}
	PG_CATCH();
	{
		give_up();
		if (ERRCODE_TO_CATEGORY(geterrcode()) == ERRCODE_OPERATOR_INTERVENTION)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState(); /* for example, no worker can be started */
	}
	PG_END_TRY();
	give_up();
	flush();
}
