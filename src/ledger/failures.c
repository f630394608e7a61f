/*
 * failures.c
 *		Counts questions that failed.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/lsyscache.h"

#include "ledger/answers.h"
#include "ledger/failures.h"
#include "ledger/reply.h"

bool
dp_failures_allow(const DpBudget *budget, const DpPaidRelation *relation,
				  bool is_charged, DpReply *reply)
{
	if (budget->role_id == 0 || !budget->failures_limited ||
		budget->failures < budget->max_failures)
		return true;
	dp_reply_refuse(reply, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
					"too many questions about \"%s\" have failed",
					get_rel_name(relation->oid));
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

/*
 * The budgets that would pay for a charge now: through a view, totals alone. Those
 * of roles are the ones that have paid, or nothing is told of the charge.
 */
static List *
budgets_that_pay(DpBatch *batch, DpStoreRequest *request, uint32 number,
				 DpPaidRelation *purse)
{
	DpPayer *role = dp_budgets_find_payer(batch, request->header.role);
	List *result = NIL;
	bool has_own;
	ListCell *cell;

	foreach (cell, dp_budgets_that_pay(batch, purse, role, &has_own))
	{
		const DpBudget *b = lfirst(cell);

		if (b->role_id == 0 || !request->charges[number].through_view)
			result = lappend(result, lfirst(cell));
	}
	return result;
}

bool
dp_failures_allow_charge(DpBatch *batch, DpStoreRequest *request, uint32 number,
						 DpPaidRelation *purse)
{
	const DpCharge *charge = &request->charges[number];
	bool is_charged = charge->ledger_id != 0;
	List *budgets = budgets_that_pay(batch, request, number, purse);
	ListCell *cell;

	if (is_charged && charge->payers != dp_budgets_payers(budgets))
	{
		dp_answers_refuse_changed(&request->reply);
		return false;
	}
	foreach (cell, budgets)
	{
		if (!dp_failures_allow(lfirst(cell), purse, is_charged,
							   &request->reply))
			return false;
	}
	return true;
}

static void
count_charge(DpBatch *batch, DpStoreRequest *request, uint32 number,
			 DpPaidRelation *purse)
{
	ListCell *cell;

	foreach (cell, budgets_that_pay(batch, request, number, purse))
	{
		DpBudget *b = lfirst(cell);

		b->failures++;
		b->dirty = true;
	}
	ereport(
		LOG,
		(errmsg("a question of role \"%s\" about \"%s\" is counted as failed",
				GetUserNameFromId(request->header.role, true),
				get_rel_name(request->charges[number].relation)),
		 errdetail("Whether it fails may depend on rows; see max_failures of "
				   "dp_noise.set_budget.")));
}

void
dp_failures_count(DpBatch *batch, DpStoreRequest *request)
{
	uint32 count = request->header.count;
	DpPaidRelation **purses = palloc(Max(count, 1) * sizeof(DpPaidRelation *));
	DpAskedQuestion question;
	uint32 i;

	for (i = 0; i < count; i++)
	{
		purses[i] = dp_answers_find_charge(batch, request, i, &question);
		if (purses[i] == NULL)
			return;
	}
	for (i = 0; i < count; i++)
	{
		if (!dp_failures_allow_charge(batch, request, i, purses[i]))
			return;
	}
	for (i = 0; i < count; i++)
		count_charge(batch, request, i, purses[i]);
	request->is_decided = true;
}
