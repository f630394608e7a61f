/*
 * store.c
 *		A batch of requests in one transaction.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "postmaster/interrupt.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "ledger/answers.h"
#include "ledger/budgets.h"
#include "ledger/decision.h"
#include "ledger/failures.h"
#include "ledger/limit.h"
#include "ledger/locks.h"
#include "ledger/reply.h"
#include "ledger/rights.h"
#include "ledger/statements.h"
#include "ledger/step.h"
#include "ledger/store.h"
#include "ledger/tables.h"
#include "server/settings.h"

/* What is remembered from batch to batch; invalid after one that has failed. */
static struct
{
	bool valid; /* the last batch was committed, and may be kept */
	Oid ledger; /* that it was read from */
	DpBatch batch;
} kept;

/* Whether a role or membership was changed since the last batch began. If that has
 * failed, nothing is kept anyway. */
static bool roles_changed = true;

static void
notice_roles(Datum unused, int cache, uint32 hash)
{
	(void) unused;
	(void) cache;
	(void) hash;
	roles_changed = true;
}

static void
watch_roles(void)
{
	static bool registered = false;

	if (registered)
		return;
	CacheRegisterSyscacheCallback(AUTHOID, notice_roles, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHMEMMEMROLE, notice_roles, (Datum) 0);
	CacheRegisterSyscacheCallback(DATABASEOID, notice_roles, (Datum) 0);
	registered = true;
}

/*
 * Goes on with the last batch, or starts afresh. The transaction has accepted
 * all that was committed before it began.
 */
static void
open_batch(Oid ledger)
{
	bool is_stale = roles_changed;

	watch_roles();
	roles_changed = false;
	if (!kept.valid || kept.ledger != ledger || is_stale)
	{
		dp_budgets_forget(&kept.batch);
		kept.ledger = ledger;
	}
	kept.batch.number++;
	kept.valid = false; /* until it is committed */
}

void
dp_store_committed(void)
{
	kept.valid = !RecoveryInProgress() && dp_budgets_may_be_kept(&kept.batch);
}

static void
block(DpStoreRequest *request, const char *message)
{
	request->is_blocked = true;
	dp_reply_refuse(&request->reply, ERRCODE_LOCK_NOT_AVAILABLE, "%s", message);
	dp_reply_hint(&request->reply,
				  "Try again when that transaction has ended.");
}

/* True for requests about earlier charges. */
static bool
is_of_charges_made(const DpStoreRequest *request)
{
	return request->header.kind == DP_REQUEST_STORE ||
		   request->header.kind == DP_REQUEST_GIVE_UP ||
		   request->header.kind == DP_REQUEST_FAIL;
}

/* Locks the populations of a request; false, with the reply, if it cannot. */
static bool
lock_populations(DpStoreRequest *request)
{
	uint32 i;

	for (i = 0; i < request->header.count && !RecoveryInProgress(); i++)
	{
		if (dp_lock_population_as_worker(request->charges[i].population_id))
			continue;
		block(request,
			  psprintf("the privacy budgets %s are locked by another "
					   "transaction",
					   is_of_charges_made(request)
						   ? "that paid" /* the same for all that follows */
						   : psprintf("of \"%s\"",
									  dp_rights_subject(request, i, NULL))));
		return false;
	}
	return true;
}

/* Why charges are refused altogether. */
typedef enum Stop
{
	STOP_NOT,
	STOP_DISPLACED, /* the administrator wants none, as the ledger may lack some */
	STOP_COPY		/* the budgets are there twice */
} Stop;

static bool
is_so(DpStatement statement)
{
	bool isnull;

	dp_statement_execute(statement, NULL, NULL);
	return DatumGetBool(dp_statement_column(0, 1, &isnull));
}

/*
 * Why charges are refused now. Looked up for each batch, so that the end of a
 * stop is seen at once. A database with connections cannot be dropped, so what
 * was no copy stays none.
 */
static Stop
find_stop(void)
{
	static bool is_original = false;

	if (!is_original && is_so(DP_STATEMENT_IS_COPY))
		return STOP_COPY;
	is_original = !RecoveryInProgress();
	if (dp_setting_on_new_timeline == DP_ON_NEW_TIMELINE_REFUSE &&
		is_so(DP_STATEMENT_IS_DISPLACED))
		return STOP_DISPLACED;
	return STOP_NOT;
}

/* Refuses a request that would charge, or tell what a charge would do. */
static bool
stop(DpStoreRequest *request, Stop why)
{
	if (why == STOP_NOT || (request->header.kind != DP_REQUEST_CHARGE &&
							request->header.kind != DP_REQUEST_DRY_RUN &&
							request->header.kind != DP_REQUEST_PREVIEW))
		return false;
	dp_reply_refuse(&request->reply, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					"privacy budgets are not charged, because the ledger may "
					"lack charges");
	dp_reply_detail(&request->reply,
					why == STOP_COPY
						? "The database is a copy of another one, whose "
						  "budgets it has a second time, or its seal "
						  "was reset."
						: "It was restored, copied or promoted, and "
						  "dp_noise.on_new_timeline is refuse.");
	dp_reply_hint(
		&request->reply,
		"Ask a superuser: dp_noise.check() says what has changed, and "
		"dp_noise.accept_timeline() lets charges continue.");
	return true;
}

static void
connect(void)
{
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to the server's SQL interface");
	PushActiveSnapshot(GetTransactionSnapshot());
}

static void
disconnect(void)
{
	PopActiveSnapshot();
	SPI_finish();
}

void
dp_store_begin(void)
{
	Oid ledger;

	if (!OidIsValid(get_extension_oid("dp_noise", true)))
		return;
	dp_lock_ledger(&ledger);
	connect();
	dp_statement_execute(DP_STATEMENT_NOTICE_PLACE, NULL, NULL);
	disconnect();
}

/* True for requests that are not applied. */
static bool
is_left_out(const DpStoreRequest *request)
{
	return request->unreadable || request->is_aside;
}

bool
dp_store_must_last(const DpStoreRequest *request)
{
	if (is_left_out(request))
		return false;
	switch (request->header.kind)
	{
		case DP_REQUEST_PREVIEW:
		case DP_REQUEST_STORE:
		case DP_REQUEST_GIVE_UP:
			return false;
		default:
			return true;
	}
}

/*
 * Whether commits are to wait for standbys: not with "local" alone, as "off" counts as
 * "on". Settings that are about to be read may name some.
 */
static bool
are_standbys_synchronous(void)
{
	return max_wal_senders > 0 &&
		   synchronous_commit != SYNCHRONOUS_COMMIT_LOCAL_FLUSH &&
		   (ConfigReloadPending ||
			(SyncRepStandbyNames != NULL && SyncRepStandbyNames[0] != '\0'));
}

/*
 * Whether the worker itself waits until a batch is durable. Otherwise askers wait for
 * the disk, several at once, while the next batch is written (requester.c). Standbys
 * it is the worker that waits for, as the settings of an asker's session would say
 * there what is waited for; but not with what need not last. A failure is on disk
 * before anybody can see that it is counted, in a view or a preview, say: it tells of
 * rows, and what is seen of it must not be lost.
 */
static bool
waits_for_commit(const DpStoreRequest *requests, int count)
{
	bool are_synchronous = are_standbys_synchronous();
	int i;

	for (i = 0; i < count; i++)
	{
		if (dp_store_must_last(&requests[i]) &&
			(are_synchronous || requests[i].header.kind == DP_REQUEST_FAIL))
			return true;
	}
	return false;
}

/* Sets how the transaction is committed: a setting for the session would outlast it. */
static void
set_commit(bool waits)
{
	if (waits && synchronous_commit >= SYNCHRONOUS_COMMIT_LOCAL_FLUSH)
		return;
	(void) set_config_option("synchronous_commit", waits ? "on" : "off",
							 PGC_SUSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true,
							 0, false);
}

static void
apply(DpStoreRequest *request, Stop why)
{
	if (is_left_out(request))
		return;
	dp_limit_set(request);
	if (stop(request, why) || !lock_populations(request))
		return;
	DP_STEP("budgets-locked");
	if (request->header.kind == DP_REQUEST_FAIL)
		dp_failures_count(&kept.batch, request);
	else if (is_of_charges_made(request))
		dp_answers_apply(&kept.batch, request);
	else
		dp_decide(&kept.batch, request);
}

void
dp_store_apply(DpStoreRequest *requests, int count)
{
	Oid ledger;
	Stop why;
	int i;

	dp_lock_ledger(&ledger);
	for (i = 0; i < count; i++)
	{
		if (is_left_out(&requests[i]))
			continue;

		/* A second attempt starts afresh. */
		memset(&requests[i].reply, 0, sizeof(DpReply));
		requests[i].is_blocked = false;
	}
	open_batch(ledger);
	connect();
	why = find_stop();
	dp_tables_begin();

	/* What has failed counts for whoever charges next. */
	for (i = 0; i < count; i++)
	{
		if (requests[i].header.kind == DP_REQUEST_FAIL)
			apply(&requests[i], why);
	}
	for (i = 0; i < count; i++)
	{
		if (requests[i].header.kind != DP_REQUEST_FAIL)
			apply(&requests[i], why);
	}
	if (count > 1)
		dp_limit_set(NULL);
	DP_STEP("budgets-unwritten");
	if (!RecoveryInProgress())
		dp_budgets_write(&kept.batch);
	dp_tables_end();
	DP_STEP("budgets-written");
	disconnect();
	set_commit(waits_for_commit(requests, count));
}
