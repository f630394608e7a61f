/*
 * asking.h
 *		What a statement asks the ledger, question by question.
 */
#ifndef DP_GATE_RELEASE_ASKING_H
#define DP_GATE_RELEASE_ASKING_H

#include "gate/release/charges.h"

typedef struct DpAsking
{
	int count;
	DpQuestion *questions; /* palloc'd */

	/* What is told if the statement fails: a charge for each relation. */
	DpCharge *failing;
	uint32 failing_count;
} DpAsking;

/* The questions of some releases, without outcomes. */
extern DpAsking dp_gate_list_questions(List *states);

/*
 * The same once more, after groups have been selected: at other prices, and
 * with questions about the selections. What is replayed stays so.
 */
extern DpAsking dp_gate_list_again(List *states, const DpAsking *before);

/* Whether a question is charged for, and neither replayed nor shared. */
extern bool dp_gate_is_fresh(const DpQuestion *question);

/*
 * Charges for new questions, some of which may be replayed. try: only finds
 * out what would happen. Errors: those of dp_ledger_charge.
 */
extern void dp_gate_charge(DpAsking *asked);
extern void dp_gate_try_charge(DpAsking *asked);

/* Tells what would happen to each question. */
extern void dp_gate_preview_charge(const DpAsking *asked, DpPreview *preview);

/*
 * Stores the answers of what is fresh, as they are set. A chain that somebody
 * else has stored meanwhile takes the place of the one that was drawn here.
 * Errors: those of dp_ledger_store.
 */
extern void dp_gate_store(DpAsking *asked);

/*
 * Lists whose budgets count a failure: to be called when the questions are
 * charged, since there may be no memory for it later; or before, for those that
 * would be.
 */
extern void dp_gate_list_failing(DpAsking *asked);

/*
 * Tells the ledger that the statement failed in a way that may depend on rows. If
 * the reply is a refusal, that is not counted, and the asker must not hear it: see
 * dp_ledger_fail.
 */
extern void dp_gate_tell_failure(const DpAsking *asked, DpReply *reply);

/*
 * Tells the ledger that nobody has seen the answers, nor will. Never fails:
 * the message may get lost.
 */
extern void dp_gate_give_up(const DpAsking *asked);

#endif
