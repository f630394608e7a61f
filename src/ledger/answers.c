/*
 * answers.c
 *		Answers to earlier charges, for replay.
 *
 * An answer is accepted only from the role that was charged, for that
 * question, by that row of the ledger. Nothing here changes what is spent.
 *
 * A chain of answers (privacy levels) is shared by all roles, and several may
 * have drawn one at the same time. The total has paid for each draw, since
 * each read the relation; the first that is stored is the one for all.
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
#include "ledger/reply.h"
#include "ledger/rows.h"
#include "ledger/step.h"

/*
 * Finds the question of a charge; false, with a reply, when it is not the one
 * that was charged.
 */
static bool
find_charge(DpBatch *batch, DpStoreRequest *request, uint32 number,
			DpPaidRelation **purse, DpAskedQuestion *question)
{
	const DpCharge *charge = &request->charges[number];
	const DpPayer *role = dp_budgets_find_payer(batch, request->header.role);
	DpPaidRelation *relation =
		dp_budgets_find_relation(batch, charge->relation);

	*purse = relation != NULL ? dp_budgets_find_purse(batch, relation) : NULL;
	if (*purse != NULL && role != NULL)
	{
		*question = (DpAskedQuestion){relation->relation_id, role->role_id,
									  charge->fingerprint};
		if (dp_rows_is_charge(charge->ledger_id, (*purse)->relation_id,
							  *question))
			return true;
	}
	dp_reply_refuse(&request->reply, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					"the relation or role that a question was charged to has "
					"been changed meanwhile");
	dp_reply_detail(&request->reply,
					"The question is charged; nothing was answered.");
	dp_reply_hint(&request->reply, "Ask again.");
	return false;
}

/* The chain that somebody else has stored, in this period of the total. */
static void
find_chain(DpStoreRequest *request, uint32 number, const DpPaidRelation *purse,
		   int relation_id)
{
	const DpCharge *charge = &request->charges[number];
	DpOutcomeEntry *outcome = &request->outcomes[number];
	DpAskedQuestion question = {relation_id, 0, charge->chain};
	bool is_stored;
	Size size;

	if (dp_rows_find_answer(question, dp_budgets_total_since(purse->budgets),
							&is_stored, &size) != DP_ANSWER_GIVEN ||
		!is_stored)
		return;
	outcome->has_answer = true;
	outcome->answer_size = (uint32) size;
	request->replays[number] =
		MemoryContextAlloc(request->context, Max(size, 1));
	dp_rows_read_answer(request->replays[number]);
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
			dp_rows_keep_chain(
				(DpAskedQuestion){question.relation_id, 0, charge->chain},
				answer, size);
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
		DpPaidRelation *purse;

		if (!find_charge(batch, request, i, &purse, &questions[i]))
			return;
		if (request->charges[i].has_chain && request->answers[i] != NULL)
			find_chain(request, i, purse, questions[i].relation_id);
	}
	request->is_decided = true;
	if (dp_store_reply_size(request) > request->slot->capacity)
	{
		request->reply.needed = dp_store_reply_size(request);
		return;
	}
	for (i = 0; i < count; i++)
	{
		if (request->header.kind == DP_REQUEST_STORE)
			keep(request, i, questions[i]);
		else
			dp_rows_give_up(questions[i], request->charges[i].ledger_id);
	}
}
