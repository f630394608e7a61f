/*
 * settle.h
 *		The releases of a statement and the ledger.
 */
#ifndef DP_GATE_RELEASE_SETTLE_H
#define DP_GATE_RELEASE_SETTLE_H

#include "gate/release/state.h"

/*
 * Makes the rows of some releases of one statement, charging for all of them
 * in one request. Errors: those of dp_ledger_charge.
 */
extern void dp_gate_settle(List *states);

#endif
