/*
 * limit.h
 *		How long the ledger worker works for one request.
 *
 * Everybody waits for the worker, and how much work a request is may be up to
 * whoever asks, or to an owner: in how many groups a role is, how many budgets
 * pay, how many relations are asked about. So each request has a limit. In a batch with others it is a short one:
 * who exceeds it spoils the transaction of all, which begins anew without that
 * request. It gets a turn of its own later (worker_slots.h), with a longer
 * limit; who exceeds that, too, is refused, and nothing of it is kept. There it
 * also ends when nobody waits for it any more.
 *
 * Between dp_limit_begin and dp_limit_end this raises query_canceled, at the
 * next interrupt check.
 */
#ifndef DP_LEDGER_LIMIT_H
#define DP_LEDGER_LIMIT_H

#include "ledger/store.h"

/* At the start of the process. */
extern void dp_limit_init(void);

/*
 * Begins a transaction: of a batch, or of one request alone. There is no limit
 * before the first is set.
 */
extern void dp_limit_begin(bool is_alone);

/* What follows is done for a request; with NULL, for all those of the batch. */
extern void dp_limit_set(const DpStoreRequest *request);

/* From here on the transaction runs to its end. May be called twice. */
extern void dp_limit_end(void);

/* Why a transaction was ended before its time. */
typedef enum DpLimitCause
{
	DP_LIMIT_NONE, /* it was not */
	DP_LIMIT_TIME,
	DP_LIMIT_ABANDONED /* by its requester */
} DpLimitCause;

/*
 * That of the last one. *slot: for whose request, or NULL if it is not known.
 */
extern DpLimitCause dp_limit_cause(const DpSlot **slot);

#endif
