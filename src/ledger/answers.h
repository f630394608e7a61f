/*
 * answers.h
 *		What happens to charges after they were made.
 */
#ifndef DP_LEDGER_ANSWERS_H
#define DP_LEDGER_ANSWERS_H

#include "ledger/budgets.h"
#include "ledger/store.h"

/*
 * Keeps the answers of a request to store, or marks its questions as given up,
 * and fills its reply. Of budgets only the failures are looked at: where they are
 * too many, no answer gets out.
 */
extern void dp_answers_apply(DpBatch *batch, DpStoreRequest *request);

#endif
