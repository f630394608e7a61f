/*
 * worker.h
 *		The ledger worker: the one process of a database that writes charges.
 */
#ifndef DP_LEDGER_WORKER_H
#define DP_LEDGER_WORKER_H

#include "postmaster/bgworker.h"

/*
 * Idle time after which a worker ends. Meanwhile it looks whether it is in the
 * way: of DROP DATABASE and the like, which wait 5 s for others to leave, and of
 * workers of other databases that find no process.
 */
#ifdef DP_STEPS
#define DP_WORKER_IDLE_MS 2000 /* tests wait for it */
#else
#define DP_WORKER_IDLE_MS 300000
#endif
#define DP_WORKER_LOOK_MS 1000

/*
 * Asks the postmaster for the worker of a database. False when there is no
 * worker process free. generation: of its entry, which must be STARTING.
 */
extern bool dp_worker_start(Oid database, uint64 generation,
							BackgroundWorkerHandle **handle);

/* The process's entry point. argument: oid of the database. */
extern PGDLLEXPORT void dp_ledger_worker_main(Datum argument);

#endif
