/*
 * decision.c
 *		The decision about a request.
 *
 * First, each charge by itself: is there a budget at all, was the question
 * asked before (ledger/repeats.h)? Charges for one question are replayed
 * together. Then, purse by purse, whether all budgets suffice for the sum. A
 * purse is the relation whose budgets pay: the relation in the question, or the
 * one named as its purse. For several relations with one purse, a question is
 * charged once. Who pays is determined here, under the locks, whatever the
 * asker assumed. Only after that, when nothing can be refused any more, is
 * anything written. A charge ends with the first refusal; a preview continues,
 * but reports the same error.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "ledger/budget_check.h"
#include "ledger/decision.h"
#include "ledger/preview.h"
#include "ledger/repeats.h"
#include "ledger/reply.h"
#include "ledger/rows.h"
#include "ledger/step.h"
#include "server/ownership.h"

/* Who pays for one charge. */
typedef struct Price
{
	const DpPaidRelation *relation; /* that is asked about */
	DpPaidRelation *purse; /* the relation whose budgets pay; NULL: none */
	bool is_paid;		   /* by an earlier charge for the same question */
	List *budgets;		   /* that pay */
	TimestampTz since;	   /* repeated questions count */
	bool is_chain_paid;	   /* for its chain of answers the total has paid */
} Price;

/* True when an earlier charge of the request is on the same purse. */
static bool
seen_before(const Price *prices, uint32 number)
{
	uint32 i;

	for (i = 0; i < number; i++)
	{
		if (prices[i].purse == prices[number].purse)
			return true;
	}
	return false;
}

/*
 * True when an earlier charge is for the same question, on the same purse. One
 * through a view is the total's alone, so it does not pay for one that the
 * purse's roles pay, too.
 */
static bool
paid_before(const DpStoreRequest *request, const Price *prices, uint32 number)
{
	uint32 i;

	for (i = number; i > 0 && request->charges[i].is_joint; i--)
	{
		if (prices[i - 1].purse == prices[number].purse &&
			request->charges[i - 1].through_view ==
				request->charges[number].through_view)
			return true;
	}
	return false;
}

/*
 * A statement means what the settings said when it was planned. The relation's
 * lock is held, so they are compared with what all will find from now on.
 */
static DpRefusal
check_settings(const DpCharge *charge, const DpPaidRelation *relation,
			   DpReply *refusal)
{
	if (charge->settings_version == 0 ||
		charge->settings_version == relation->settings_version)
		return DP_REFUSAL_NONE;
	dp_reply_refuse(refusal, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					"the protection of \"%s\" was changed after the statement "
					"was planned",
					get_rel_name(relation->oid));
	dp_reply_hint(refusal, "Nothing was charged. Ask again.");
	return DP_REFUSAL_CHANGED;
}

/* The budgets among these that are totals. */
static List *
totals_of(List *budgets)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, budgets)
	{
		if (((const DpBudget *) lfirst(cell))->role_id == 0)
			result = lappend(result, lfirst(cell));
	}
	return result;
}

/* Finds the purse that a charge goes to; says why there is none. */
static DpRefusal
find_purse(DpBatch *batch, const DpCharge *charge, Price *price,
		   DpReply *refusal)
{
	DpPaidRelation *relation =
		dp_budgets_find_relation(batch, charge->relation);
	DpRefusal why;

	if (relation == NULL)
	{
		dp_reply_refuse(refusal, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
						"relation is not protected by dp_noise");
		dp_reply_hint(refusal,
					  "The owner protects a relation with dp_noise.protect().");
		return DP_REFUSAL_NOT_PROTECTED;
	}
	price->relation = relation;
	why = check_settings(charge, relation, refusal);
	if (why != DP_REFUSAL_NONE)
		return why;
	price->purse = dp_budgets_find_purse(batch, relation);
	if (price->purse != NULL)
		return DP_REFUSAL_NONE;
	dp_reply_refuse(refusal, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					"the relation whose budgets pay for \"%s\" is not "
					"protected, or not of the same owner",
					get_rel_name(charge->relation));
	dp_reply_hint(refusal,
				  "The owner protects it again, or \"%s\" with another "
				  "budget_of.",
				  get_rel_name(charge->relation));
	return DP_REFUSAL_NOT_PROTECTED;
}

/* The question of a charge; role_id 0: of a role that has no number yet. */
static DpAskedQuestion
question_of(const Price *price, const DpPayer *role, const DpCharge *charge)
{
	return (DpAskedQuestion){price->relation->relation_id, role->role_id,
							 charge->fingerprint};
}

/*
 * A preview costs nothing, so to those who may not read the ledger it does not
 * say whether somebody else has asked the same: they hear what the total would
 * pay if nobody had, which it does at most.
 */
static bool
may_hear_of_chain(const DpStoreRequest *request, const Price *price,
				  const DpPayer *role)
{
	return request->header.kind != DP_REQUEST_PREVIEW ||
		   dp_is_owner(price->purse->oid, role->oid);
}

/* Finds who pays for a charge; says why it is refused, by itself. */
static DpRefusal
check_charge(DpBatch *batch, DpStoreRequest *request, uint32 number,
			 DpPayer *role, Price *prices, DpReply *refusal)
{
	Price *price = &prices[number];
	DpAskedQuestion question;
	bool has_own;
	DpOnRepeat rule;
	DpRefusal why =
		find_purse(batch, &request->charges[number], price, refusal);

	if (why != DP_REFUSAL_NONE)
		return why;
	price->is_paid = paid_before(request, prices, number);
	price->budgets = dp_budgets_that_pay(batch, price->purse, role, &has_own);
	if (request->charges[number].through_view)
	{
		price->budgets = totals_of(price->budgets);
		price->since = DT_NOBEGIN;
		return DP_REFUSAL_NONE;
	}
	if (!has_own && !dp_is_owner(price->purse->oid, role->oid))
	{
		dp_reply_refuse(refusal, ERRCODE_INSUFFICIENT_PRIVILEGE,
						"role \"%s\" has no privacy budget for \"%s\"",
						GetUserNameFromId(role->oid, true),
						get_rel_name(price->purse->oid));
		dp_reply_hint(refusal,
					  "The owner grants one with dp_noise.set_budget().");
		price->budgets = NIL; /* nor is it shown the total */
		return DP_REFUSAL_NO_BUDGET;
	}
	question = question_of(price, role, &request->charges[number]);
	rule = dp_budgets_repeat_rule(price->budgets, role, &price->since);
	why = dp_repeats_check(request, number, question, rule, price->since,
						   refusal);
	if (rule == DP_ON_REPEAT_ANSWER)
		price->since = DT_NOBEGIN; /* under another rule they would count */
	if (why == DP_REFUSAL_NONE && request->charges[number].has_chain &&
		request->outcomes[number].outcome == DP_OUTCOME_CHARGED &&
		may_hear_of_chain(request, price, role))
		why =
			dp_repeats_find_chain(request, number, price->relation->relation_id,
								  dp_budgets_total_since(price->budgets),
								  &price->is_chain_paid, refusal);
	return why;
}

/*
 * Sum of what a request newly charges on one purse: a role's budget, or the
 * total, which pays for a chain of answers once and for all roles.
 */
static DpAsked
sum_charges(const DpStoreRequest *request, const Price *prices,
			const DpPaidRelation *purse, bool is_total)
{
	DpAsked asked = {.least_epsilon = dp_amount_greatest()};
	const DpAmount nothing = {0};
	uint32 i;

	for (i = 0; i < request->header.count; i++)
	{
		const DpCharge *charge = &request->charges[i];
		DpPrivacyCost cost = charge->cost;
		DpAmount epsilon = charge->asked;

		if (prices[i].purse != purse || prices[i].is_paid ||
			(charge->through_view && !is_total) ||
			request->outcomes[i].outcome != DP_OUTCOME_CHARGED)
			continue;
		if (dp_amount_compare(charge->asked, asked.least_epsilon) < 0)
			asked.least_epsilon = charge->asked;
		if (is_total && charge->has_chain)
		{
			cost.epsilon =
				prices[i].is_chain_paid ? nothing : charge->chain_epsilon;
			cost.rho = prices[i].is_chain_paid ? nothing : charge->chain_rho;
			epsilon = cost.epsilon;
		}
		asked.cost = dp_cost_add(&asked.cost, &cost);
		asked.epsilon = dp_amount_add(asked.epsilon, epsilon);
	}
	return asked;
}

/* Why one of a purse's budgets does not bear the sum of its charges. */
static DpRefusal
check_budgets(const Price *price, DpAsked of_role, DpAsked of_total,
			  DpReply *refusal)
{
	ListCell *cell;

	foreach (cell, price->budgets)
	{
		const DpBudget *b = lfirst(cell);
		DpAsked asked = b->role_id == 0 ? of_total : of_role;
		DpRefusal why;

		if (dp_cost_is_none(&asked.cost))
			continue;
		why = dp_budget_check(b, price->purse, asked, refusal);
		if (why != DP_REFUSAL_NONE)
			return why;
	}
	return DP_REFUSAL_NONE;
}

/* The first charge of those for one question. */
static uint32
first_joint(const DpStoreRequest *request, uint32 number)
{
	while (number > 0 && request->charges[number].is_joint)
		number--;
	return number;
}

/* True when an earlier charge of the request newly pays for the same chain. */
static bool
is_chain_paid_before(const DpStoreRequest *request, const Price *prices,
					 uint32 number)
{
	const DpCharge *charge = &request->charges[number];
	uint32 i;

	for (i = 0; i < number; i++)
	{
		const DpCharge *other = &request->charges[i];

		if (other->has_chain && !other->through_view &&
			request->outcomes[i].outcome == DP_OUTCOME_CHARGED &&
			prices[i].relation == prices[number].relation &&
			memcmp(other->chain, charge->chain, sizeof(charge->chain)) == 0)
			return true;
	}
	return false;
}

/*
 * A statement may ask one question at several levels, which are of one chain. A
 * relation that is read through a view has no chain of its own: its total pays
 * when the view's does.
 */
static void
join_chains(const DpStoreRequest *request, Price *prices)
{
	uint32 i;

	for (i = 0; i < request->header.count; i++)
	{
		if (!request->charges[i].has_chain)
			continue;
		if (request->charges[i].through_view)
			prices[i].is_chain_paid =
				prices[first_joint(request, i)].is_chain_paid;
		else if (is_chain_paid_before(request, prices, i))
			prices[i].is_chain_paid = true;
	}
}

/*
 * The price by which a charge's purse pays for the statement: that of a
 * charge which its roles pay, too, where there is one.
 */
static const Price *
price_of(const DpStoreRequest *request, const Price *prices, uint32 number)
{
	uint32 i;

	for (i = number; i < request->header.count; i++)
	{
		if (prices[i].purse == prices[number].purse &&
			!request->charges[i].through_view)
			return &prices[i];
	}
	return &prices[number];
}

/* The budgets among which those of the role are that pays by a price. */
static List *
budgets_of_role(const DpStoreRequest *request, const Price *prices,
				const Price *price)
{
	uint32 number = (uint32) (price - prices);

	if (request->charges[number].through_view)
		number = first_joint(request, number);
	return prices[number].budgets;
}

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

/* Notes why a purse's budgets do not suffice for the sum of its charges. */
static void
refuse_purse(DpStoreRequest *request, const Price *prices,
			 const DpPaidRelation *purse, DpRefusal why, const DpReply *refusal)
{
	uint32 i;

	for (i = 0; i < request->header.count; i++)
	{
		if (prices[i].purse == purse &&
			request->outcomes[i].outcome == DP_OUTCOME_CHARGED)
			refuse(request, i, why, refusal);
	}
}

/* Fills the outcomes; false at the first refusal, unless all are wanted. */
static bool
decide(DpBatch *batch, DpStoreRequest *request, DpPayer *role, Price *prices)
{
	bool is_preview = request->header.kind == DP_REQUEST_PREVIEW;
	uint32 i;

	for (i = 0; i < request->header.count; i++)
	{
		DpReply refusal = {0};
		DpRefusal why = check_charge(batch, request, i, role, prices, &refusal);

		if (why == DP_REFUSAL_NONE)
			continue;
		refuse(request, i, why, &refusal);
		if (!is_preview)
			return false;
	}
	dp_repeats_join(request);
	join_chains(request, prices);
	for (i = 0; i < request->header.count; i++)
	{
		const Price *price = price_of(request, prices, i);
		DpReply refusal = {0};
		DpAsked of_role;
		DpAsked of_total;
		DpRefusal why;

		if (prices[i].purse == NULL || seen_before(prices, i))
			continue;
		of_role = sum_charges(request, prices, prices[i].purse, false);
		of_total = sum_charges(request, prices, prices[i].purse, true);
		if (is_preview)
			dp_preview_budgets(request, role, price->purse, price->budgets,
							   budgets_of_role(request, prices, price), of_role,
							   of_total);
		why = check_budgets(price, of_role, of_total, &refusal);
		if (why == DP_REFUSAL_NONE)
			continue;
		refuse_purse(request, prices, prices[i].purse, why, &refusal);
		if (!is_preview)
			return false;
	}
	return true;
}

/* The row of the ledger of the charge that has paid for this one. */
static int64
find_paid(const DpStoreRequest *request, uint32 number, const Price *prices)
{
	uint32 payer = number;

	do
		payer--;
	while (prices[payer].purse != prices[number].purse ||
		   request->charges[payer].through_view !=
			   request->charges[number].through_view);
	return request->outcomes[payer].ledger_id;
}

/*
 * Records one charge: a ledger row, one for each purse and, for the repeat
 * rule, the question about the relation, which waits for its answer from now
 * on; so does the chain that the total pays for here.
 */
static void
record(DpStoreRequest *request, uint32 number, const Price *prices,
	   const DpPayer *role)
{
	const Price *price = &prices[number];
	const DpCharge *charge = &request->charges[number];
	DpAskedQuestion question = question_of(price, role, charge);
	int64 ledger_id = price->is_paid ? find_paid(request, number, prices)
									 : dp_rows_record(price->purse->relation_id,
													  question, charge);

	if (!charge->through_view)
		dp_rows_await_answer(question, ledger_id, price->since);
	if (charge->has_chain && !charge->through_view && !price->is_chain_paid)
		dp_rows_await_chain(
			(DpAskedQuestion){question.relation_id, 0, charge->chain},
			ledger_id);
	request->outcomes[number].ledger_id = ledger_id;
	request->outcomes[number].payers = dp_budgets_payers(price->budgets);
}

/* Writes what was decided. */
static void
pay(DpStoreRequest *request, DpPayer *role, const Price *prices)
{
	uint32 i;

	if (role->role_id == 0)
		dp_budgets_number(role);
	for (i = 0; i < request->header.count; i++)
	{
		DpAsked of_role;
		DpAsked of_total;
		ListCell *cell;

		if (request->outcomes[i].outcome == DP_OUTCOME_CHARGED)
			record(request, i, prices, role);
		DP_STEP("ledger-written");
		if (seen_before(prices, i))
			continue;
		of_role = sum_charges(request, prices, prices[i].purse, false);
		of_total = sum_charges(request, prices, prices[i].purse, true);
		foreach (cell, price_of(request, prices, i)->budgets)
		{
			DpBudget *b = lfirst(cell);
			DpAsked asked = b->role_id == 0 ? of_total : of_role;

			b->spent = dp_cost_add(&b->spent, &asked.cost);
			b->dirty = true;
		}
	}
}

void
dp_decide(DpBatch *batch, DpStoreRequest *request)
{
	uint32 count = request->header.count;
	DpPayer *role;
	Price *prices;

	memset(request->outcomes, 0, count * sizeof(DpOutcomeEntry));
	request->budget_count = 0;
	request->is_decided = false;
	role =
		SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(request->header.role))
			? dp_budgets_find_payer(batch, request->header.role)
			: NULL;
	if (request->header.kind == DP_REQUEST_NUMBER)
	{
		if (role != NULL && role->role_id == 0)
			dp_budgets_number(role);
		request->reply.role_number = role != NULL ? role->role_id : 0;
		return;
	}
	if (role == NULL)
	{
		dp_reply_refuse(&request->reply, ERRCODE_UNDEFINED_OBJECT,
						"the role that pays does not exist");
		return;
	}
	prices = palloc0(count * sizeof(Price));
	if (!decide(batch, request, role, prices))
		return;
	request->is_decided = true;
	DP_STEP("decided");
	if (dp_store_reply_size(request) > request->slot->capacity)
		request->reply.needed = dp_store_reply_size(request);
	else if (request->header.kind == DP_REQUEST_CHARGE)
		pay(request, role, prices);
}
