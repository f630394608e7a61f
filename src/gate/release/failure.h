/*
 * failure.h
 *		How a question may fail: before the charge, and after it.
 *
 * What a release needs of memory is bounded by dp_noise.work_mem for each sort,
 * hash table and kind of state. If a process has less, whether it gets that far
 * depends on the rows. So as much as the question may need is asked of the
 * system first, and given back at once. It takes no physical memory; it is for
 * processes with a limit on their address space. A bound is in use here, up to
 * some multiple of dp_noise.work_mem, which follows from the question alone; what
 * fails nevertheless is charged and counted.
 *
 * If a statement ends with an error between the charge and its rows, they never
 * will be available: its releases are marked as failed for good, and what was
 * drawn is discarded. The ledger is then told that nobody saw an answer, so that
 * the question may be asked again, for another charge. That message may get lost:
 * if the ledger does not know how a question ended, it counts as asked. If the
 * error may depend on rows, the ledger is first told that the question failed:
 * after a few failures a role may not ask any more (ledger/failures.h). What is
 * not counted is not told to the asker, either.
 */
#ifndef DP_GATE_RELEASE_FAILURE_H
#define DP_GATE_RELEASE_FAILURE_H

#include "gate/release/price.h"

/*
 * To be called before the charge. Error: out_of_memory. In a process that has
 * read protected rows before, what is left of its memory may depend on them, so
 * there the error counts as a failure.
 */
extern void dp_failure_check_memory(DpPrice *price);

/*
 * Opens a level of settings under which errors can be handled, and returns it:
 * the asker's settings could make them end the session instead, with the
 * original message.
 */
extern int dp_failure_begin(void);

/*
 * Ends the handling of the current error, which came before any row went out, and
 * raises it, or what is told instead.
 */
extern void dp_failure_end(List *states, const DpPrice *price, int nest);

#endif
