/*
 * limit.c
 *		How long the ledger worker works for one request.
 *
 * A timer looks every now and then; so a request costs no system call, and one
 * that its requester has abandoned is noticed, too.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "ledger/limit.h"

/* How often the timer looks. */
#define LOOK_MS 20

/*
 * The limits: of a request among others, of one alone, and what either has for
 * each MB of its answers more. A test that stops the worker has time.
 */
#ifdef DP_STEPS
#define PATIENCE 100
#else
#define PATIENCE 1
#endif
#define AMONG_OTHERS_MS (200 * PATIENCE)
#define AMONG_OTHERS_MS_PER_MB 100
#define ALONE_MS (2000 * PATIENCE)
#define ALONE_FAIL_MS \
	(10000 * PATIENCE) /* to count what somebody shall be told */
#define ALONE_MS_PER_MB 250

/* The timer reads it at any time. */
static struct
{
	TimeoutId timer;
	bool is_alone;
	const DpSlot *volatile slot;
	volatile TimestampTz end;
	volatile DpLimitCause cause;
} limit;

static void
cancel(DpLimitCause cause)
{
	if (limit.cause == DP_LIMIT_NONE)
		limit.cause = cause;
	QueryCancelPending = true;
	InterruptPending = true;
}

/* The timer: a signal handler. Waiting for a lock has a limit of its own. */
static void
look(void)
{
	const DpSlot *slot = limit.slot;

	/* A process that was told to end no longer has what this looks at. */
	if (proc_exit_inprogress)
		return;
	if (limit.is_alone && slot != NULL && slot->state == DP_SLOT_ABANDONED)
		cancel(DP_LIMIT_ABANDONED);
	else if (limit.end == DT_NOEND)
		return;
	else if (MyProc->waitLock != NULL)
		limit.end = TimestampTzPlusMilliseconds(limit.end, LOOK_MS);
	else if (GetCurrentTimestamp() >= limit.end)
		cancel(DP_LIMIT_TIME);
}

void
dp_limit_init(void)
{
	limit.timer = RegisterTimeout(USER_TIMEOUT, look);
}

void
dp_limit_begin(bool is_alone)
{
	limit.is_alone = is_alone;
	limit.cause = DP_LIMIT_NONE;
	limit.slot = NULL;
	limit.end = DT_NOEND;
	enable_timeout_every(
		limit.timer,
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), LOOK_MS), LOOK_MS);
}

static int64
limit_of(const DpStoreRequest *request)
{
	int64 mb = request == NULL ? 0 : request->slot->capacity / (1024 * 1024);

	if (!limit.is_alone)
		return AMONG_OTHERS_MS + mb * AMONG_OTHERS_MS_PER_MB;
	if (request != NULL && request->header.kind == DP_REQUEST_FAIL)
		return ALONE_FAIL_MS;
	return ALONE_MS + mb * ALONE_MS_PER_MB;
}

void
dp_limit_set(const DpStoreRequest *request)
{
	TimestampTz end =
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), limit_of(request));

	/* In this order: the timer may look in between. */
	limit.end = DT_NOEND;
	limit.slot = request == NULL ? NULL : request->slot;
	limit.end = end;
}

void
dp_limit_end(void)
{
	disable_timeout(limit.timer, false);
	if (limit.cause != DP_LIMIT_NONE)
		QueryCancelPending = false;
}

DpLimitCause
dp_limit_cause(const DpSlot **slot)
{
	*slot = limit.slot;
	return limit.cause;
}
