/*
 * failures.c
 *		Counts questions that failed.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/lsyscache.h"

#include "ledger/answers.h"
#include "ledger/failures.h"

bool
dp_failures_are_too_many(const DpBudget *budget)
{
	return budget->role_id != 0 && budget->failures_limited &&
		   budget->failures >= budget->max_failures;
}

/* One more on each budget that pays; totals alone where a view's roles do. */
static void
count_on(List *budgets, bool of_total_alone)
{
	ListCell *cell;

	foreach (cell, budgets)
	{
		DpBudget *b = lfirst(cell);

		if (of_total_alone && b->role_id != 0)
			continue;
		b->failures++;
		b->dirty = true;
	}
}

void
dp_failures_count(DpBatch *batch, DpStoreRequest *request)
{
	uint32 i;

	for (i = 0; i < request->header.count; i++)
	{
		DpAskedQuestion question;
		DpPaidRelation *purse =
			dp_answers_find_charge(batch, request, i, &question);
		DpPayer *role = dp_budgets_find_payer(batch, request->header.role);
		bool has_own;

		if (purse == NULL || role == NULL)
			return;
		count_on(dp_budgets_that_pay(batch, purse, role, &has_own),
				 request->charges[i].through_view);
		ereport(LOG,
				(errmsg("a question of role \"%s\" about \"%s\" is counted "
						"as failed",
						GetUserNameFromId(role->oid, true),
						get_rel_name(request->charges[i].relation)),
				 errdetail("Whether it fails may depend on rows; see "
						   "max_failures of dp_noise.set_budget.")));
	}
	request->is_decided = true;
}
