/*
 * repeats.c
 *		Questions that were asked before.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "ledger/chain.h"
#include "ledger/locks.h"
#include "ledger/repeats.h"
#include "ledger/reply.h"
#include "ledger/rights.h"

/* The most bytes of stored answers that one statement may have replayed. */
#define DP_REPLIES_MAX (64 * 1024 * 1024)

DpRepeatRule
dp_repeats_rule(const DpPopulation *population)
{
	return (DpRepeatRule){.on_repeat = population->on_repeat,
						  .shares_answers = population->shares_answers,
						  .since = population->answers_expire == 0
									   ? DT_NOBEGIN
									   : GetCurrentTimestamp() -
											 population->answers_expire};
}

DpRepeatRule
dp_repeats_join(DpRepeatRule one, DpRepeatRule other)
{
	return (DpRepeatRule){.on_repeat = Min(one.on_repeat, other.on_repeat),
						  .shares_answers =
							  one.shares_answers && other.shares_answers,
						  .since = Min(one.since, other.since)};
}

DpAnswerName
dp_repeats_question(const DpCharge *charge, int64 budget_id)
{
	return (DpAnswerName){charge->population_id, budget_id,
						  charge->fingerprint};
}

DpAnswerName
dp_repeats_draw(const DpCharge *charge)
{
	return (DpAnswerName){charge->population_id, 0, charge->draw};
}

/* True when an earlier charge of the request is for the same question. */
static bool
asked_twice(const DpStoreRequest *request, uint32 number)
{
	const DpCharge *charge = &request->charges[number];
	uint32 i;

	for (i = 0; i < number; i++)
	{
		const DpCharge *other = &request->charges[i];

		if (!other->is_joint && other->population_id == charge->population_id &&
			memcmp(other->fingerprint, charge->fingerprint,
				   DP_FINGERPRINT_SIZE) == 0)
			return true;
	}
	return false;
}

char *
dp_repeats_make_room(DpStoreRequest *request, uint32 number, Size size)
{
	request->outcomes[number].has_answer = true;
	request->outcomes[number].answer_size = (uint32) size;
	request->replays[number] =
		MemoryContextAlloc(request->context, Max(size, 1));
	return request->replays[number];
}

/*
 * Keeps the stored answer that was just found for the reply. Refused where all that a
 * statement asks for would keep the worker busy for long.
 */
static DpRefusal
keep_for_reply(DpStoreRequest *request, uint32 number, Size size,
			   DpReply *refusal)
{
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
	dp_answer_rows_read(dp_repeats_make_room(request, number, size));
	return DP_REFUSAL_NONE;
}

/* Refuses a question that was charged and has no stored answer. */
static DpRefusal
refuse_awaited(const DpStoreRequest *request, uint32 number, DpOnRepeat rule,
			   DpReply *refusal)
{
	dp_reply_refuse(
		refusal, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
		"this question about \"%s\" was asked before, and has no stored answer",
		dp_rights_subject(request, number, NULL));
	dp_reply_detail(refusal,
					"%s with the same conditions is charged already. Its "
					"statement is still running, or ended without reporting.",
					request->charges[number].aggregate);
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

/* Refuses because an answer came, or went, after the groups were prepared. */
static DpRefusal
refuse_late(const DpStoreRequest *request, uint32 number, const char *what,
			DpReply *refusal)
{
	dp_reply_refuse(refusal, ERRCODE_T_R_SERIALIZATION_FAILURE,
					"this question about \"%s\" %s meanwhile",
					dp_rights_subject(request, number, NULL), what);
	dp_reply_hint(refusal, "Nothing was charged. Ask again.");
	return DP_REFUSAL_ANSWERED_BEFORE;
}

static DpRefusal
refuse_answered_meanwhile(const DpStoreRequest *request, uint32 number,
						  DpReply *refusal)
{
	return refuse_late(request, number, "was answered in another session",
					   refusal);
}

static DpRefusal
refuse_answered(const DpStoreRequest *request, uint32 number, DpReply *refusal)
{
	dp_reply_refuse(refusal, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
					"this question about \"%s\" was answered before",
					dp_rights_subject(request, number, NULL));
	dp_reply_detail(
		refusal,
		"%s with the same conditions has an answer already; a second one with "
		"fresh noise would reveal more than the budget allows.",
		request->charges[number].aggregate);
	dp_reply_hint(refusal, "Use the first answer, or ask the owner for "
						   "on_repeat => 'replay' or 'answer'.");
	return DP_REFUSAL_ANSWERED_BEFORE;
}

/*
 * What became of a question that an asker has asked, since a time: finds the row
 * with its answer, which may be that of its draw. False when it was not asked, or
 * given up, or its answer is forgotten.
 */
static bool
find_own(const DpCharge *charge, int64 budget_id, TimestampTz since,
		 DpAnswerRow *answer)
{
	DpAnswerRow own;
	DpAnswerName draw = {charge->population_id, 0, own.draw};

	if (!dp_answer_rows_find(dp_repeats_question(charge, budget_id), &own) ||
		own.state == DP_ANSWER_GIVEN_UP)
		return false;
	*answer = own;
	if (own.has_draw)
	{
		/* What was claimed again is not what this asker has paid for. */
		if (!dp_answer_rows_find(draw, answer) ||
			answer->charge_id != own.claim)
			return false;
		if (answer->state ==
			DP_ANSWER_GIVEN_UP) /* by whom it was shared with */
			answer->state = DP_ANSWER_ASKED;
	}
	return answer->state != DP_ANSWER_ANSWERED || answer->at >= since;
}

/* Checks a question against what its asker has asked before. */
static DpRefusal
check_own(DpStoreRequest *request, uint32 number, int64 budget_id,
		  DpRepeatRule rule, DpReply *refusal)
{
	const DpCharge *charge = &request->charges[number];
	DpAnswerRow answer;

	if (asked_twice(request, number))
	{
		dp_reply_refuse(
			refusal, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
			"the statement asks the same question about \"%s\" twice",
			dp_rights_subject(request, number, NULL));
		dp_reply_hint(refusal,
					  "Ask it once, in a CTE, and use the answer twice.");
		return DP_REFUSAL_ASKED_TWICE;
	}
	if (budget_id == 0 || !find_own(charge, budget_id, rule.since, &answer))
		return DP_REFUSAL_NONE;
	if (answer.state == DP_ANSWER_ASKED)
		return refuse_awaited(request, number, rule.on_repeat, refusal);
	if (rule.on_repeat != DP_ON_REPEAT_REPLAY || !answer.is_stored)
		return refuse_answered(request, number, refusal);
	if (charge->no_replay)
		return refuse_answered_meanwhile(request, number, refusal);
	request->outcomes[number].outcome = DP_OUTCOME_REPLAYED;
	request->outcomes[number].at = answer.at;
	return request->header.kind == DP_REQUEST_PREVIEW
			   ? DP_REFUSAL_NONE
			   : keep_for_reply(request, number, answer.size, refusal);
}

/* An earlier charge of the request that claims, or joins, the same draw; or -1. */
static int64
find_same_draw(const DpStoreRequest *request, uint32 number,
			   const DpDrawing *drawings)
{
	const DpCharge *charge = &request->charges[number];
	uint32 i;

	for (i = 0; i < number; i++)
	{
		const DpCharge *other = &request->charges[i];

		if (other->has_draw && !other->is_joint &&
			request->outcomes[i].outcome == DP_OUTCOME_CHARGED &&
			drawings[i].uses_draw &&
			other->population_id == charge->population_id &&
			memcmp(other->draw, charge->draw, sizeof(charge->draw)) == 0)
			return i;
	}
	return -1;
}

/* Shares a stored answer, which was just found; of a chain, one level. */
static DpRefusal
share(DpStoreRequest *request, uint32 number, Size size, DpReply *refusal)
{
	const DpCharge *charge = &request->charges[number];
	DpRefusal why;
	uint32 level_size;
	char *level;

	request->outcomes[number].outcome = DP_OUTCOME_SHARED;
	if (request->header.kind != DP_REQUEST_CHARGE)
		return DP_REFUSAL_NONE;
	why = keep_for_reply(request, number, size, refusal);
	if (why != DP_REFUSAL_NONE || !charge->has_levels)
		return why;
	level = dp_chain_level(request->replays[number], (uint32) size,
						   charge->level, &level_size);
	request->replays[number] = level;
	request->outcomes[number].answer_size = level_size;
	return DP_REFUSAL_NONE;
}

/* Checks a question against what was drawn for others, or for itself. */
static DpRefusal
check_draw(DpStoreRequest *request, uint32 number, DpRepeatRule rule,
		   DpDrawing *drawings, DpReply *refusal)
{
	const DpCharge *charge = &request->charges[number];
	DpDrawing *drawing = &drawings[number];
	DpAnswerRow row;
	bool is_known;

	drawing->first = find_same_draw(request, number, drawings);
	if (drawing->first >= 0)
	{
		drawing->uses_draw = !charge->no_replay;
		drawing->grant_pays = charge->no_replay;
		return DP_REFUSAL_NONE;
	}
	is_known = dp_answer_rows_find(dp_repeats_draw(charge), &row);
	if (is_known && row.state == DP_ANSWER_ANSWERED && row.is_stored &&
		row.at >= rule.since)
	{
		if (charge->no_replay)
			return refuse_answered_meanwhile(request, number, refusal);
		drawing->uses_draw = true;
		drawing->grant_pays = false;
		drawing->claim = row.charge_id;
		request->outcomes[number].at = row.at;
		return share(request, number, row.size, refusal);
	}
	if (charge->only_shared)
		return refuse_late(request, number, "was forgotten", refusal);
	drawing->uses_draw = true;
	if (is_known && row.state != DP_ANSWER_ANSWERED &&
		row.incarnation == dp_lock_incarnation() && !charge->no_replay)
	{
		/* One that was given up is paid for again, for who has joined it, too. */
		drawing->grant_pays = row.state == DP_ANSWER_GIVEN_UP;
		drawing->claim = row.charge_id;
	}
	return DP_REFUSAL_NONE;
}

DpRefusal
dp_repeats_check(DpStoreRequest *request, uint32 number, int64 budget_id,
				 DpRepeatRule rule, DpDrawing *drawings, DpReply *refusal)
{
	const DpCharge *charge = &request->charges[number];
	DpRefusal why;

	drawings[number] = (DpDrawing){
		.grant_pays = true,
		.first = -1,
		.since = rule.on_repeat == DP_ON_REPEAT_ANSWER
					 ? DT_NOBEGIN /* under another rule they would count */
					 : rule.since};
	if (charge->only_shared && !charge->has_draw)
	{
		request->outcomes[number].outcome = DP_OUTCOME_SHARED;
		drawings[number].grant_pays = false;
		return DP_REFUSAL_NONE;
	}
	if (rule.on_repeat != DP_ON_REPEAT_ANSWER)
	{
		why = check_own(request, number, budget_id, rule, refusal);
		if (why != DP_REFUSAL_NONE ||
			request->outcomes[number].outcome == DP_OUTCOME_REPLAYED)
			return why;
	}
	if (charge->has_draw &&
		(charge->has_levels ||
		 (rule.shares_answers && rule.on_repeat != DP_ON_REPEAT_ANSWER)))
		return check_draw(request, number, rule, drawings, refusal);
	return charge->only_shared
			   ? refuse_late(request, number, "was forgotten", refusal)
			   : DP_REFUSAL_NONE;
}

/* The row of a question that was charged, and waits for its answer. */
static void
record_asked(const DpCharge *charge, int64 budget_id, int64 charge_id,
			 const DpDrawing *drawing)
{
	DpAnswerName question = dp_repeats_question(charge, budget_id);
	DpAnswerRow row = {.state = DP_ANSWER_ASKED,
					   .at = GetCurrentTimestamp(),
					   .charge_id = charge_id};
	DpAnswerRow earlier;

	if (drawing->uses_draw && !charge->has_levels)
	{
		row.has_draw = true;
		row.claim = drawing->claim != 0 ? drawing->claim : charge_id;
		memcpy(row.draw, charge->draw, sizeof(row.draw));
	}
	else if (find_own(charge, budget_id, drawing->since, &earlier))
		row.state = DP_ANSWER_ANSWERED; /* it may be out: never given up */
	dp_answer_rows_write(question, &row, NULL);
	if (!drawing->uses_draw || !drawing->grant_pays)
		return;
	row = (DpAnswerRow){
		.state = DP_ANSWER_ASKED,
		.at = row.at,
		.charge_id = drawing->claim != 0 ? drawing->claim : charge_id,
		.incarnation = charge->no_replay ? 0 : dp_lock_incarnation()};
	dp_answer_rows_write(dp_repeats_draw(charge), &row, NULL);
}

/* The row of a question that got an answer that was there. */
static void
record_shared(const DpStoreRequest *request, uint32 number, int64 budget_id,
			  const DpDrawing *drawing)
{
	const DpCharge *charge = &request->charges[number];
	DpAnswerRow row = {.state = DP_ANSWER_ANSWERED,
					   .at = request->outcomes[number].at};

	if (charge->has_levels)
	{
		row.is_stored = true;
		row.size = request->outcomes[number].answer_size;
	}
	else
	{
		row.has_draw = true;
		row.claim = drawing->claim;
		memcpy(row.draw, charge->draw, sizeof(row.draw));
	}
	dp_answer_rows_write(dp_repeats_question(charge, budget_id), &row,
						 request->replays[number]);
}

void
dp_repeats_record(const DpStoreRequest *request, uint32 number, int64 budget_id,
				  int64 charge_id, const DpDrawing *drawing)
{
	const DpCharge *charge = &request->charges[number];

	if (request->outcomes[number].outcome == DP_OUTCOME_CHARGED)
		record_asked(charge, budget_id, charge_id, drawing);
	else if (charge->has_draw)
		record_shared(request, number, budget_id, drawing);
}
