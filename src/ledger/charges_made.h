/*
 * charges_made.h
 *		Charges that were made earlier, found again.
 */
#ifndef DP_LEDGER_CHARGES_MADE_H
#define DP_LEDGER_CHARGES_MADE_H

#include "ledger/budgets.h"
#include "ledger/store.h"

/* Who paid for a charge. */
typedef struct DpChargeMade
{
	DpPopulation *population;
	DpAsker *asker;
	bool grant_paid;
} DpChargeMade;

/*
 * Finds the charges of a request, by count; palloc'd. NULL, with a reply, when one
 * is not the one that was made, or its population is dropped. Of a failure before
 * the charge there is none to be found, but those who would have paid.
 */
extern DpChargeMade *dp_charges_made_find(DpBatch *batch,
										  DpStoreRequest *request);

/* Refuses to tell what became of a charge, since who pays has changed. */
extern void dp_charges_made_refuse(DpReply *reply);

#endif
