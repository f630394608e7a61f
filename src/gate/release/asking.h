/*
 * asking.h
 *		What a statement asks the ledger, question by question.
 */
#ifndef DP_GATE_RELEASE_ASKING_H
#define DP_GATE_RELEASE_ASKING_H

#include "gate/release/charges.h"

/* The questions of some releases, without outcomes. */
extern DpAsking dp_gate_list_questions(List *states);

/*
 * The same once more, after it was decided how groups are selected: at other
 * prices, and with questions about the selections. What is replayed stays so.
 */
extern DpAsking dp_gate_list_again(List *states, const DpAsking *before);

/*
 * Where groups are selected, says how the questions of a release go together,
 * once they were tried or previewed: some are answered with what others got,
 * whose groups are those of all; or none is.
 */
extern void dp_gate_keep_together(DpAsking *asked);

/* Whether the ledger is asked about it: not what is replayed, or said before. */
extern bool dp_gate_is_asked(const DpQuestion *question);

/* Whether it is asked, and has to be computed: it is not shared either. */
extern bool dp_gate_is_fresh(const DpQuestion *question);

/*
 * Charges for questions, some of which may be replayed or shared. try: only finds
 * out what would happen. Errors: those of dp_ledger_charge.
 */
extern void dp_gate_charge(DpAsking *asked);
extern void dp_gate_try_charge(DpAsking *asked);

/* Tells what would happen to each question. */
extern void dp_gate_preview_charge(DpAsking *asked, DpPreview *preview);

/*
 * Stores the answers of what is fresh, as they are set. What somebody else has
 * stored meanwhile becomes the answer in the result. Errors: those of
 * dp_ledger_store.
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
