/*
 * asking.c
 *		What goes from the releases of a statement to the ledger, and back.
 *
 * Requests are about what is fresh alone. What is replayed is settled, and not
 * asked for again: a new period may have begun meanwhile, and it would be
 * charged.
 */
#include "postgres.h"

#include "gate/release/asking.h"
#include "gate/release/sharing.h"

/* Without what is shared. */
static DpAsking
list_questions(List *states)
{
	DpAsking asked;

	asked.charges =
		dp_gate_list_charges(states, &asked.count, &asked.questions);
	asked.results = palloc0(asked.count * sizeof(DpChargeResult));
	asked.answers = palloc0(asked.count * sizeof(char *));
	asked.same = palloc(asked.count * sizeof(int));
	return asked;
}

DpAsking
dp_gate_list_questions(List *states)
{
	DpAsking asked = list_questions(states);

	dp_gate_find_shared(&asked);
	return asked;
}

bool
dp_gate_is_fresh(const DpAsking *asked, int number)
{
	return asked->results[number].outcome == DP_OUTCOME_CHARGED &&
		   asked->same[number] < 0;
}

/* What is fresh, to be asked about in a request of its own. */
static DpAsking
copy_fresh(const DpAsking *asked)
{
	DpAsking fresh = {0};
	int i;

	fresh.charges = palloc(asked->count * sizeof(DpCharge));
	fresh.results = palloc0(asked->count * sizeof(DpChargeResult));
	fresh.answers = palloc(asked->count * sizeof(char *));
	for (i = 0; i < asked->count; i++)
	{
		if (!dp_gate_is_fresh(asked, i))
			continue;
		fresh.charges[fresh.count] = asked->charges[i];
		fresh.answers[fresh.count] = asked->answers[i];
		fresh.count++;
	}
	return fresh;
}

/* ask: dp_ledger_charge, or dp_ledger_try. */
static void
ask_ledger(DpAsking *asked,
		   void (*ask)(const DpCharge *, uint32, DpChargeResult *))
{
	DpAsking fresh = copy_fresh(asked);
	int next = 0;
	int i;

	ask(fresh.charges, (uint32) fresh.count, fresh.results);
	for (i = 0; i < asked->count; i++)
	{
		if (!dp_gate_is_fresh(asked, i))
			continue;
		asked->results[i] = fresh.results[next++];
		asked->charges[i].ledger_id = asked->results[i].ledger_id;
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
	DpAsking fresh = copy_fresh(asked);
	DpChargePreview *charges;
	int next = 0;
	int i;

	dp_ledger_preview(fresh.charges, (uint32) fresh.count, preview);
	if (preview->charge_count == 0)
		return;
	charges = palloc(asked->count * sizeof(DpChargePreview));
	for (i = 0; i < asked->count; i++)
		charges[i] = asked->same[i] < 0 ? preview->charges[next++]
										: charges[asked->same[i]];
	preview->charges = charges;
	preview->charge_count = (uint32) asked->count;
}

DpAsking
dp_gate_list_again(List *states, const DpAsking *before)
{
	DpAsking asked = list_questions(states);
	int next = 0;
	int i;

	dp_gate_keep_shared(&asked, before);
	for (i = 0; i < asked.count; i++)
	{
		const DpQuestion *question = &asked.questions[i];

		if (question->place < list_length(question->state->release->aggregates))
			asked.results[i] = before->results[next++];
	}
	return asked;
}

void
dp_gate_store(DpAsking *asked)
{
	DpAsking fresh = copy_fresh(asked);
	int next = 0;
	int i;

	dp_ledger_store(fresh.charges, (uint32) fresh.count, fresh.answers,
					fresh.results);
	for (i = 0; i < asked->count; i++)
	{
		const DpChargeResult *result;

		if (!dp_gate_is_fresh(asked, i))
			continue;
		result = &fresh.results[next++];
		if (result->answer == NULL)
			continue;
		asked->answers[i] = result->answer;
		asked->charges[i].answer_size = result->answer_size;
	}
}

void
dp_gate_give_up(const DpAsking *asked)
{
	MemoryContext context = CurrentMemoryContext;
	DpAsking fresh;

	PG_TRY();
	{
		fresh = copy_fresh(asked);
		if (fresh.count > 0)
			dp_ledger_give_up(fresh.charges, (uint32) fresh.count);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
}
