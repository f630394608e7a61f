/*
 * worker.h
 *		The ledger worker: the one process of a database that writes charges.
 */
#ifndef DP_LEDGER_WORKER_H
#define DP_LEDGER_WORKER_H

#include "postmaster/bgworker.h"

/* Idle time after which a worker ends, so that DROP DATABASE, which waits 5 s
 * for others, finds none. */
#define DP_WORKER_IDLE_MS 2000

/*
 * Asks the postmaster for the worker of a database. False when there is no
 * worker process free. generation: of its entry, which must be STARTING.
 */
extern bool dp_worker_start(Oid database, uint64 generation,
							BackgroundWorkerHandle **handle);

/* The process's entry point. argument: oid of the database. */
extern PGDLLEXPORT void dp_ledger_worker_main(Datum argument);

#endif
