/*
 * repeats.h
 *		Questions that were asked before.
 *
 * Whoever asks the same again could average noise away. So a question that was
 * asked before is refused, or replayed from the answer that is stored, or
 * charged again, as the budget's rule (on_repeat) says; and a question with
 * privacy levels goes on with the chain of answers that somebody has drawn.
 * Stored answers are copied into the request, for the reply.
 */
#ifndef DP_LEDGER_REPEATS_H
#define DP_LEDGER_REPEATS_H

#include "ledger/rows.h"
#include "ledger/store.h"

/*
 * Whether the question of a charge may be charged, by a rule, as far as it was
 * asked before: since a time, or earlier in the same request. If it is to be
 * replayed, its outcome says so. Otherwise says why it is refused.
 */
extern DpRefusal dp_repeats_check(DpStoreRequest *request, uint32 number,
								  DpAskedQuestion question, DpOnRepeat rule,
								  TimestampTz since, DpReply *refusal);

/*
 * Looks for a charge's chain of answers about a relation. *is_paid: the total
 * has paid for one since a time, which is stored, and kept for the reply, or
 * still waited for. Without a stored one, whoever asks draws it; the first that
 * is stored is the one for all.
 */
extern DpRefusal dp_repeats_find_chain(DpStoreRequest *request, uint32 number,
									   int relation_id, TimestampTz since,
									   bool *is_paid, DpReply *refusal);

/*
 * A question about several relations is replayed where one of them has its
 * answer, and then none of them pays: nothing new is
 * revealed. The first charge for it takes the answer.
 */
extern void dp_repeats_join(DpStoreRequest *request);

#endif
