/*
 * charge_request.h
 *		Requests from the releases of a statement to the ledger, and its
 *		replies.
 */
#ifndef DP_GATE_RELEASE_CHARGE_REQUEST_H
#define DP_GATE_RELEASE_CHARGE_REQUEST_H

#include "gate/release/price.h"

/*
 * Prices again, with selections of groups, and takes over what became of the
 * questions when they were priced before, without: what is replayed stays so.
 */
extern DpPrice dp_charge_request_price_again(List *askers,
											 const DpPrice *before);

/*
 * Where groups are selected, says how the questions of a release go together,
 * once they were tried or previewed: some are answered with what others got,
 * whose groups are those of all; or none is.
 */
extern void dp_charge_request_keep_together(DpPrice *price);

/*
 * Charges for questions, some of which may be replayed or shared: ask is
 * dp_ledger_charge; or only finds out what would happen: dp_ledger_try. Errors:
 * those of dp_ledger_charge.
 */
extern void dp_charge_request_ask(DpPrice *price,
								  void (*ask)(const DpAsk *, DpChargeResult *));

/* Tells what would happen to each charge, in their order. */
extern void dp_charge_request_preview(DpPrice *price, DpPreview *preview);

/*
 * Stores the answers of what is fresh, as they are set. What somebody else has
 * stored meanwhile becomes the answer in the result. Errors: those of
 * dp_ledger_store.
 */
extern void dp_charge_request_store(DpPrice *price);

/*
 * Lists whose budgets count a failure: to be called when the questions are
 * charged, since there may be no memory for it later; or before, for those that
 * would be.
 */
extern void dp_charge_request_list_failing(DpPrice *price);

/*
 * Tells the ledger that the statement failed in a way that may depend on rows. If
 * the reply is a refusal, that is not counted, and the asker must not hear it: see
 * dp_ledger_fail.
 */
extern void dp_charge_request_fail(const DpPrice *price, DpReply *reply);

/*
 * Tells the ledger that nobody has seen the answers, nor will. Never fails:
 * the message may get lost.
 */
extern void dp_charge_request_give_up(const DpPrice *price);

#endif
