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
#include "gate/release/equal_questions.h"

/* A request: arrays of one length, as the ledger takes them. */
typedef struct Request
{
	DpAsk ask;
	DpCharge *charges;
	char **answers;
	DpChargeResult *results; /* what it says */
} Request;

DpAsking
dp_gate_list_questions(List *states)
{
	DpAsking asked = dp_gate_price_questions(states);

	dp_gate_find_equal(&asked);
	return asked;
}

bool
dp_gate_is_asked(const DpQuestion *question)
{
	return question->result.outcome != DP_OUTCOME_REPLAYED &&
		   question->same < 0;
}

bool
dp_gate_is_fresh(const DpQuestion *question)
{
	return question->result.outcome == DP_OUTCOME_CHARGED && question->same < 0;
}

/* A request about the questions that are asked, or fresh. */
static Request
make_request(const DpAsking *asked, bool (*is_in)(const DpQuestion *))
{
	Request request = {0};
	int i;

	request.charges = palloc(Max(asked->count, 1) * sizeof(DpCharge));
	request.answers = palloc(Max(asked->count, 1) * sizeof(char *));
	request.results = palloc0(Max(asked->count, 1) * sizeof(DpChargeResult));
	request.ask.charges = request.charges;
	request.ask.relations = asked->relations;
	request.ask.relation_count = asked->relation_count;
	for (i = 0; i < asked->count; i++)
	{
		const DpQuestion *question = &asked->questions[i];

		if (!is_in(question))
			continue;
		request.charges[request.ask.count] = question->charge;
		request.answers[request.ask.count] = question->answer;
		request.ask.count++;
	}
	return request;
}

/* ask: dp_ledger_charge, or dp_ledger_try. */
static void
ask_ledger(DpAsking *asked, void (*ask)(const DpAsk *, DpChargeResult *))
{
	Request request = make_request(asked, dp_gate_is_asked);
	int next = 0;
	int i;

	ask(&request.ask, request.results);
	for (i = 0; i < asked->count; i++)
	{
		DpQuestion *question = &asked->questions[i];

		if (!dp_gate_is_asked(question))
			continue;
		question->result = request.results[next++];
		dp_ledger_note(&question->charge, &question->result);
	}
	dp_gate_answer_equal(asked);
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
dp_gate_preview_charge(DpAsking *asked, DpPreview *preview)
{
	Request request = make_request(asked, dp_gate_is_asked);
	DpChargePreview *charges;
	int next = 0;
	int i;

	dp_ledger_preview(&request.ask, preview);
	if (preview->charge_count == 0)
		return;
	charges = palloc(asked->count * sizeof(DpChargePreview));
	for (i = 0; i < asked->count; i++)
	{
		DpQuestion *question = &asked->questions[i];

		charges[i] = question->same < 0 ? preview->charges[next++]
										: charges[question->same];
		if (charges[i].outcome == DP_OUTCOME_SHARED)
			question->result.outcome = DP_OUTCOME_SHARED;
	}
	preview->charges = charges;
	preview->charge_count = (uint32) asked->count;
}

DpAsking
dp_gate_list_again(List *states, const DpAsking *before)
{
	DpAsking asked = dp_gate_price_questions(states);
	int next = 0;
	int i;

	dp_gate_keep_equal(&asked, before);
	for (i = 0; i < asked.count; i++)
	{
		if (!dp_gate_is_selection(&asked.questions[i]))
			asked.questions[i].result = before->questions[next++].result;
	}
	return asked;
}

/* Whether one of the questions of a release is answered with what others got. */
static bool
has_shared(const DpAsking *asked, const DpReleaseState *state)
{
	int i;

	for (i = 0; i < asked->count; i++)
	{
		if (asked->questions[i].state == state &&
			asked->questions[i].result.outcome == DP_OUTCOME_SHARED)
			return true;
	}
	return false;
}

void
dp_gate_keep_together(DpAsking *asked)
{
	int i;

	for (i = 0; i < asked->count; i++)
	{
		DpQuestion *question = &asked->questions[i];
		DpGroupSelection *selection = question->state->selection;
		DpCharge *charge = &question->charge;

		if (selection == NULL || question->same >= 0)
			continue;
		selection->is_shared = has_shared(asked, question->state);
		if (!selection->is_shared)
		{
			question->result = (DpChargeResult){0}; /* refused, if replayed */
			charge->no_replay = true;
			continue;
		}
		charge->only_shared = dp_gate_is_selection(question) ||
							  question->result.outcome == DP_OUTCOME_SHARED;
		charge->has_draw =
			charge->only_shared && !dp_gate_is_selection(question);
	}
}

void
dp_gate_store(DpAsking *asked)
{
	Request request = make_request(asked, dp_gate_is_fresh);
	int next = 0;
	int i;

	dp_ledger_store(&request.ask, request.answers, request.results);
	for (i = 0; i < asked->count; i++)
	{
		DpQuestion *question = &asked->questions[i];

		if (!dp_gate_is_fresh(question))
			continue;
		question->result.answer = request.results[next].answer;
		question->result.answer_size = request.results[next].answer_size;
		next++;
	}
}

/* Whether a charge that is listed has been paid by the same budgets. */
static bool
is_listed(const DpAsking *asked, const DpCharge *charge)
{
	uint32 i;

	for (i = 0; i < asked->failing_count; i++)
	{
		if (asked->failing[i].population_id == charge->population_id)
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
	DpAsk ask = {.charges = asked->failing, .count = asked->failing_count};

	dp_ledger_fail(&ask, reply);
}

void
dp_gate_give_up(const DpAsking *asked)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		Request request = make_request(asked, dp_gate_is_fresh);

		if (request.ask.count > 0)
			dp_ledger_give_up(&request.ask);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
}
