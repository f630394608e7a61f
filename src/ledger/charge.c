/*
 * charge.c
 *		Turns charges into requests, and replies into results.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/shmem.h"

#include "ledger/charge.h"
#include "ledger/drops.h"
#include "ledger/requester.h"
#include "ledger/slots.h"
#include "ledger/step.h"
#include "server/citus.h"

void
dp_ledger_init(void)
{
	dp_slots_init();
	dp_drops_init();
}

/* The following functions return where the parts of a reply begin. */
static const char *
outcomes_of(const DpReply *reply)
{
	return (const char *) reply + sizeof(DpReply);
}

static const char *
budgets_of(const DpReply *reply)
{
	return outcomes_of(reply) + reply->outcome_count * sizeof(DpOutcomeEntry);
}

static const char *
answers_of(const DpReply *reply)
{
	return budgets_of(reply) + reply->budget_count * sizeof(DpPreviewBudget);
}

void
dp_ledger_report(const DpReply *reply)
{
	if (reply->sqlstate != 0)
		ereport(
			ERROR,
			(errcode(reply->sqlstate), errmsg_internal("%s", reply->message),
			 reply->detail[0] != '\0' ? errdetail_internal("%s", reply->detail)
									  : 0,
			 reply->hint[0] != '\0' ? errhint("%s", reply->hint) : 0));
}

/* One request, asked again with more room while the reply needs more. */
static DpReply *
send(DpRequestKind kind, const DpAsk *ask, char *const *answers)
{
	uint32 count = ask->count;
	DpCharge *copies = palloc(Max(count, 1) * sizeof(DpCharge));
	Size room = sizeof(DpReply) + count * sizeof(DpOutcomeEntry);
	DpRequest request;
	DpReply *reply;
	uint32 i;

	if (count > DP_CHARGES_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many private aggregates in one statement"),
						errhint("Write at most %d.", DP_CHARGES_MAX)));
	if (ask->relation_count > DP_ASKED_RELATIONS_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many protected relations in one statement"),
				 errhint("Ask about at most %d.", DP_ASKED_RELATIONS_MAX)));
	request.kind = kind;
	request.role = GetSessionUserId();
	request.count = count;
	request.relation_count = ask->relation_count;
	request.size = sizeof(DpRequest) + count * sizeof(DpCharge) +
				   ask->relation_count * sizeof(DpAskedRelation);
	if (count > 0)
		memcpy(copies, ask->charges, count * sizeof(DpCharge));
	for (i = 0; i < count; i++)
	{
		copies[i].has_answer = answers != NULL && answers[i] != NULL;
		if (!copies[i].has_answer)
			copies[i].answer_size = 0;
		request.size = add_size(request.size, copies[i].answer_size);
	}

	/* Where more room was needed, nothing was charged. */
	for (;;)
	{
		reply = dp_requester_exchange(&request, copies, ask->relations, answers,
									  room);
		if (reply->needed == 0)
			break;
		room = reply->needed;
		pfree(reply);
	}
	pfree(copies);
	return reply;
}

static bool
is_replayed(const DpReply *reply)
{
	DpOutcomeEntry entry;
	uint32 i;

	for (i = 0; i < reply->outcome_count; i++)
	{
		memcpy(&entry, outcomes_of(reply) + i * sizeof(entry), sizeof(entry));
		if (entry.outcome != DP_OUTCOME_REPLAYED)
			return false;
	}
	return true;
}

/*
 * A standby can only replay what is stored. Where the ledger would have to be
 * updated first, the worker could not do that.
 */
static void
check_standby(DpReply *reply)
{
	if (reply->sqlstate == ERRCODE_READ_ONLY_SQL_TRANSACTION ||
		(reply->sqlstate == 0 && !is_replayed(reply)))
		dp_requester_refuse_standby(reply);
}

/* The same, for the session's user; the outcomes become results. */
static void
ask_for_results(DpRequestKind kind, const DpAsk *ask, char *const *answers,
				DpChargeResult *results)
{
	DpReply refusal = {0};
	DpReply *reply;
	const char *answer;
	bool is_standby = RecoveryInProgress();
	bool charges_here = kind == DP_REQUEST_CHARGE;
	uint32 count = ask->count;
	uint32 i;

	if (charges_here)
		dp_citus_refuse_ledger();
	if (!dp_requester_check(count > 0 && kind != DP_REQUEST_DRY_RUN &&
								!(charges_here && is_standby),
							&refusal))
		dp_ledger_report(&refusal);
	if (count == 0)
		return;
	reply = send(charges_here && is_standby ? DP_REQUEST_DRY_RUN : kind, ask,
				 answers);
	if (charges_here && is_standby)
		check_standby(reply);
	dp_ledger_report(reply);
	answer = answers_of(reply);
	for (i = 0; i < count; i++)
	{
		DpOutcomeEntry entry;

		memcpy(&entry, outcomes_of(reply) + i * sizeof(entry), sizeof(entry));
		results[i].outcome = entry.outcome;
		results[i].charge_id = entry.charge_id;
		results[i].claim = entry.claim;
		results[i].payers = entry.payers;
		results[i].at = entry.at;
		results[i].answer = NULL;
		results[i].answer_size = entry.answer_size;
		if (!entry.has_answer)
			continue;
		results[i].answer = palloc(Max(entry.answer_size, 1));
		memcpy(results[i].answer, answer, entry.answer_size);
		answer += entry.answer_size;
	}
	pfree(reply);
}

void
dp_ledger_charge(const DpAsk *ask, DpChargeResult *results)
{
	ask_for_results(DP_REQUEST_CHARGE, ask, NULL, results);
	DP_STEP("charged");
}

void
dp_ledger_note(DpCharge *charge, const DpChargeResult *result)
{
	charge->charge_id = result->charge_id;
	charge->claim = result->claim;
	charge->payers = result->payers;
}

void
dp_ledger_try(const DpAsk *ask, DpChargeResult *results)
{
	ask_for_results(DP_REQUEST_DRY_RUN, ask, NULL, results);
}

void
dp_ledger_store(const DpAsk *ask, char *const *answers, DpChargeResult *results)
{
	ask_for_results(DP_REQUEST_STORE, ask, answers, results);
	DP_STEP("stored");
}

void
dp_ledger_give_up(const DpAsk *ask)
{
	DpReply *reply = send(DP_REQUEST_GIVE_UP, ask, NULL);

	dp_ledger_report(reply);
	pfree(reply);
}

void
dp_ledger_fail(const DpAsk *ask, DpReply *reply)
{
	uint32 told;

	memset(reply, 0, sizeof(*reply));
	if (dp_shared == NULL || RecoveryInProgress())
		return; /* nothing was charged, nor can it be */
	for (told = 0; told < ask->count && reply->sqlstate == 0;
		 told += DP_TOLD_MAX)
		dp_requester_tell(DP_REQUEST_FAIL, ask->charges + told,
						  Min(ask->count - told, DP_TOLD_MAX), reply);
	if (reply->sqlstate != 0)
		ereport(LOG_SERVER_ONLY,
				(errmsg("could not count a question that failed, and did not "
						"tell that it has"),
				 errdetail("Role %u asked it about population %d: %s.",
						   GetSessionUserId(), ask->charges[0].population_id,
						   reply->message)));
}

void
dp_ledger_preview(const DpAsk *ask, DpPreview *preview)
{
	DpReply refusal = {0};
	DpReply *reply = &refusal;
	uint32 i;

	memset(preview, 0, sizeof(*preview));
	if (dp_requester_check(false, &refusal) && ask->count > 0)
		reply = send(DP_REQUEST_PREVIEW, ask, NULL);
	if (RecoveryInProgress() && ask->count > 0)
	{
		check_standby(reply);
		if (reply->sqlstate != 0 && !is_replayed(reply))
			reply->outcome_count = reply->budget_count = 0;
	}
	preview->sqlstate = reply->sqlstate;
	strlcpy(preview->message, reply->message, sizeof(preview->message));
	strlcpy(preview->detail, reply->detail, sizeof(preview->detail));
	strlcpy(preview->hint, reply->hint, sizeof(preview->hint));

	preview->charge_count = reply->outcome_count;
	preview->charges =
		palloc(Max(reply->outcome_count, 1) * sizeof(DpChargePreview));
	for (i = 0; i < reply->outcome_count; i++)
	{
		DpOutcomeEntry entry;

		memcpy(&entry, outcomes_of(reply) + i * sizeof(entry), sizeof(entry));
		preview->charges[i].outcome = entry.outcome;
		preview->charges[i].refusal = entry.refusal;
		preview->charges[i].at = entry.at;
	}
	preview->budget_count = reply->budget_count;
	preview->budgets =
		palloc(Max(reply->budget_count, 1) * sizeof(DpPreviewBudget));
	memcpy(preview->budgets, budgets_of(reply),
		   reply->budget_count * sizeof(DpPreviewBudget));
}
