/*
 * failures.h
 *		Questions that failed, counted on the budgets that paid.
 *
 * Whether a question fails for want of memory, or of anything else, may depend
 * on the rows that match, and an asker who limits a resource learns a bit so.
 * It is charged, but what it tells is no answer with noise, whose price would
 * bound it. So failures are counted, and after a few of them (max_failures of
 * dp_noise.set_budget) the budget pays for nothing more until its owner says
 * dp_noise.forgive(). A relation's total counts them, too, and refuses nothing:
 * one role could otherwise stop all.
 */
#ifndef DP_LEDGER_FAILURES_H
#define DP_LEDGER_FAILURES_H

#include "ledger/budgets.h"
#include "ledger/store.h"

/* Counts a failure of earlier charges. The worker holds the relations' locks. */
extern void dp_failures_count(DpBatch *batch, DpStoreRequest *request);

/* Whether a budget pays for nothing more because of failures. */
extern bool dp_failures_are_too_many(const DpBudget *budget);

#endif
