/*
 * decision.h
 *		Whether a request is granted, and the rows that it leaves.
 */
#ifndef DP_LEDGER_DECISION_H
#define DP_LEDGER_DECISION_H

#include "ledger/budgets.h"
#include "ledger/store.h"

/* Decides about a request, fills its reply and, if it is to be charged and not
 * refused, charges it: rows of the ledger, and sums in the batch's budgets. */
extern void dp_decide(DpBatch *batch, DpStoreRequest *request);

#endif
