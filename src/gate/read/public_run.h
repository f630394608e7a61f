/*
 * public_run.h
 *		Public rows that are read while a statement is planned.
 *
 * As far as that runs nobody's code: ordinary tables, without row-level security, and
 * the server's own functions.
 */
#ifndef DP_GATE_READ_PUBLIC_RUN_H
#define DP_GATE_READ_PUBLIC_RUN_H

#include "nodes/parsenodes.h"
#include "tcop/dest.h"

/* Whether a query runs nobody's code, and depends on nothing that is not known. */
extern bool dp_public_run_can(Query *query);

/*
 * Runs a query, which it changes, as its reader: the current user if that is
 * InvalidOid. Returns how many rows there were.
 */
extern uint64 dp_public_run(Query *query, Oid reader, DestReceiver *receiver);

#endif
