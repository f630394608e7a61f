/*
 * repeats.c
 *		Questions that were asked before.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "ledger/repeats.h"
#include "ledger/reply.h"

/* The most bytes of stored answers that one statement may have replayed. */
#define DP_REPLIES_MAX (64 * 1024 * 1024)

/* True when an earlier charge of the request is for the same question. */
static bool
asked_twice(const DpStoreRequest *request, uint32 number)
{
	uint32 i;

	for (i = 0; i < number; i++)
	{
		if (request->charges[i].relation == request->charges[number].relation &&
			!request->charges[i].through_view &&
			memcmp(request->charges[i].fingerprint,
				   request->charges[number].fingerprint,
				   DP_FINGERPRINT_SIZE) == 0)
			return true;
	}
	return false;
}

/*
 * Keeps the stored answer, or chain of answers, that was just found for the
 * reply. Refused where all that a statement asks for would keep the worker
 * busy for long.
 */
static DpRefusal
keep_for_reply(DpStoreRequest *request, uint32 number, Size size,
			   DpReply *refusal)
{
	if (request->header.kind == DP_REQUEST_PREVIEW)
		return DP_REFUSAL_NONE;
	if (dp_store_reply_size(request) + size > DP_REPLIES_MAX)
	{
		dp_reply_refuse(refusal, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
						"the stored answers to this statement are too long");
		dp_reply_detail(refusal, "They take more than %d MB.",
						DP_REPLIES_MAX / 1024 / 1024);
		dp_reply_hint(refusal,
					  "Nothing was charged. Ask for fewer aggregates at once.");
		return DP_REFUSAL_ANSWERED_BEFORE;
	}
	request->outcomes[number].has_answer = true;
	request->outcomes[number].answer_size = (uint32) size;
	request->replays[number] =
		MemoryContextAlloc(request->context, Max(size, 1));
	dp_rows_read_answer(request->replays[number]);
	return DP_REFUSAL_NONE;
}

/* Refuses a question that was charged and has no stored answer. */
static DpRefusal
refuse_awaited(const DpCharge *charge, DpOnRepeat rule, DpReply *refusal)
{
	dp_reply_refuse(
		refusal, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
		"this question about \"%s\" was asked before, and has no stored answer",
		get_rel_name(charge->relation));
	dp_reply_detail(refusal,
					"%s with the same conditions is charged already. Its "
					"statement is still running, or ended without reporting.",
					charge->aggregate);
	dp_reply_hint(refusal,
				  rule == DP_ON_REPEAT_REPLAY
					  ? "If it is running, ask again shortly for its answer. "
						"Otherwise ask another question, or the owner for "
						"on_repeat => 'answer'."
					  : "Wait for its answer if it is running. Otherwise ask "
						"another question, or the owner for on_repeat => "
						"'answer'.");
	return DP_REFUSAL_ASKED_BEFORE;
}

DpRefusal
dp_repeats_check(DpStoreRequest *request, uint32 number,
				 DpAskedQuestion question, DpOnRepeat rule, TimestampTz since,
				 DpReply *refusal)
{
	DpCharge *charge = &request->charges[number];
	DpAnswerState state;
	bool is_stored;
	Size size;

	if (rule == DP_ON_REPEAT_ANSWER)
		return DP_REFUSAL_NONE;
	if (asked_twice(request, number))
	{
		dp_reply_refuse(
			refusal, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
			"the statement asks the same question about \"%s\" twice",
			get_rel_name(charge->relation));
		dp_reply_hint(refusal,
					  "Ask it once, in a CTE, and use the answer twice.");
		return DP_REFUSAL_ASKED_TWICE;
	}
	if (question.role_id == 0)
		return DP_REFUSAL_NONE;
	state = dp_rows_find_answer(question, since, &is_stored, &size);
	if (state == DP_ANSWER_NONE)
		return DP_REFUSAL_NONE;
	if (state == DP_ANSWER_AWAITED)
		return refuse_awaited(charge, rule, refusal);
	if (rule == DP_ON_REPEAT_REPLAY && is_stored && charge->no_replay)
	{
		dp_reply_refuse(
			refusal, ERRCODE_T_R_SERIALIZATION_FAILURE,
			"this question about \"%s\" was answered in another session "
			"meanwhile",
			get_rel_name(charge->relation));
		dp_reply_hint(refusal,
					  "Nothing was charged. Ask again for the stored answer.");
		return DP_REFUSAL_ANSWERED_BEFORE;
	}
	if (rule == DP_ON_REPEAT_REPLAY && is_stored)
	{
		request->outcomes[number].outcome = DP_OUTCOME_REPLAYED;
		return keep_for_reply(request, number, size, refusal);
	}
	dp_reply_refuse(refusal, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
					"this question about \"%s\" was answered before",
					get_rel_name(charge->relation));
	dp_reply_detail(
		refusal,
		"%s with the same conditions has an answer already; a second one with "
		"fresh noise would reveal more than the budget allows.",
		charge->aggregate);
	dp_reply_hint(refusal, "Use the first answer, or ask the owner for "
						   "on_repeat => 'replay' or 'answer'.");
	return DP_REFUSAL_ANSWERED_BEFORE;
}

DpRefusal
dp_repeats_find_chain(DpStoreRequest *request, uint32 number, int relation_id,
					  TimestampTz since, bool *is_paid, DpReply *refusal)
{
	DpAskedQuestion question = {relation_id, 0, request->charges[number].chain};
	bool is_stored;
	Size size;
	DpAnswerState state =
		dp_rows_find_answer(question, since, &is_stored, &size);

	*is_paid = state == DP_ANSWER_AWAITED || is_stored;
	if (!is_stored)
		return DP_REFUSAL_NONE;
	return keep_for_reply(request, number, size, refusal);
}

void
dp_repeats_join(DpStoreRequest *request)
{
	uint32 first;
	uint32 end;

	for (first = 0; first < request->header.count; first = end)
	{
		uint32 replayed = first;
		uint32 i;

		end = first + 1;
		while (end < request->header.count && request->charges[end].is_joint)
			end++;
		while (replayed < end &&
			   request->outcomes[replayed].outcome != DP_OUTCOME_REPLAYED)
			replayed++;
		if (replayed == end ||
			request->outcomes[first].outcome == DP_OUTCOME_REFUSED)
			continue;
		request->outcomes[first] = request->outcomes[replayed];
		request->replays[first] = request->replays[replayed];
		for (i = first + 1; i < end; i++)
		{
			if (request->outcomes[i].outcome == DP_OUTCOME_REFUSED)
				continue;
			request->outcomes[i] =
				(DpOutcomeEntry){.outcome = DP_OUTCOME_REPLAYED};
			request->replays[i] = NULL;
		}
	}
}
