/*
 * store.h
 *		Charges as rows: reads budgets, decides, writes.
 *
 * Runs in the ledger worker, inside its transaction; ledger/budgets.h says how
 * budgets are read, remembered and written back.
 */
#ifndef DP_LEDGER_STORE_H
#define DP_LEDGER_STORE_H

#include "ledger/slots.h"

/* A request as the worker sees it, and the reply it is building. */
typedef struct DpStoreRequest
{
	DpSlot *slot;
	MemoryContext context; /* lives until the reply is written */
	bool unreadable;	   /* reply says why */
	dsm_segment *segment;  /* or NULL */
	char *bytes;		   /* request, later reply, in shared memory */
	DpRequest header;	   /* copies: shared memory may not change them */
	DpCharge *charges;
	DpAskedRelation *relations; /* that these are about */
	char **answers;				/* to store, one per charge, or NULL */
	DpReply reply;
	bool is_blocked;   /* others hold a lock it needs; the reply says so */
	bool is_undecided; /* for ever: the reply has the error */
	bool is_aside;	   /* is not applied now: it takes too long among others */
	bool is_decided;   /* outcomes are valid */
	DpOutcomeEntry *outcomes;
	char **replays; /* stored answers, one per charge, or NULL */
	uint32 budget_count;
	DpPreviewBudget *budgets; /* for a preview */
} DpStoreRequest;

/* Copies a request out of its slot. */
extern void dp_store_attach(DpStoreRequest *request, DpSlot *slot);

/*
 * Applies requests: each lands whole, or is refused with a reply that says so,
 * or is blocked, with the reply to refuse it if it shall not wait any longer.
 * Those that stand aside are left out. Each has its limit (limit.h). Raises an
 * error only for what refuses the whole batch.
 */
extern void dp_store_apply(DpStoreRequest *requests, int count);

/*
 * Whether what a reply says must be on disk before it is used. A preview charges
 * nothing and has no answers; failures, of which it may tell, are on disk before. Answers that are stored go out when they can be
 * replayed: in a crash a question whose answer is lost is one that was asked and
 * charged, and whoever has seen the answer is no better off (answers.c).
 */
extern bool dp_store_must_last(const DpStoreRequest *request);

/* At the start of a worker, in a transaction: notices where the ledger is. */
extern void dp_store_begin(void);

/* To be called when the transaction of dp_store_apply is committed. */
extern void dp_store_committed(void);

/* Turns an error into the request's reply. */
extern void dp_store_fail(DpStoreRequest *request, const ErrorData *error);

/* The reply to a request that took longer than the worker has time for. */
extern void dp_store_refuse_slow(DpStoreRequest *request);

/* Room that the reply of a decided request takes. */
extern Size dp_store_reply_size(const DpStoreRequest *request);

/* Writes the reply into the slot or its segment, and lets go of it. */
extern void dp_store_reply(DpStoreRequest *request);

/* Lets go of a request that is not replied to. */
extern void dp_store_detach(DpStoreRequest *request);

#endif
