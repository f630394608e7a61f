/*
 * failures.c
 *		Counts questions that failed.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "ledger/failures.h"
#include "ledger/reply.h"

bool
dp_failures_allow(const DpBudget *budget, const char *subject, bool is_charged,
				  DpReply *reply)
{
	if (!OidIsValid(budget->role) || !budget->failures_limited ||
		budget->failures < budget->max_failures)
		return true;
	dp_reply_refuse(reply, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
					"too many questions about \"%s\" have failed", subject);
	dp_reply_detail(
		reply, "%d failed in a way that may depend on rows; %s allows %d.",
		budget->failures, budget->shared ? "a shared budget" : "your budget",
		budget->max_failures);
	if (is_charged)
		dp_reply_hint(reply, "The question was charged before, and is not "
							 "answered.");
	else
		dp_reply_hint(
			reply,
			"Nothing was charged. Ask the owner to remove the cause, which "
			"the server's log has, and then to call dp_noise.forgive().");
	return false;
}

bool
dp_failures_allow_charge(DpStoreRequest *request, uint32 number,
						 const DpChargeMade *made)
{
	const DpCharge *charge = &request->charges[number];
	bool is_charged = charge->charge_id != 0;
	ListCell *cell;

	if (is_charged && charge->payers != dp_budgets_payers(made->asker))
	{
		dp_charges_made_refuse(&request->reply);
		return false;
	}
	foreach (cell, made->asker->budgets)
	{
		/* The same words for an answer and a failure, which names no relation. */
		if (!dp_failures_allow(lfirst(cell), made->population->name, is_charged,
							   &request->reply))
			return false;
	}
	return true;
}

static void
count_on(DpBatch *batch, DpBudget *budget)
{
	budget->failures++;
	dp_budgets_changed(batch, budget);
}

void
dp_failures_count(DpBatch *batch, DpStoreRequest *request)
{
	uint32 count = request->header.count;
	DpChargeMade *made = dp_charges_made_find(batch, request);
	uint32 i;

	if (made == NULL)
		return;
	for (i = 0; i < count; i++)
	{
		if (!dp_failures_allow_charge(request, i, &made[i]))
			return;
	}
	for (i = 0; i < count; i++)
	{
		ListCell *cell;

		foreach (cell, made[i].asker->budgets)
			count_on(batch, lfirst(cell));
		count_on(batch, made[i].population->grant);
		ereport(LOG,
				(errmsg("a question of role \"%s\" about population \"%s\" is "
						"counted as failed",
						GetUserNameFromId(request->header.role, true),
						made[i].population->name),
				 errdetail("Whether it fails may depend on rows; see "
						   "max_failures of dp_noise.set_budget.")));
	}
	request->is_decided = true;
}
