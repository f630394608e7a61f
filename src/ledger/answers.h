/*
 * answers.h
 *		What happens to charges after they were made.
 */
#ifndef DP_LEDGER_ANSWERS_H
#define DP_LEDGER_ANSWERS_H

#include "ledger/budgets.h"
#include "ledger/rows.h"
#include "ledger/store.h"

/*
 * The relation whose budgets paid for an earlier charge, and its question. NULL,
 * with a reply, when it is not the one that was charged.
 */
extern DpPaidRelation *dp_answers_find_charge(DpBatch *batch,
											  DpStoreRequest *request,
											  uint32 number,
											  DpAskedQuestion *question);

/* Refuses to tell what became of a charge, since who pays has changed. */
extern void dp_answers_refuse_changed(DpReply *reply);

/*
 * Keeps the answers of a request to store, or marks its questions as given up,
 * and fills its reply. Of budgets only the failures are looked at: where they are
 * too many, no answer gets out.
 */
extern void dp_answers_apply(DpBatch *batch, DpStoreRequest *request);

#endif
