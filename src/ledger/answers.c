/*
 * answers.c
 *		Answers to earlier charges, for replay.
 *
 * An answer is accepted only from the role that was charged, for that
 * question, by that row of the ledger. Nothing here changes what is spent.
 *
 * A chain of answers (privacy levels) is shared by all roles, and several may
 * draw one at the same time. The total pays for one: from its charge until one
 * is stored, the chain is awaited, and others who ask draw without another
 * payment of the total. Of what they have drawn, the first that is stored is
 * the chain for all, and they return that one; nobody has seen what the others
 * drew. So for each payment at most one chain gets out. That must hold after a
 * crash, too: chains are on disk before they go out (ledger/store.c). Where the
 * one who pays gives up, whoever asks next pays again, and those who asked
 * meanwhile may still store theirs.
 *
 * A question is given up when its statement ended before any row of the
 * release was returned, and none can be returned later: what was drawn is
 * discarded, and nobody saw it. Asking it again means another draw, for a new
 * charge, so only the repeat rule is concerned. Giving up is refused if
 * somebody may have seen an answer: one that is stored, or an earlier one to
 * the same question.
 */
#include "postgres.h"

#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "ledger/answers.h"
#include "ledger/chain.h"
#include "ledger/failures.h"
#include "ledger/reply.h"
#include "ledger/rows.h"
#include "ledger/step.h"

void
dp_answers_refuse_changed(DpReply *reply)
{
	dp_reply_refuse(reply, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					"the relation or role that a question was charged to has "
					"been changed meanwhile");
	dp_reply_detail(reply, "The question is charged; nothing was answered.");
	dp_reply_hint(reply, "Ask again.");
}

DpPaidRelation *
dp_answers_find_charge(DpBatch *batch, DpStoreRequest *request, uint32 number,
					   DpAskedQuestion *question)
{
	const DpCharge *charge = &request->charges[number];
	const DpPayer *role = dp_budgets_find_payer(batch, request->header.role);
	DpPaidRelation *relation =
		dp_budgets_find_relation(batch, charge->relation);
	DpPaidRelation *purse =
		relation != NULL ? dp_budgets_find_purse(batch, relation) : NULL;

	if (purse != NULL && role != NULL)
	{
		*question = (DpAskedQuestion){relation->relation_id, role->role_id,
									  charge->fingerprint};
		if (charge->ledger_id == 0 && request->header.kind == DP_REQUEST_FAIL)
			return purse; /* it failed before it was charged */
		if (dp_rows_is_charge(charge->ledger_id, purse->relation_id, *question))
			return purse;
	}
	dp_answers_refuse_changed(&request->reply);
	return NULL;
}

/* The chain that a charge is for. */
static DpAskedQuestion
chain_of(const DpCharge *charge, DpAskedQuestion question)
{
	return (DpAskedQuestion){question.relation_id, 0, charge->chain};
}

/* An earlier charge of the request with a chain that is the same; or count. */
static uint32
find_same_chain(const DpStoreRequest *request, uint32 number,
				const DpAskedQuestion *questions)
{
	const DpCharge *charges = request->charges;
	uint32 i;

	for (i = 0; i < number; i++)
	{
		if (charges[i].has_chain && request->answers[i] != NULL &&
			questions[i].relation_id == questions[number].relation_id &&
			memcmp(charges[i].chain, charges[number].chain,
				   sizeof(charges[i].chain)) == 0)
			return i;
	}
	return request->header.count;
}

/* Sets the chain that takes the place of the one that was drawn. */
static char *
start_other_chain(DpStoreRequest *request, uint32 number, Size size)
{
	request->outcomes[number].has_answer = true;
	request->outcomes[number].answer_size = (uint32) size;
	request->replays[number] =
		MemoryContextAlloc(request->context, Max(size, 1));
	return request->replays[number];
}

/*
 * The chain that somebody else has stored since the charge, or that this
 * request stores. False, with a reply, when the one that was paid for is gone.
 */
static bool
find_chain(DpStoreRequest *request, uint32 number,
		   const DpAskedQuestion *questions)
{
	const DpCharge *charges = request->charges;
	DpAskedQuestion chain = chain_of(&charges[number], questions[number]);
	uint32 same = find_same_chain(request, number, questions);
	bool is_stored;
	Size size;

	if (same < number)
	{
		bool is_other = request->outcomes[same].has_answer;
		const char *from =
			is_other ? request->replays[same] : request->answers[same];

		size = is_other ? request->outcomes[same].answer_size
						: charges[same].answer_size;
		memcpy(start_other_chain(request, number, size), from, size);
		return true;
	}
	(void) dp_rows_find_answer(chain, DT_NOBEGIN, &is_stored, &size);
	if (is_stored)
	{
		dp_rows_read_answer(start_other_chain(request, number, size));
		return true;
	}
	if (dp_rows_may_keep_chain(chain))
		return true;
	dp_reply_refuse(&request->reply, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					"the stored answers about \"%s\" were forgotten meanwhile",
					get_rel_name(charges[number].relation));
	dp_reply_detail(&request->reply,
					"The question is charged; nothing was answered.");
	dp_reply_hint(&request->reply, "Ask again.");
	return false;
}

/*
 * Stores an answer; for a question with privacy levels, the chain for all
 * roles and the role's own level.
 */
static void
keep(DpStoreRequest *request, uint32 number, DpAskedQuestion question)
{
	const DpCharge *charge = &request->charges[number];
	char *answer = request->answers[number];
	uint32 size = charge->answer_size;

	if (charge->has_chain && answer != NULL)
	{
		if (request->outcomes[number].has_answer)
		{
			answer = request->replays[number];
			size = request->outcomes[number].answer_size;
		}
		else
			dp_rows_keep_chain(chain_of(charge, question), answer, size);
		answer = dp_chain_level(answer, size, charge->level, &size);
	}
	dp_rows_keep_answer(question, charge->ledger_id, answer, size);
	DP_STEP("answer-written");
}

void
dp_answers_apply(DpBatch *batch, DpStoreRequest *request)
{
	uint32 count = request->header.count;
	DpAskedQuestion *questions =
		palloc(Max(count, 1) * sizeof(DpAskedQuestion));
	uint32 i;

	memset(request->outcomes, 0, count * sizeof(DpOutcomeEntry));
	request->is_decided = false;
	for (i = 0; i < count; i++)
	{
		DpPaidRelation *purse =
			dp_answers_find_charge(batch, request, i, &questions[i]);

		if (purse == NULL ||
			(request->header.kind == DP_REQUEST_STORE &&
			 !dp_failures_allow_charge(batch, request, i, purse)))
			return;
	}
	for (i = 0; i < count; i++)
	{
		if (request->charges[i].has_chain && request->answers[i] != NULL &&
			!find_chain(request, i, questions))
			return;
	}
	request->is_decided = true;
	if (dp_store_reply_size(request) > request->slot->capacity)
	{
		request->reply.needed = dp_store_reply_size(request);
		return;
	}
	for (i = 0; i < count; i++)
	{
		const DpCharge *charge = &request->charges[i];

		if (request->header.kind == DP_REQUEST_STORE)
		{
			keep(request, i, questions[i]);
			continue;
		}
		dp_rows_give_up(questions[i], charge->ledger_id);
		if (charge->has_chain)
			dp_rows_give_up(chain_of(charge, questions[i]), charge->ledger_id);
	}
}
