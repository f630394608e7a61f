/*
 * settle.h
 *		The releases of a statement, from the question to the rows.
 */
#ifndef DP_GATE_RELEASE_SETTLE_H
#define DP_GATE_RELEASE_SETTLE_H

#include "nodes/pg_list.h"

/*
 * Makes the rows of some releases of one statement, charging for all of them
 * in one request. Errors: those of dp_ledger_charge.
 */
extern void dp_settle(List *states);

#endif
