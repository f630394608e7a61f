/*
 * budget_check.h
 *		Whether a budget suffices for a statement, and the message if not.
 */
#ifndef DP_LEDGER_BUDGET_CHECK_H
#define DP_LEDGER_BUDGET_CHECK_H

#include "ledger/budgets.h"

/*
 * Why a budget does not suffice for these sums; the reply gets the message, about a
 * subject: the relation that was asked about.
 */
extern DpRefusal dp_budget_check(const DpBudget *b, const char *subject,
								 DpDemand asked, DpReply *reply);

#endif
