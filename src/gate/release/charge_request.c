/*
 * charge_request.c
 *		Requests from the releases of a statement to the ledger, and its
 *		replies.
 *
 * Only new questions are requested. A replayed question is settled and not
 * requested again: if a new period had begun meanwhile, it would be charged.
 */
#include "postgres.h"

#include "gate/release/charge_request.h"
#include "gate/release/derived.h"

/* A request: arrays of one length, as the ledger takes them. */
typedef struct Request
{
	DpAsk ask;
	DpCharge *charges;
	char **answers;
	DpChargeResult *results; /* what it says */
} Request;

/* A request about the questions that are asked, or fresh. */
static Request
make_request(const DpPrice *price, bool (*is_in)(const DpPricedCharge *))
{
	Request request = {0};
	int i;

	request.charges = palloc(Max(price->count, 1) * sizeof(DpCharge));
	request.answers = palloc(Max(price->count, 1) * sizeof(char *));
	request.results = palloc0(Max(price->count, 1) * sizeof(DpChargeResult));
	request.ask.charges = request.charges;
	request.ask.relations = price->relations;
	request.ask.relation_count = price->relation_count;
	for (i = 0; i < price->count; i++)
	{
		const DpPricedCharge *priced = &price->charges[i];

		if (!is_in(priced))
			continue;
		request.charges[request.ask.count] = priced->charge;
		request.answers[request.ask.count] = priced->answer;
		request.ask.count++;
	}
	return request;
}

void
dp_charge_request_ask(DpPrice *price,
					  void (*ask)(const DpAsk *, DpChargeResult *))
{
	Request request = make_request(price, dp_price_is_asked);
	int next = 0;
	int i;

	ask(&request.ask, request.results);
	for (i = 0; i < price->count; i++)
	{
		DpPricedCharge *priced = &price->charges[i];

		if (!dp_price_is_asked(priced))
			continue;
		priced->result = request.results[next++];
		dp_ledger_note(&priced->charge, &priced->result);
	}
}

/* Whether a question is asked about already. */
static bool
is_requested(const Request *request, const DpCharge *charge)
{
	uint32 i;

	for (i = 0; i < request->ask.count; i++)
	{
		if (request->charges[i].population_id == charge->population_id &&
			memcmp(request->charges[i].fingerprint, charge->fingerprint,
				   DP_FINGERPRINT_SIZE) == 0)
			return true;
	}
	return false;
}

/*
 * Adds what answers are derived from to a request: whose budgets are told, though they
 * pay nothing.
 */
static void
add_sources(const DpPrice *price, Request *request)
{
	int i;

	for (i = 0; i < price->count; i++)
	{
		const DpPricedCharge *priced = &price->charges[i];
		DpCharge charge;

		if (priced->question == NULL || !priced->question->is_derived)
			continue;
		charge = dp_derived_charge(&priced->charge, priced->question->source);
		if (!is_requested(request, &charge))
			request->charges[request->ask.count++] = charge;
	}
}

/*
 * Gives each charge of a price its own entry in a preview, in which there are none of
 * what is settled.
 */
static void
add_settled(const DpPrice *price, DpPreview *preview)
{
	DpChargePreview *charges =
		palloc0(Max(price->count, 1) * sizeof(DpChargePreview));
	int next = 0;
	int i;

	for (i = 0; i < price->count; i++)
	{
		const DpPricedCharge *priced = &price->charges[i];

		if (dp_price_is_asked(priced))
			charges[i] = preview->charges[next++];
		else
			charges[i] = (DpChargePreview){.outcome = priced->result.outcome,
										   .at = priced->result.at};
	}
	preview->charges = charges;
	preview->charge_count = (uint32) price->count;
}

void
dp_charge_request_preview(DpPrice *price, DpPreview *preview)
{
	Request request = make_request(price, dp_price_is_asked);
	uint32 i;

	add_sources(price, &request);
	dp_ledger_preview(&request.ask, preview);
	if (preview->charge_count == request.ask.count)
		add_settled(price, preview);
	for (i = 0; i < preview->charge_count; i++)
	{
		if (preview->charges[i].outcome == DP_OUTCOME_SHARED)
			price->charges[i].result.outcome = DP_OUTCOME_SHARED;
	}
}

DpPrice
dp_charge_request_price_again(List *askers, const DpPrice *before)
{
	DpPrice price = dp_price_make(askers);
	int next = 0;
	int i;

	for (i = 0; i < price.count; i++)
	{
		if (price.charges[i].question != NULL)
			price.charges[i].result = before->charges[next++].result;
	}
	return price;
}

/* Whether one of the questions of a release is answered with what others got. */
static bool
has_shared(const DpPrice *price, const DpReleaseState *state)
{
	int i;

	for (i = 0; i < price->count; i++)
	{
		if (price->charges[i].state == state &&
			price->charges[i].result.outcome == DP_OUTCOME_SHARED)
			return true;
	}
	return false;
}

void
dp_charge_request_keep_together(DpPrice *price)
{
	int i;

	for (i = 0; i < price->count; i++)
	{
		DpPricedCharge *priced = &price->charges[i];
		DpGroupSelection *selection = priced->state->groups.selection;
		DpCharge *charge = &priced->charge;

		if (selection == NULL)
			continue;
		selection->is_shared = has_shared(price, priced->state);
		if (!selection->is_shared)
		{
			priced->result = (DpChargeResult){0}; /* refused, if replayed */
			charge->no_replay = true;
			continue;
		}
		charge->only_shared = priced->question == NULL ||
							  priced->result.outcome == DP_OUTCOME_SHARED;
		charge->has_draw = charge->only_shared && priced->question != NULL;
	}
}

void
dp_charge_request_store(DpPrice *price)
{
	Request request = make_request(price, dp_price_is_fresh);
	int next = 0;
	int i;

	dp_ledger_store(&request.ask, request.answers, request.results);
	for (i = 0; i < price->count; i++)
	{
		DpPricedCharge *priced = &price->charges[i];

		if (!dp_price_is_fresh(priced))
			continue;
		priced->result.answer = request.results[next].answer;
		priced->result.answer_size = request.results[next].answer_size;
		next++;
	}
}

/* Whether a charge that is listed has been paid by the same budgets. */
static bool
is_listed(const DpPrice *price, const DpCharge *charge)
{
	uint32 i;

	for (i = 0; i < price->failing_count; i++)
	{
		if (price->failing[i].population_id == charge->population_id)
			return true;
	}
	return false;
}

void
dp_charge_request_list_failing(DpPrice *price)
{
	int i;

	price->failing = palloc(Max(price->count, 1) * sizeof(DpCharge));
	price->failing_count = 0;
	for (i = 0; i < price->count; i++)
	{
		DpCharge charge = price->charges[i].charge;

		if (!dp_price_is_fresh(&price->charges[i]) || is_listed(price, &charge))
			continue;
		charge.has_answer = false;
		charge.answer_size = 0;
		price->failing[price->failing_count++] = charge;
	}
}

void
dp_charge_request_fail(const DpPrice *price, DpReply *reply)
{
	DpAsk ask = {.charges = price->failing, .count = price->failing_count};

	dp_ledger_fail(&ask, reply);
}

void
dp_charge_request_give_up(const DpPrice *price)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		Request request = make_request(price, dp_price_is_fresh);

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
