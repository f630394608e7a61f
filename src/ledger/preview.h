/*
 * preview.h
 *		What a role may know about the budgets from which it would pay.
 */
#ifndef DP_LEDGER_PREVIEW_H
#define DP_LEDGER_PREVIEW_H

#include "ledger/budgets.h"
#include "ledger/store.h"

/*
 * Adds a relation's budgets to the reply of a preview, with what the statement
 * asks of those of roles and of the total. own: the budgets among which those of
 * the role are; of a relation that is read through a view, the view's.
 */
extern void dp_preview_budgets(DpStoreRequest *request, DpPayer *role,
							   DpPaidRelation *relation, List *budgets,
							   List *own, DpAsked of_role, DpAsked of_total);

#endif
