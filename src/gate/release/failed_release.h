/*
 * failed_release.h
 *		Errors between the charge and the rows.
 *
 * If a statement ends with an error before its rows are available, they never
 * will be: its releases are marked as failed for good, and what was drawn is
 * discarded. The ledger is then told that nobody saw an answer, so that the
 * question may be asked again, for another charge. That message may get lost: if
 * the ledger does not know how a question ended, it counts as asked. If the error
 * may depend on rows, the ledger is first told that the question failed: after a
 * few failures a role may not ask any more (ledger/failures.h). What is not
 * counted is not told to the asker, either.
 */
#ifndef DP_GATE_RELEASE_FAILED_RELEASE_H
#define DP_GATE_RELEASE_FAILED_RELEASE_H

#include "gate/release/price.h"

/*
 * Opens a level of settings under which errors can be handled, and returns it:
 * the asker's settings could make them end the session instead, with the
 * original message.
 */
extern int dp_failed_release_begin(void);

/*
 * Ends the handling of the current error, which came before any row went out, and
 * raises it, or what is told instead.
 */
extern void dp_failed_release_end(List *states, const DpPrice *price, int nest);

#endif
