/*
 * identity.h
 *		Which question a release asks: its fingerprint.
 */
#ifndef DP_GATE_RELEASE_IDENTITY_H
#define DP_GATE_RELEASE_IDENTITY_H

#include "gate/bound/outline.h"
#include "ledger/request.h"

/*
 * The fingerprint of the question that is one of the aggregates, with the values
 * of an execution. by_all: by all keys by which units are bounded.
 */
extern void dp_identity_fingerprint(
	const DpOutline *outline, int aggno, bool by_all, ParamListInfo params,
	unsigned char fingerprint[DP_FINGERPRINT_SIZE]);

/*
 * The places, from 0, of the keys in the order in which those of a stored answer
 * stand. To be called in the session's own time zone.
 */
extern int *dp_identity_key_order(const DpOutline *outline, int aggno,
								  ParamListInfo params);

#endif
