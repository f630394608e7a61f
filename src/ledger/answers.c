/*
 * answers.c
 *		Answers to earlier charges, for replay and for others.
 *
 * An answer is accepted only from the role that was charged, for that
 * question, by that row of the ledger. Nothing here changes what is spent.
 *
 * What may be shared is a draw: all on which the law of an answer depends has one
 * name. A draw has one row. The charge for which the grant pays claims it
 * ("asked"). Until an answer is stored, others who ask join the claim: they pay
 * from their own budgets, and each draws for itself, but of all that is drawn the
 * first that is stored is the answer ("answered"), and everybody else returns that
 * one; nobody has seen what they drew. Whoever asks later is told the stored one.
 *
 * What everybody together learns is paid for by the grant, since no answer goes out
 * before it is stored, and
 *
 * - a row becomes "asked" only with a payment of the grant, durably before
 *   anything is drawn under that claim, by whomever, and "answered" only from
 *   "asked" or "given up", which comes from "asked" alone. So there are no more
 *   different answers than payments, whoever stores. Where the row is gone (forget_answers), claimed anew, or
 *   answered without bytes, what was drawn does not go out.
 * - Answers are committed lazily, and a crash may lose one that is out. It leaves
 *   the row "asked", but by a claim of another incarnation (dp_lock_incarnation),
 *   which nobody joins: who asks then pays for a claim anew. All sessions of the
 *   old one are gone, so nothing is stored under its claims either. A standby, a
 *   copy and a restored dump are other incarnations, too. And what a later charge has seen of
 *   an answer is on disk with that charge.
 * - Where one gives up whose charge the grant has paid for, nobody has seen an
 *   answer, and who asks next has the grant pay again, under the same claim, since
 *   others may have joined it.
 * - Expired answers, and rules that an owner has changed meanwhile, make somebody
 *   pay anew. A charge remembers its claim, whatever the rules say when its answer
 *   comes; without one it was paid for by the grant, and its answer is stored in
 *   the asker's row alone.
 *
 * Each role pays for what it is told, once per claim. Under a claim there is one
 * answer, as it takes another one to be "asked" again after it was "answered". What
 * a charge is told is the answer under its own claim, or none; and the asker's row
 * names draw and claim, so it is told again, free, only while that is the claim
 * that the draw has. With other claims the question counts as not asked.
 *
 * Groups that are selected privately belong to the answer, so who has selected some
 * can return no other answer. Nobody joins such a claim (it has no incarnation), and
 * each is paid for by the grant: whoever asks meanwhile takes the draw over, and who
 * has lost it still may return and keep the answer, as the asker's own.
 *
 * A question is given up when its statement ended before any row of the
 * release was returned, and none can be returned later: what was drawn is
 * discarded, and nobody saw it. Asking it again means another draw, for a new
 * charge, so only the repeat rule is concerned. Giving up is refused if
 * somebody may have seen an answer: one that is stored, or an earlier one to
 * the same question.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "ledger/answers.h"
#include "ledger/chain.h"
#include "ledger/charges_made.h"
#include "ledger/failures.h"
#include "ledger/locks.h"
#include "ledger/repeats.h"
#include "ledger/reply.h"
#include "ledger/rights.h"
#include "ledger/step.h"

/* What is known of a draw when an answer comes. */
typedef struct Drawn
{
	bool is_kept; /* its row takes the answer */
	DpAnswerRow row;
} Drawn;

/* True for a charge whose answer belongs to a draw for all. */
static bool
uses_draw(const DpCharge *charge)
{
	return charge->claim != 0 && charge->has_draw && !charge->is_joint;
}

/* An earlier charge of the request with the same draw; or count. */
static uint32
find_same_draw(const DpStoreRequest *request, uint32 number)
{
	const DpCharge *charge = &request->charges[number];
	uint32 i;

	for (i = 0; i < number; i++)
	{
		const DpCharge *other = &request->charges[i];

		if (uses_draw(other) && other->population_id == charge->population_id &&
			memcmp(other->draw, charge->draw, sizeof(charge->draw)) == 0)
			return i;
	}
	return request->header.count;
}

/* The answer that the asker is told in place of the one that was drawn. */
static void
tell_other(DpStoreRequest *request, uint32 number, char *bytes, uint32 size)
{
	const DpCharge *charge = &request->charges[number];

	if (charge->has_levels)
		bytes = dp_chain_level(bytes, size, charge->level, &size);
	memcpy(dp_repeats_make_room(request, number, size), bytes, size);
}

/* The same, from the row that was just found. */
static void
tell_stored(DpStoreRequest *request, uint32 number, Size size)
{
	char *bytes = palloc(Max(size, 1));

	dp_answer_rows_read(bytes);
	tell_other(request, number, bytes, (uint32) size);
	pfree(bytes);
}

static bool
refuse_forgotten(DpStoreRequest *request, uint32 number,
				 const DpChargeMade *made)
{
	dp_reply_refuse(&request->reply, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					"the stored answers about \"%s\" were forgotten meanwhile",
					dp_rights_subject(request, number, made->population));
	dp_reply_detail(&request->reply,
					"The question is charged; nothing was answered.");
	dp_reply_hint(&request->reply, "Ask again.");
	return false;
}

/* Whether a draw's row, under the claim of a charge, takes its answer. */
static bool
may_store(const DpCharge *charge, const DpAnswerRow *row)
{
	return row->state != DP_ANSWER_ANSWERED &&
		   (charge->no_replay || row->incarnation == dp_lock_incarnation());
}

/*
 * Finds what becomes of an answer: it is the one for all, or another one was stored
 * since the charge, or comes earlier in this request, and is told instead; or it is
 * the asker's alone. False, with a reply, when there is nothing that was paid for.
 */
static bool
find_draw(DpStoreRequest *request, uint32 number, const DpChargeMade *made,
		  Drawn *drawn)
{
	const DpCharge *charge = &request->charges[number];
	uint32 same = find_same_draw(request, number);
	bool is_known;

	if (same < number)
	{
		const DpCharge *other = &request->charges[same];

		/* Of levels, what others have stored is there as one level alone. */
		if (drawn[same].is_kept && request->answers[same] != NULL)
			tell_other(request, number, request->answers[same],
					   other->answer_size);
		if (drawn[same].is_kept)
			return request->answers[same] != NULL ||
				   refuse_forgotten(request, number, made);
	}
	is_known =
		dp_answer_rows_find(dp_repeats_draw(charge), &drawn[number].row) &&
		drawn[number].row.charge_id == charge->claim;
	if (is_known && drawn[number].row.state == DP_ANSWER_ANSWERED &&
		drawn[number].row.is_stored && !charge->no_replay)
	{
		tell_stored(request, number, drawn[number].row.size);
		return true;
	}
	drawn[number].is_kept = is_known && may_store(charge, &drawn[number].row);
	return drawn[number].is_kept || charge->no_replay ||
		   refuse_forgotten(request, number, made);
}

/* Stores an answer as that of its draw, which keeps its claim. */
static void
keep_draw(const DpStoreRequest *request, uint32 number, DpAnswerRow row)
{
	const DpCharge *charge = &request->charges[number];

	row.state = DP_ANSWER_ANSWERED;
	row.at = GetCurrentTimestamp();
	row.is_stored = request->answers[number] != NULL;
	row.size = charge->answer_size;
	dp_answer_rows_write(dp_repeats_draw(charge), &row,
						 request->answers[number]);
}

/*
 * Stores an answer as the asker's alone: one without a draw, or the asker's level
 * of a chain. Nothing is stored where the question does not wait for it: it has been
 * asked again meanwhile.
 */
static void
keep_own(DpStoreRequest *request, uint32 number, int64 budget_id)
{
	const DpCharge *charge = &request->charges[number];
	DpAnswerName question = dp_repeats_question(charge, budget_id);
	bool is_other = request->outcomes[number].has_answer;
	char *answer =
		is_other ? request->replays[number] : request->answers[number];
	uint32 size =
		is_other ? request->outcomes[number].answer_size : charge->answer_size;
	DpAnswerRow row;

	if (!dp_answer_rows_find(question, &row) ||
		row.charge_id != charge->charge_id)
		return;
	if (charge->has_levels && answer != NULL && !is_other)
		answer = dp_chain_level(answer, size, charge->level, &size);
	row = (DpAnswerRow){.state = DP_ANSWER_ANSWERED,
						.at = GetCurrentTimestamp(),
						.is_stored = answer != NULL,
						.size = size};
	dp_answer_rows_write(question, &row, answer);
}

/*
 * Stores an answer. A row of an asker that names its draw says all there is to say:
 * it is the draw's that changes. But where no bytes are stored, the draw will be
 * claimed by whoever asks next, and the asker's row says that it was answered.
 */
static void
keep(DpStoreRequest *request, uint32 number, int64 budget_id,
	 const Drawn *drawn)
{
	const DpCharge *charge = &request->charges[number];

	if (charge->is_joint)
		return;
	if (drawn->is_kept)
		keep_draw(request, number, drawn->row);
	if (!uses_draw(charge) || charge->has_levels ||
		(drawn->is_kept ? request->answers[number] == NULL : charge->no_replay))
		keep_own(request, number, budget_id);
	DP_STEP("answer-written");
}

/* Marks a row as given up that waits for the answer of a charge, or of a claim. */
static void
give_up_row(DpAnswerName question, int64 charge_id)
{
	DpAnswerRow row;

	if (!dp_answer_rows_find(question, &row) || row.charge_id != charge_id ||
		row.state != DP_ANSWER_ASKED)
		return;
	row.state = DP_ANSWER_GIVEN_UP;
	dp_answer_rows_write(question, &row, NULL);
}

/* Whether there is an answer to the claim of a charge. */
static bool
is_answered(const DpCharge *charge)
{
	DpAnswerRow row;

	return uses_draw(charge) && !charge->has_levels &&
		   dp_answer_rows_find(dp_repeats_draw(charge), &row) &&
		   row.charge_id == charge->claim && row.state == DP_ANSWER_ANSWERED;
}

static void
give_up(const DpCharge *charge, const DpChargeMade *made)
{
	if (charge->is_joint || is_answered(charge))
		return;
	give_up_row(dp_repeats_question(charge, made->asker->budget_id),
				charge->charge_id);
	if (uses_draw(charge) && made->grant_paid)
		give_up_row(dp_repeats_draw(charge), charge->claim);
}

/* Whether all answers may go out, and which are told instead of others. */
static bool
check(DpStoreRequest *request, const DpChargeMade *made, Drawn *drawn)
{
	uint32 i;

	for (i = 0; i < request->header.count; i++)
	{
		if (!dp_failures_allow_charge(request, i, &made[i]))
			return false;
	}
	for (i = 0; i < request->header.count; i++)
	{
		if (uses_draw(&request->charges[i]) &&
			!find_draw(request, i, &made[i], drawn))
			return false;
	}
	return true;
}

void
dp_answers_apply(DpBatch *batch, DpStoreRequest *request)
{
	uint32 count = request->header.count;
	bool is_store = request->header.kind == DP_REQUEST_STORE;
	Drawn *drawn = palloc0(Max(count, 1) * sizeof(Drawn));
	DpChargeMade *made;
	uint32 i;

	memset(request->outcomes, 0, count * sizeof(DpOutcomeEntry));
	memset(request->replays, 0, count * sizeof(char *));
	request->is_decided = false;
	made = dp_charges_made_find(batch, request);
	if (made == NULL || (is_store && !check(request, made, drawn)))
		return;
	request->is_decided = true;
	if (dp_store_reply_size(request) > request->slot->capacity)
	{
		request->reply.needed = dp_store_reply_size(request);
		return;
	}
	for (i = 0; i < count; i++)
	{
		if (is_store)
			keep(request, i, made[i].asker->budget_id, &drawn[i]);
		else
			give_up(&request->charges[i], &made[i]);
	}
}
