/*
 * store.c
 *		The decision about each request, and the rows it leaves.
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
#include "ledger/reply.h"
#include "ledger/statements.h"
#include "ledger/store.h"

/* True when an earlier charge of the request is for the same question. */
static bool
asked_twice(const DpStoreRequest *request, uint32 number)
{
	const DpCharge *charge = &request->charges[number];
	uint32 i;

	for (i = 0; i < number; i++)
	{
		if (request->charges[i].relation == charge->relation &&
			memcmp(request->charges[i].fingerprint, charge->fingerprint,
				   DP_FINGERPRINT_SIZE) == 0)
			return true;
	}
	return false;
}

/*
 * Looks whether a question was asked before. True when it may go on: to be
 * charged, or replayed.
 */
static bool
check_repeat(DpStoreRequest *request, uint32 number, DpPaidRelation *relation,
			 DpPayer *role, DpOnRepeat rule, TimestampTz since)
{
	DpCharge *charge = &request->charges[number];
	Datum values[4];
	Datum answer;
	bool isnull;

	request->outcomes[number].outcome = DP_OUTCOME_CHARGED;
	if (rule == DP_ON_REPEAT_ANSWER)
		return true;
	if (asked_twice(request, number))
	{
		dp_reply_refuse(
			&request->reply, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
			"the statement asks the same question about \"%s\" twice",
			relation->name);
		dp_reply_hint(&request->reply,
					  "Ask it once, in a CTE, and use the answer twice.");
		return false;
	}
	values[0] = Int32GetDatum(role->role_id);
	values[1] = Int32GetDatum(relation->relation_id);
	values[2] = dp_bytes_datum(charge->fingerprint, DP_FINGERPRINT_SIZE);
	values[3] = TimestampTzGetDatum(since);
	dp_statement_execute(DP_STATEMENT_SELECT_ANSWER, values, NULL);
	if (SPI_processed == 0)
		return true;
	answer = dp_statement_column(0, 1, &isnull);
	if (rule == DP_ON_REPEAT_REFUSE || isnull)
	{
		dp_reply_refuse(&request->reply, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
						"this question about \"%s\" was answered before",
						relation->name);
		dp_reply_detail(
			&request->reply,
			"%s with the same conditions has an answer already; a second one "
			"with fresh noise would tell more than the budget says.",
			charge->aggregate);
		dp_reply_hint(&request->reply,
					  "Use the first answer, or ask the owner for "
					  "on_repeat => 'replay' or 'answer'.");
		return false;
	}
	else
	{
		struct varlena *stored = PG_DETOAST_DATUM(answer);
		Size size = VARSIZE(stored) - VARHDRSZ;

		request->outcomes[number].outcome = DP_OUTCOME_REPLAYED;
		request->outcomes[number].answer_size = (uint32) size;
		request->replays[number] =
			MemoryContextAlloc(request->context, Max(size, 1));
		memcpy(request->replays[number], VARDATA(stored), size);
	}
	return true;
}

/* Records one charge: a ledger row and, for the repeat rule, the question. */
static void
record(DpStoreRequest *request, uint32 number, DpPaidRelation *relation,
	   DpPayer *role)
{
	DpCharge *charge = &request->charges[number];
	bool stored = request->answers[number] != NULL;
	Datum values[8];

	values[0] = Int32GetDatum(role->role_id);
	values[1] = Int32GetDatum(relation->relation_id);
	values[2] = dp_amount_datum(charge->epsilon);
	values[3] = dp_amount_datum(charge->delta);
	values[4] = dp_bytes_datum(charge->fingerprint, DP_FINGERPRINT_SIZE);
	values[5] = CStringGetTextDatum(charge->aggregate);
	values[6] = CStringGetTextDatum(charge->mechanism);
	values[7] =
		stored ? dp_bytes_datum(request->answers[number], charge->answer_size)
			   : (Datum) 0;
	dp_statement_execute(DP_STATEMENT_RECORD, values,
						 stored ? NULL : "       n");
}

/* Sum of what a request newly charges on one relation. */
static void
sum_charges(const DpStoreRequest *request, Oid relation, DpAmount *epsilon,
			DpAmount *delta)
{
	uint32 i;

	epsilon->units = delta->units = 0;
	for (i = 0; i < request->header.count; i++)
	{
		if (request->charges[i].relation != relation ||
			request->outcomes[i].outcome != DP_OUTCOME_CHARGED)
			continue;
		*epsilon = dp_amount_add(*epsilon, request->charges[i].epsilon);
		*delta = dp_amount_add(*delta, request->charges[i].delta);
	}
}

/* True when an earlier charge of the request is on the same relation. */
static bool
seen_before(const DpStoreRequest *request, uint32 number)
{
	uint32 i;

	for (i = 0; i < number; i++)
	{
		if (request->charges[i].relation == request->charges[number].relation)
			return true;
	}
	return false;
}

/* Room that the reply needs. */
static Size
reply_size(const DpStoreRequest *request)
{
	Size size =
		sizeof(DpReply) + request->header.count * sizeof(DpOutcomeEntry);
	uint32 i;

	for (i = 0; i < request->header.count; i++)
		size += request->outcomes[i].answer_size;
	return size;
}

/* Decides about one request and, unless it is refused, applies it. */
static void
apply(DpBatch *batch, DpStoreRequest *request)
{
	DpPayer *role;
	DpPaidRelation **relations;
	List **budgets;
	uint32 count = request->header.count;
	uint32 i;

	memset(request->outcomes, 0, count * sizeof(DpOutcomeEntry));
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(request->header.role)))
	{
		dp_reply_refuse(&request->reply, ERRCODE_UNDEFINED_OBJECT,
						"the role that pays does not exist");
		return;
	}
	role = dp_budgets_find_payer(batch, request->header.role);
	relations = palloc(count * sizeof(DpPaidRelation *));
	budgets = palloc(count * sizeof(List *));

	for (i = 0; i < count; i++)
	{
		bool has_own;
		DpOnRepeat rule;
		TimestampTz since;

		relations[i] =
			dp_budgets_find_relation(batch, request->charges[i].relation);
		if (relations[i] == NULL)
		{
			dp_reply_refuse(&request->reply,
							ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
							"relation is not protected by dp_noise");
			dp_reply_hint(
				&request->reply,
				"The owner protects a relation with dp_noise.protect().");
			return;
		}
		budgets[i] = dp_budgets_that_pay(batch, relations[i], role, &has_own);
		if (!has_own && !dp_budgets_is_privileged(role->oid, relations[i]->oid))
		{
			dp_reply_refuse(&request->reply, ERRCODE_INSUFFICIENT_PRIVILEGE,
							"role \"%s\" has no privacy budget for \"%s\"",
							role->name, relations[i]->name);
			dp_reply_hint(&request->reply,
						  "The owner grants one with dp_noise.set_budget().");
			return;
		}
		rule = dp_budgets_repeat_rule(budgets[i], role, &since);
		if (!check_repeat(request, i, relations[i], role, rule, since))
			return;
	}

	/* First whether all budgets bear it, then, with no way back, the sums. */
	for (i = 0; i < count; i++)
	{
		DpAmount epsilon;
		DpAmount delta;
		ListCell *cell;

		if (seen_before(request, i))
			continue;
		sum_charges(request, request->charges[i].relation, &epsilon, &delta);
		if (epsilon.units == 0 && delta.units == 0)
			continue;
		foreach (cell, budgets[i])
		{
			if (!dp_budget_suffices(lfirst(cell), relations[i], epsilon, delta,
									&request->reply))
				return;
		}
	}
	if (reply_size(request) > request->slot->capacity)
	{
		request->reply.needed = reply_size(request);
		return;
	}
	if (request->header.dry_run)
		return;
	for (i = 0; i < count; i++)
	{
		DpAmount epsilon;
		DpAmount delta;
		ListCell *cell;

		if (request->outcomes[i].outcome == DP_OUTCOME_CHARGED)
			record(request, i, relations[i], role);
		if (seen_before(request, i))
			continue;
		sum_charges(request, request->charges[i].relation, &epsilon, &delta);
		foreach (cell, budgets[i])
		{
			DpBudget *b = lfirst(cell);

			b->epsilon_spent = dp_amount_add(b->epsilon_spent, epsilon);
			b->delta_spent = dp_amount_add(b->delta_spent, delta);
			b->dirty = true;
		}
	}
}

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
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to the server's SQL interface");
	PushActiveSnapshot(GetTransactionSnapshot());
	for (i = 0; i < count; i++)
	{
		if (requests[i].unreadable)
			continue;

		/* A second attempt starts afresh. */
		memset(&requests[i].reply, 0, sizeof(DpReply));
		apply(&kept.batch, &requests[i]);
	}
	dp_budgets_write(&kept.batch);
	PopActiveSnapshot();
	SPI_finish();
}
