/*
 * requester.h
 *		Sends a request to the ledger worker, and receives the reply.
 */
#ifndef DP_LEDGER_REQUESTER_H
#define DP_LEDGER_REQUESTER_H

#include "ledger/request.h"

/*
 * Whether requests can be made here that write the ledger, or others, which a
 * standby has an answer to, too. If not, the reply says why.
 */
extern bool dp_requester_check(bool writes, DpReply *reply);

/* Refuses what would have to be charged on a standby. */
extern void dp_requester_refuse_standby(DpReply *reply);

/*
 * Sends a request and waits for the reply, palloc'd as it came (request.h).
 * charges, relations, answers: as many as the request says; room: bytes for the
 * reply.
 *
 * Errors: insufficient_resources, query_canceled and the like.
 */
extern DpReply *dp_requester_exchange(const DpRequest *request,
									  const DpCharge *charges,
									  const DpAskedRelation *relations,
									  char *const *answers, Size room);

/* Charges that can be told at once: as many as surely fit into a slot. */
#define DP_TOLD_MAX 8

/*
 * Sends a request about DP_TOLD_MAX charges at most, for the session's user,
 * after an error, and waits for the head of the reply. It needs no memory. Where
 * no worker can be started, or no slot got free for a minute, the reply is that
 * resources are insufficient. Errors: query_canceled and the like.
 */
extern void dp_requester_tell(DpRequestKind kind, const DpCharge *charges,
							  uint32 count, DpReply *reply);

#endif
