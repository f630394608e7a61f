/*
 * activity.c
 *		What the ledger workers did.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "storage/proc.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "ledger/activity.h"
#include "ledger/slots.h"
#include "ledger/store.h"

PG_FUNCTION_INFO_V1(dp_read_activity);

/* Columns before and behind those of the deeds; the last one may be null. */
#define COLUMNS_BEFORE 4
#define COLUMNS_BEHIND 3
#define COLUMNS (COLUMNS_BEFORE + DP_DEEDS + COLUMNS_BEHIND)

/* Counted, and not yet published. */
static DpActivity mine;

static DpActivity *
find(Oid database)
{
	int i;

	for (i = 0; i < DP_ACTIVITIES_MAX; i++)
	{
		if (dp_shared->activities[i].database == database)
			return &dp_shared->activities[i];
	}
	return NULL;
}

/*
 * Of the databases without a worker the one that was quiet for longest, or a row
 * that is free: of as many workers as there are rows, the caller's has none yet.
 */
static DpActivity *
find_room(void)
{
	DpActivity *room = NULL;
	int i;

	StaticAssertStmt(DP_ACTIVITIES_MAX >= DP_WORKERS_MAX,
					 "each worker has a row");
	for (i = 0; i < DP_ACTIVITIES_MAX; i++)
	{
		DpActivity *row = &dp_shared->activities[i];

		if (OidIsValid(row->database) && dp_slots_worker(row->database) != NULL)
			continue;
		if (room == NULL || row->last < room->last)
			room = row;
	}
	return room;
}

void
dp_activity_begin(Oid database)
{
	DpActivity *row = find(database);

	memset(&mine, 0, sizeof(mine));
	mine.database = database;
	if (row != NULL)
		return;
	row = find_room();
	if (row == NULL)
		return;
	memset(row, 0, sizeof(*row));
	row->database = database;
	row->since = row->last = GetCurrentTimestamp();
}

/* Whether somebody pays for what the ledger decided. */
static bool
is_paid(const DpStoreRequest *request)
{
	uint32 i;

	for (i = 0; i < request->header.count; i++)
	{
		if (request->outcomes[i].outcome == DP_OUTCOME_CHARGED ||
			request->outcomes[i].outcome == DP_OUTCOME_SHARED)
			return true;
	}
	return false;
}

static DpDeed
deed_of(const DpStoreRequest *request)
{
	bool is_refused = request->reply.sqlstate != 0;

	if (request->unreadable || request->is_undecided || request->is_blocked)
		return DP_DEED_ERROR;
	switch (request->header.kind)
	{
		case DP_REQUEST_CHARGE:
			if (is_refused)
				return DP_DEED_REFUSED;
			return is_paid(request) ? DP_DEED_CHARGED : DP_DEED_REPEATED;
		case DP_REQUEST_STORE:
			return DP_DEED_STORED;
		case DP_REQUEST_FAIL:
			return DP_DEED_FAILED;
		case DP_REQUEST_DRY_RUN:
		case DP_REQUEST_PREVIEW:
		case DP_REQUEST_GIVE_UP:
			break;
	}
	return DP_DEED_PREVIEWED;
}

void
dp_activity_count(const DpStoreRequest *request)
{
	DpDeed deed = deed_of(request);
	TimestampTz now = GetCurrentTimestamp();

	/* What is given up was counted; who asks again with more room will be. */
	if (request->header.kind == DP_REQUEST_GIVE_UP ||
		request->reply.needed != 0)
		return;
	mine.last = now;
	mine.deeds[deed]++;
	if (deed <= DP_DEED_REFUSED)
	{
		uint64 waited = (uint64) Max(now - request->slot->asked, 0);

		mine.waited += waited;
		mine.longest = Max(mine.longest, waited);
	}
}

void
dp_activity_publish(void)
{
	DpActivity *row;
	int i;

	if (mine.last == 0)
		return;
	LWLockAcquire(dp_shared->lock, LW_EXCLUSIVE);
	row = find(mine.database);
	if (row != NULL)
	{
		for (i = 0; i < DP_DEEDS; i++)
			row->deeds[i] += mine.deeds[i];
		row->waited += mine.waited;
		row->longest = Max(row->longest, mine.longest);
		row->last = mine.last;
	}
	LWLockRelease(dp_shared->lock);
	memset(mine.deeds, 0, sizeof(mine.deeds));
	mine.waited = mine.longest = 0;
	mine.last = 0;
}

/* How many requests of a database wait, and since when the first; the lock is
 * held. */
static int
count_waiting(Oid database, TimestampTz *since)
{
	int waiting = 0;
	int i;

	for (i = 0; i < dp_shared->slot_count; i++)
	{
		const DpSlot *slot = &dp_shared->slots[i];

		if (slot->database != database ||
			(slot->state != DP_SLOT_REQUESTED && slot->state != DP_SLOT_TAKEN))
			continue;
		if (waiting++ == 0 || slot->asked < *since)
			*since = slot->asked;
	}
	return waiting;
}

/* Writes the columns of a database; the lock is held. */
static void
write_row(const DpActivity *row, Datum *values, bool *nulls)
{
	const DpWorkerEntry *worker = dp_slots_worker(row->database);
	TimestampTz asked = 0;
	int waiting = count_waiting(row->database, &asked);
	int i;

	memset(nulls, 0, COLUMNS * sizeof(bool));
	values[0] = ObjectIdGetDatum(row->database);
	nulls[1] = worker == NULL || worker->state != DP_WORKER_RUNNING;
	values[1] =
		Int32GetDatum(nulls[1] ? 0 : ProcGlobal->allProcs[worker->procno].pid);
	values[2] = Int32GetDatum(waiting);
	nulls[3] = waiting == 0;
	values[3] = TimestampTzGetDatum(asked);
	for (i = 0; i < DP_DEEDS; i++)
		values[COLUMNS_BEFORE + i] = Int64GetDatum((int64) row->deeds[i]);
	values[COLUMNS_BEFORE + DP_DEEDS] =
		Float8GetDatum((double) row->waited / 1e6);
	values[COLUMNS_BEFORE + DP_DEEDS + 1] =
		Float8GetDatum((double) row->longest / 1e6);
	values[COLUMNS_BEFORE + DP_DEEDS + 2] = TimestampTzGetDatum(row->since);
}

/* (): setof (database oid, worker_pid integer, ...) */
Datum
dp_read_activity(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result;
	Datum(*values)[COLUMNS];
	bool(*nulls)[COLUMNS];
	int count = 0;
	int i;

	InitMaterializedSRF(fcinfo, 0);
	result = (ReturnSetInfo *) fcinfo->resultinfo;
	if (dp_shared == NULL)
		return (Datum) 0;
	values = palloc(DP_ACTIVITIES_MAX * sizeof(*values));
	nulls = palloc(DP_ACTIVITIES_MAX * sizeof(*nulls));
	LWLockAcquire(dp_shared->lock, LW_SHARED);
	for (i = 0; i < DP_ACTIVITIES_MAX; i++)
	{
		if (OidIsValid(dp_shared->activities[i].database))
		{
			write_row(&dp_shared->activities[i], values[count], nulls[count]);
			count++;
		}
	}
	LWLockRelease(dp_shared->lock);
	for (i = 0; i < count; i++)
		tuplestore_putvalues(result->setResult, result->setDesc, values[i],
							 nulls[i]);
	return (Datum) 0;
}
