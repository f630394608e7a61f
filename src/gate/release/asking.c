/*
 * asking.c
 *		Requests from the releases of a statement to the ledger, and its
 *		replies.
 *
 * Only new questions are requested. A replayed question is settled and not
 * requested again: if a new period had begun meanwhile, it would be charged.
 */
#include "postgres.h"

#include "gate/release/asking.h"
#include "gate/release/sharing.h"

/* A request: arrays of one length, as the ledger takes them. */
typedef struct Request
{
	uint32 count;
	DpCharge *charges;
	char **answers;
	DpChargeResult *results; /* what it says */
} Request;

DpAsking
dp_gate_list_questions(List *states)
{
	DpAsking asked = {0};

	asked.questions = dp_gate_price_questions(states, &asked.count);
	dp_gate_find_shared(&asked);
	return asked;
}

bool
dp_gate_is_fresh(const DpQuestion *question)
{
	return question->result.outcome == DP_OUTCOME_CHARGED && question->same < 0;
}

/* A request about the questions that are fresh. */
static Request
request_fresh(const DpAsking *asked)
{
	Request request = {0};
	int i;

	request.charges = palloc(asked->count * sizeof(DpCharge));
	request.answers = palloc(asked->count * sizeof(char *));
	request.results = palloc0(asked->count * sizeof(DpChargeResult));
	for (i = 0; i < asked->count; i++)
	{
		const DpQuestion *question = &asked->questions[i];

		if (!dp_gate_is_fresh(question))
			continue;
		request.charges[request.count] = question->charge;
		request.answers[request.count] = question->answer;
		request.count++;
	}
	return request;
}

/* ask: dp_ledger_charge, or dp_ledger_try. */
static void
ask_ledger(DpAsking *asked,
		   void (*ask)(const DpCharge *, uint32, DpChargeResult *))
{
	Request request = request_fresh(asked);
	int next = 0;
	int i;

	ask(request.charges, request.count, request.results);
	for (i = 0; i < asked->count; i++)
	{
		DpQuestion *question = &asked->questions[i];

		if (!dp_gate_is_fresh(question))
			continue;
		question->result = request.results[next++];
		dp_ledger_note(&question->charge, &question->result);
	}
	dp_gate_share_results(asked);
}

void
dp_gate_charge(DpAsking *asked)
{
	ask_ledger(asked, dp_ledger_charge);
}

void
dp_gate_try_charge(DpAsking *asked)
{
	ask_ledger(asked, dp_ledger_try);
}

void
dp_gate_preview_charge(const DpAsking *asked, DpPreview *preview)
{
	Request request = request_fresh(asked);
	DpChargePreview *charges;
	int next = 0;
	int i;

	dp_ledger_preview(request.charges, request.count, preview);
	if (preview->charge_count == 0)
		return;
	charges = palloc(asked->count * sizeof(DpChargePreview));
	for (i = 0; i < asked->count; i++)
	{
		int same = asked->questions[i].same;

		charges[i] = same < 0 ? preview->charges[next++] : charges[same];
	}
	preview->charges = charges;
	preview->charge_count = (uint32) asked->count;
}

DpAsking
dp_gate_list_again(List *states, const DpAsking *before)
{
	DpAsking asked = {0};
	int next = 0;
	int i;

	asked.questions = dp_gate_price_questions(states, &asked.count);
	dp_gate_keep_shared(&asked, before);
	for (i = 0; i < asked.count; i++)
	{
		if (!dp_gate_is_selection(&asked.questions[i]))
			asked.questions[i].result = before->questions[next++].result;
	}
	return asked;
}

void
dp_gate_store(DpAsking *asked)
{
	Request request = request_fresh(asked);
	int next = 0;
	int i;

	dp_ledger_store(request.charges, request.count, request.answers,
					request.results);
	for (i = 0; i < asked->count; i++)
	{
		DpQuestion *question = &asked->questions[i];
		const DpChargeResult *result;

		if (!dp_gate_is_fresh(question))
			continue;
		result = &request.results[next++];
		if (result->answer == NULL)
			continue;
		question->answer = result->answer;
		question->charge.answer_size = result->answer_size;
	}
}

/*
 * Whether the budgets that pay for a charge count a failure already: those of
 * its relation, or of the relation with which it shares them, which the same
 * charge has paid.
 */
static bool
is_listed(const DpAsking *asked, const DpCharge *charge)
{
	uint32 i;

	for (i = 0; i < asked->failing_count; i++)
	{
		const DpCharge *other = &asked->failing[i];

		if (other->through_view == charge->through_view &&
			(other->relation == charge->relation ||
			 (charge->ledger_id != 0 && other->ledger_id == charge->ledger_id)))
			return true;
	}
	return false;
}

void
dp_gate_list_failing(DpAsking *asked)
{
	int i;

	asked->failing = palloc(Max(asked->count, 1) * sizeof(DpCharge));
	asked->failing_count = 0;
	for (i = 0; i < asked->count; i++)
	{
		DpCharge charge = asked->questions[i].charge;

		if (!dp_gate_is_fresh(&asked->questions[i]) ||
			is_listed(asked, &charge))
			continue;
		charge.has_answer = false;
		charge.answer_size = 0;
		asked->failing[asked->failing_count++] = charge;
	}
}

void
dp_gate_tell_failure(const DpAsking *asked, DpReply *reply)
{
	dp_ledger_fail(asked->failing, asked->failing_count, reply);
}

void
dp_gate_give_up(const DpAsking *asked)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		Request request = request_fresh(asked);

		if (request.count > 0)
			dp_ledger_give_up(request.charges, request.count);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
}
