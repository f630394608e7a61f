/*
 * decision.c
 *		The decision about a request.
 *
 * First, each charge by itself: may the role ask at all (ledger/rights.h), was
 * the question asked before (ledger/repeats.h)? A question about several
 * populations is decided once, by the rules of all. Then, population by
 * population, whether all budgets suffice for the sum. Who pays is determined
 * here, under the locks, whatever the asker assumed. Only after that, when nothing
 * can be refused any more, is anything written. A charge ends with the first
 * refusal; a preview continues, but reports the same error.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/syscache.h"

#include "ledger/budget_check.h"
#include "ledger/decision.h"
#include "ledger/preview.h"
#include "ledger/repeats.h"
#include "ledger/reply.h"
#include "ledger/rights.h"
#include "ledger/rows.h"
#include "ledger/step.h"

/* Who pays for one charge. */
typedef struct Price
{
	DpPopulation *population; /* NULL: none */
	DpAsker *asker;
	int member_id; /* asked about; 0: it may not ask */
} Price;

/* All that is found out about a request. */
typedef struct Decision
{
	DpBatch *batch;
	DpStoreRequest *request;
	Price *prices;
	DpDrawing *drawings; /* of joint ones those of the question */
} Decision;

/* Notes a refusal of one charge; the first is the request's. */
static void
refuse(DpStoreRequest *request, uint32 number, DpRefusal why,
	   const DpReply *refusal)
{
	request->outcomes[number].outcome = DP_OUTCOME_REFUSED;
	request->outcomes[number].refusal = why;
	if (request->reply.sqlstate == 0)
		request->reply = *refusal;
}

static bool
is_refused(const DpStoreRequest *request, uint32 number)
{
	return request->outcomes[number].outcome == DP_OUTCOME_REFUSED;
}

/* The charge behind those for one question. */
static uint32
end_of_question(const DpStoreRequest *request, uint32 first)
{
	uint32 end = first + 1;

	while (end < request->header.count && request->charges[end].is_joint)
		end++;
	return end;
}

/* An earlier charge for the same relations of the same population; or number. */
static uint32
find_same_relations(const DpStoreRequest *request, uint32 number)
{
	const DpCharge *charge = &request->charges[number];
	uint32 i;

	for (i = 0; i < number; i++)
	{
		const DpCharge *other = &request->charges[i];

		if (other->population_id == charge->population_id &&
			other->first_relation == charge->first_relation &&
			other->relation_count == charge->relation_count)
			break;
	}
	return i;
}

/* Finds who pays for a charge, and whether the role may ask. */
static DpRefusal
check_right(Decision *d, uint32 number, DpReply *refusal)
{
	DpStoreRequest *request = d->request;
	Price *price = &d->prices[number];
	uint32 same = find_same_relations(request, number);

	if (same < number)
	{
		*price = d->prices[same];
		return request->outcomes[same].refusal; /* which the reply says */
	}
	price->population = dp_budgets_find_population(
		d->batch, request->charges[number].population_id);
	if (price->population == NULL)
		return dp_rights_refuse_unprotected(refusal);
	price->asker = dp_budgets_find_asker(d->batch, price->population,
										 request->header.role);
	return dp_rights_check(request, number, price->population, price->asker,
						   &price->member_id, refusal);
}

/* Decides what becomes of a question, for all its charges. */
static DpRefusal
check_question(Decision *d, uint32 first, uint32 end, DpReply *refusal)
{
	DpStoreRequest *request = d->request;
	DpRepeatRule rule = dp_repeats_rule(d->prices[first].population);
	DpRefusal why;
	uint32 i;

	for (i = first + 1; i < end; i++)
		rule = dp_repeats_join(rule, dp_repeats_rule(d->prices[i].population));
	why = dp_repeats_check(request, first, d->prices[first].asker->budget_id,
						   rule, d->drawings, refusal);
	for (i = first + 1; i < end; i++)
	{
		d->drawings[i] = d->drawings[first];
		request->outcomes[i].outcome = request->outcomes[first].outcome;
		request->outcomes[i].at = request->outcomes[first].at;
	}
	return why;
}

/* Checks each charge by itself; false at the first refusal of a charge. */
static bool
check_charges(Decision *d, bool is_preview)
{
	DpStoreRequest *request = d->request;
	uint32 first;
	uint32 end;
	uint32 i;

	for (i = 0; i < request->header.count; i++)
	{
		DpReply refusal = {0};
		DpRefusal why = check_right(d, i, &refusal);

		if (why == DP_REFUSAL_NONE)
			continue;
		refuse(request, i, why, &refusal);
		if (!is_preview)
			return false;
	}
	for (first = 0; first < request->header.count; first = end)
	{
		DpReply refusal = {0};
		DpRefusal why = DP_REFUSAL_NONE;
		bool may_ask = true;

		end = end_of_question(request, first);
		for (i = first; i < end; i++)
			may_ask &= !is_refused(request, i);
		if (may_ask)
			why = check_question(d, first, end, &refusal);
		for (i = first; i < end && why != DP_REFUSAL_NONE; i++)
			refuse(request, i, why, &refusal);
		if (why != DP_REFUSAL_NONE && !is_preview)
			return false;
	}
	return true;
}

/* True when an earlier charge of the request is in the same population. */
static bool
seen_before(const Decision *d, uint32 number)
{
	uint32 i;

	for (i = 0; i < number; i++)
	{
		if (d->prices[i].population == d->prices[number].population)
			return true;
	}
	return false;
}

/* What a charge asks of a role's budgets, or of the grant. */
static DpDemand
price_of(const Decision *d, uint32 number, bool is_grant)
{
	const DpCharge *charge = &d->request->charges[number];
	DpOutcome outcome = d->request->outcomes[number].outcome;
	DpDemand asked = {.cost = charge->cost,
					  .epsilon = charge->asked,
					  .least_epsilon = charge->least_asked.ticks > 0
										   ? charge->least_asked
										   : charge->asked};

	if ((outcome != DP_OUTCOME_CHARGED && outcome != DP_OUTCOME_SHARED) ||
		(is_grant && !d->drawings[number].grant_pays))
		return (DpDemand){.least_epsilon = dp_amount_greatest()};
	if (is_grant && charge->has_levels)
	{
		asked.cost.epsilon = asked.epsilon = charge->whole_epsilon;
		asked.cost.rho = charge->whole_rho;
	}
	return asked;
}

/* Sum of what a request newly charges in one population. */
static DpDemand
sum_charges(const Decision *d, const DpPopulation *population, bool is_grant)
{
	DpDemand sum = {.least_epsilon = dp_amount_greatest()};
	uint32 i;

	for (i = 0; i < d->request->header.count; i++)
	{
		DpDemand asked;

		if (d->prices[i].population != population)
			continue;
		asked = price_of(d, i, is_grant);
		sum.cost = dp_cost_add(&sum.cost, &asked.cost);
		sum.epsilon = dp_amount_add(sum.epsilon, asked.epsilon);
		if (dp_amount_compare(asked.least_epsilon, sum.least_epsilon) < 0)
			sum.least_epsilon = asked.least_epsilon;
	}
	return sum;
}

/* Why one of the budgets does not bear the sum of the charges. */
static DpRefusal
check_budgets(const Price *price, const char *subject, DpDemand of_role,
			  DpDemand of_grant, DpReply *refusal)
{
	ListCell *cell;

	foreach (cell, price->asker->budgets)
	{
		DpRefusal why;

		if (dp_cost_is_none(&of_role.cost))
			break;
		CHECK_FOR_INTERRUPTS();
		why = dp_budget_check(lfirst(cell), subject, of_role, refusal);
		if (why != DP_REFUSAL_NONE)
			return why;
	}
	return dp_cost_is_none(&of_grant.cost)
			   ? DP_REFUSAL_NONE
			   : dp_budget_check(price->population->grant, subject, of_grant,
								 refusal);
}

/* Notes why a population's budgets do not suffice for the sum of its charges. */
static void
refuse_population(Decision *d, const DpPopulation *population, DpRefusal why,
				  const DpReply *refusal)
{
	uint32 i;

	for (i = 0; i < d->request->header.count; i++)
	{
		DpOutcome outcome = d->request->outcomes[i].outcome;

		if (d->prices[i].population == population &&
			(outcome == DP_OUTCOME_CHARGED || outcome == DP_OUTCOME_SHARED))
			refuse(d->request, i, why, refusal);
	}
}

/*
 * Fills the outcomes; false at the first refusal, unless all are wanted. Who may not
 * ask about a population is not shown its budgets.
 */
static bool
decide(Decision *d)
{
	DpStoreRequest *request = d->request;
	bool is_preview = request->header.kind == DP_REQUEST_PREVIEW;
	uint32 i;

	if (!check_charges(d, is_preview))
		return false;
	for (i = 0; i < request->header.count; i++)
	{
		const Price *price = &d->prices[i];
		DpReply refusal = {0};
		DpDemand of_role;
		DpDemand of_grant;
		DpRefusal why;

		if (price->population == NULL || seen_before(d, i))
			continue;
		of_role = sum_charges(d, price->population, false);
		of_grant = sum_charges(d, price->population, true);
		if (is_preview &&
			request->outcomes[i].refusal != DP_REFUSAL_NO_BUDGET &&
			request->outcomes[i].refusal != DP_REFUSAL_NOT_PROTECTED)
			dp_preview_budgets(request, price->population, price->asker,
							   of_role, of_grant);
		why = check_budgets(price, dp_rights_subject(request, i, NULL), of_role,
							of_grant, &refusal);
		if (why == DP_REFUSAL_NONE)
			continue;
		refuse_population(d, price->population, why, &refusal);
		if (!is_preview)
			return false;
	}
	return true;
}

static void
spend(DpBatch *batch, DpBudget *b, const DpDemand *asked)
{
	if (dp_cost_is_none(&asked->cost))
		return;
	b->spent = dp_cost_add(&b->spent, &asked->cost);
	dp_budgets_changed(batch, b);
}

/*
 * Records one charge: a row of the ledger and, once for all populations, the
 * question and the draw that answers it.
 */
static void
record(Decision *d, uint32 number, const char *role)
{
	DpStoreRequest *request = d->request;
	DpDrawing *drawing = &d->drawings[number];
	const Price *price = &d->prices[number];
	DpChargeRow row = {.budget_id = price->asker->budget_id,
					   .role = role,
					   .member_id = price->member_id,
					   .grant_paid = drawing->grant_pays};
	int64 charge_id = dp_rows_record(&request->charges[number], &row);

	request->outcomes[number].charge_id = charge_id;
	request->outcomes[number].payers = dp_budgets_payers(price->asker);
	if (request->charges[number].is_joint)
		return;
	if (drawing->first >= 0)
		drawing->claim = request->outcomes[drawing->first].claim;
	if (drawing->uses_draw)
		request->outcomes[number].claim =
			drawing->claim != 0 ? drawing->claim : charge_id;
	dp_repeats_record(request, number, row.budget_id, charge_id, drawing);
}

/* Writes what was decided. */
static void
pay(Decision *d)
{
	DpStoreRequest *request = d->request;
	const char *role = GetUserNameFromId(request->header.role, false);
	uint32 i;

	for (i = 0; i < request->header.count; i++)
	{
		const Price *price = &d->prices[i];
		DpDemand of_role;
		DpDemand of_grant;
		ListCell *cell;

		if (request->outcomes[i].outcome == DP_OUTCOME_CHARGED ||
			request->outcomes[i].outcome == DP_OUTCOME_SHARED)
		{
			dp_budgets_make_own(price->population, price->asker);
			record(d, i, role);
		}
		DP_STEP("ledger-written");
		if (seen_before(d, i))
			continue;
		of_role = sum_charges(d, price->population, false);
		of_grant = sum_charges(d, price->population, true);
		foreach (cell, price->asker->budgets)
			spend(d->batch, lfirst(cell), &of_role);
		spend(d->batch, price->population->grant, &of_grant);
	}
}

void
dp_decide(DpBatch *batch, DpStoreRequest *request)
{
	uint32 count = request->header.count;
	Decision d = {.batch = batch, .request = request};

	memset(request->outcomes, 0, count * sizeof(DpOutcomeEntry));
	memset(request->replays, 0, count * sizeof(char *));
	request->budget_count = 0;
	request->is_decided = false;
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(request->header.role)))
	{
		dp_reply_refuse(&request->reply, ERRCODE_UNDEFINED_OBJECT,
						"the role that pays does not exist");
		return;
	}
	d.prices = palloc0(count * sizeof(Price));
	d.drawings = palloc0(count * sizeof(DpDrawing));
	if (!decide(&d))
		return;
	request->is_decided = true;
	DP_STEP("decided");
	if (dp_store_reply_size(request) > request->slot->capacity)
		request->reply.needed = dp_store_reply_size(request);
	else if (request->header.kind == DP_REQUEST_CHARGE)
		pay(&d);
}
