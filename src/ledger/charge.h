/*
 * charge.h
 *		Charging from any backend.
 */
#ifndef DP_LEDGER_CHARGE_H
#define DP_LEDGER_CHARGE_H

#include "ledger/request.h"

/* What became of one charge. */
typedef struct DpChargeResult
{
	DpOutcome outcome;
	char *answer; /* replayed: the stored bytes, palloc'd */
	uint32 answer_size;
} DpChargeResult;

/*
 * Charges session_user for a statement's aggregates, all or none, on every
 * budget that applies, and returns when that is durable: whatever becomes of
 * the calling transaction, the charge stays.
 *
 * answers: per charge the bytes to store for replay (answer_size of them), or
 * NULL for all. dry_run: decide as if to charge, refusals and replays
 * included, but write nothing. results: count entries, set on return.
 * Writes nothing in this process: it may be called in read-only transactions
 * and in parallel mode, not in a parallel worker.
 *
 * Errors: configuration_limit_exceeded (budget, repeated question),
 * insufficient_privilege (no budget), object_not_in_prerequisite_state (not
 * preloaded, standby, relation not protected), insufficient_resources (no
 * slot or worker process), crash_shutdown (the worker ended: the charge may
 * have landed), query_canceled and the like (the charge may have landed).
 */
extern void dp_ledger_charge(const DpCharge *charges, uint32 count,
							 char *const *answers, bool dry_run,
							 DpChargeResult *results);

/* Starts the ledger's part of the module; called from _PG_init. */
extern void dp_ledger_init(void);

#endif
