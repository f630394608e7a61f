/*
 * charge.h
 *		Charging from any backend.
 */
#ifndef DP_LEDGER_CHARGE_H
#define DP_LEDGER_CHARGE_H

#include "ledger/request.h"

/* What is asked of the ledger at once. */
typedef struct DpAsk
{
	const DpCharge *charges;
	uint32 count;
	const DpAskedRelation *relations; /* that the charges are about */
	uint32 relation_count; /* may be 0 of charges made before: for messages */
} DpAsk;

/* What became of one charge. */
typedef struct DpChargeResult
{
	DpOutcome outcome;
	int64 charge_id; /* charged, shared: the row of the ledger */
	int64 claim; /* charged: to be noted in it, for its answer; see request.h */
	uint64 payers;	/* charged, shared: the same */
	TimestampTz at; /* replayed, shared: when the answer was stored */

	/*
	 * Replayed, shared: the stored bytes, palloc'd; of a question with levels
	 * those of its level. Else NULL, as for a selection of groups, and for what
	 * is shared when it is only tried.
	 */
	char *answer;
	uint32 answer_size;
} DpChargeResult;

/* What would become of one charge. */
typedef struct DpChargePreview
{
	DpOutcome outcome;
	DpRefusal refusal; /* why, where that is DP_OUTCOME_REFUSED */
	TimestampTz at;	   /* replayed, shared: when the answer was stored */
} DpChargePreview;

/* What dp_ledger_charge would do now. */
typedef struct DpPreview
{
	int sqlstate;	   /* of the error that it would raise; 0: none */
	char message[256]; /* of that error; else empty */
	char detail[512];
	char hint[256];
	uint32 charge_count; /* 0: nothing could be decided; the error says why */
	DpChargePreview *charges; /* palloc'd, one a charge */
	uint32 budget_count;
	DpPreviewBudget *budgets; /* palloc'd, of all populations; see request.h */
} DpPreview;

/*
 * Charges session_user for a statement's aggregates, all or none, on every
 * budget that applies, and returns when that is durable: whatever happens to
 * the calling transaction, the charge stays. What it pays for may be read only
 * after that. On a standby, where nothing can be charged, it succeeds only if
 * all of them are replayed.
 *
 * results: count entries, set on return. Writes nothing in this process: it
 * may be called in read-only transactions and in parallel mode, not in a
 * parallel worker.
 *
 * Errors: configuration_limit_exceeded (budget, repeated question),
 * insufficient_privilege (no budget), object_not_in_prerequisite_state (not
 * preloaded, standby, relation not protected), insufficient_resources (no
 * slot or worker process), crash_shutdown (the worker ended: the charge may
 * have landed), query_canceled and the like (the charge may have landed).
 */
extern void dp_ledger_charge(const DpAsk *ask, DpChargeResult *results);

/* Notes in a charge that it was made, before its answer is stored or given up. */
extern void dp_ledger_note(DpCharge *charge, const DpChargeResult *result);

/*
 * Decides as dp_ledger_charge, refusals and replays included, and writes
 * nothing. What would be shared is told without its bytes.
 */
extern void dp_ledger_try(const DpAsk *ask, DpChargeResult *results);

/*
 * Stores the answers to earlier charges for replay; to be called before the
 * answers are returned, for those that were CHARGED. The session's user and the
 * charges' population, fingerprint, draw, charge_id and claim must be those
 * of the charge, and no answer stored yet.
 *
 * answers: for each charge its bytes (answer_size of them; for a question with
 * levels the whole chain); NULL if it is not to be replayed. results: if
 * somebody else has stored an answer of the same draw meanwhile, its bytes (of
 * its level), which must be returned instead of the other; otherwise without an
 * answer. That never happens to no_replay. On return the answers are stored for
 * all later questions; a crash of the server within a second may lose them, and
 * then the questions count as asked.
 *
 * Errors: as dp_ledger_charge, and lock_not_available after 30 s.
 */
extern void dp_ledger_store(const DpAsk *ask, char *const *answers,
							DpChargeResult *results);

/*
 * Reports that nobody has seen an answer to these charges, nor will: the
 * questions may be asked again, for a new charge. The charges stay. Does
 * nothing where an answer is stored. Errors: as dp_ledger_store.
 */
extern void dp_ledger_give_up(const DpAsk *ask);

/*
 * Reports that a statement ended without answers to charges that were made, in an
 * error that may depend on rows: each population's budgets that paid count it. To
 * be called with one charge a population, also where there is no memory; its
 * relations are not needed. If all count it, durably, the reply's sqlstate is 0.
 * Otherwise it says why not, as dp_ledger_store would now refuse an answer: the
 * asker must hear that instead of the error, so that nothing is told that is not
 * counted (of many populations, some may have counted it). Errors: query_canceled
 * and the like, which the asker must hear instead, too.
 */
extern void dp_ledger_fail(const DpAsk *ask, DpReply *reply);

/* Raises what a reply says, if that is a refusal. */
extern void dp_ledger_report(const DpReply *reply);

/*
 * Tells what dp_ledger_charge would do, and from which budgets, and writes
 * nothing: a refusal becomes part of the preview, not an error. The session's
 * user is shown its own budgets, those that its groups share, and as much of a
 * population's grant as dp_budget shows; owner and superuser are shown all of
 * it.
 *
 * Errors: insufficient_resources (no slot or worker process), query_canceled
 * and the like.
 */
extern void dp_ledger_preview(const DpAsk *ask, DpPreview *preview);

/* Starts the ledger's part of the module; called from _PG_init. */
extern void dp_ledger_init(void);

#endif
