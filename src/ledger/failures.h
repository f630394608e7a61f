/*
 * failures.h
 *		Questions that failed, counted on the budgets that paid.
 *
 * Whether a question fails for want of memory, or of anything else, may depend
 * on the rows that match, and an asker who limits a resource learns a bit so.
 * It is charged, but what it tells is no answer with noise, whose price would
 * bound it. So failures are counted, and after a few of them (max_failures of
 * dp_noise.set_budget) the budget pays for nothing more until its owner says
 * dp_noise.forgive(). A population's grant counts them, too, and refuses nothing:
 * one role could otherwise stop all.
 */
#ifndef DP_LEDGER_FAILURES_H
#define DP_LEDGER_FAILURES_H

#include "ledger/charges_made.h"

/*
 * Counts a failure of earlier charges: on all the budgets that paid, or on none.
 * It is refused where one of them has too many already, as are the answers to
 * questions that were under way then (dp_failures_allow_charge). So of questions
 * that were asked at once, no more than max_failures tell that they failed: the
 * others end with one message, whatever became of them. The worker holds the
 * populations' locks.
 */
extern void dp_failures_count(DpBatch *batch, DpStoreRequest *request);

/*
 * Whether a budget still pays, or lets an answer out, after its failures. If not,
 * the reply says so, about a subject: what was asked about, or its population.
 * is_charged: the question is.
 */
extern bool dp_failures_allow(const DpBudget *budget, const char *subject,
							  bool is_charged, DpReply *reply);

/*
 * The same for all budgets of roles that paid for a charge that was made. Not if
 * others would pay now: members of a group could leave it, and come back, to fail
 * where the group's budget does not count it.
 */
extern bool dp_failures_allow_charge(DpStoreRequest *request, uint32 number,
									 const DpChargeMade *made);

#endif
