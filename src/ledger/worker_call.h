/*
 * worker_call.h
 *		Wakes the database's ledger worker, or starts it.
 */
#ifndef DP_LEDGER_WORKER_CALL_H
#define DP_LEDGER_WORKER_CALL_H

/*
 * Wakes the worker of this database; starts one when there is none. *starts: how often
 * this request has started one, counted here. Errors: insufficient_resources.
 */
extern void dp_worker_call(int *starts);

/* Frees the entry of a worker that this process started and that died early. */
extern void dp_worker_watch_start(void);

#endif
