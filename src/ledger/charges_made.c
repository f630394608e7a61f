/*
 * charges_made.c
 *		Charges that were made earlier, found again.
 */
#include "postgres.h"

#include "utils/syscache.h"

#include "ledger/charges_made.h"
#include "ledger/reply.h"
#include "ledger/rows.h"

void
dp_charges_made_refuse(DpReply *reply)
{
	dp_reply_refuse(reply, ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
					"the population or role that a question was charged to has "
					"been changed meanwhile");
	dp_reply_detail(reply, "The question is charged; nothing was answered.");
	dp_reply_hint(reply, "Ask again.");
}

static bool
find_charge(DpBatch *batch, const DpStoreRequest *request, uint32 number,
			DpChargeMade *made)
{
	const DpCharge *charge = &request->charges[number];

	made->grant_paid = false;
	made->population = dp_budgets_find_population(batch, charge->population_id);
	if (made->population == NULL)
		return false;
	made->asker =
		dp_budgets_find_asker(batch, made->population, request->header.role);
	if (charge->charge_id == 0 && request->header.kind == DP_REQUEST_FAIL)
		return true; /* it failed before it was charged */
	return dp_rows_is_charge(charge, made->asker->budget_id, &made->grant_paid);
}

DpChargeMade *
dp_charges_made_find(DpBatch *batch, DpStoreRequest *request)
{
	uint32 count = request->header.count;
	DpChargeMade *result = palloc(Max(count, 1) * sizeof(DpChargeMade));
	bool is_known =
		SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(request->header.role));
	uint32 i;

	for (i = 0; i < count && is_known; i++)
		is_known = find_charge(batch, request, i, &result[i]);
	if (is_known)
		return result;
	dp_charges_made_refuse(&request->reply);
	return NULL;
}
