/*
 * preview.h
 *		What a role may know about the budgets from which it would pay.
 */
#ifndef DP_LEDGER_PREVIEW_H
#define DP_LEDGER_PREVIEW_H

#include "ledger/budgets.h"
#include "ledger/store.h"

/*
 * Adds a population's budgets to the reply of a preview, with what the statement
 * asks of those of roles and of the grant.
 */
extern void dp_preview_budgets(DpStoreRequest *request,
							   const DpPopulation *population,
							   const DpAsker *asker, DpDemand of_role,
							   DpDemand of_grant);

#endif
