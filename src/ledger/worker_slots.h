/*
 * worker_slots.h
 *		The worker's side of the slots.
 *
 * The worker takes all the requests of its database that wait, gives back those
 * that must wait for an owner's lock, and hands the others to their requesters
 * when their replies are written. As long as it has an entry, whoever asks
 * relies on it; so the entry goes under the lock under which requests are made,
 * and with it all requests that are not answered.
 */
#ifndef DP_LEDGER_WORKER_SLOTS_H
#define DP_LEDGER_WORKER_SLOTS_H

#include "ledger/slots.h"

/*
 * Blocked requests are tried again after this time, too: a prepared
 * transaction releases locks without notice.
 */
#define DP_WORKER_RETRY_MS 100

/*
 * Sets the database, and the generation of the entry, whose slots these
 * functions use.
 */
extern void dp_worker_slots_begin(Oid database, uint64 generation);

/* Takes the entry; false when it was given up meanwhile. */
extern bool dp_worker_slots_enter(void);

/*
 * Gives up the entry. Requests that were taken get an error; whoever waits for
 * others is told, and starts another worker.
 */
extern void dp_worker_slots_leave(void);

/* Gives up the entry, unless a request has come meanwhile. */
extern bool dp_worker_slots_may_leave(void);

/* Whether there is a request; a hint without the lock. unused: for dp_spin. */
extern bool dp_worker_slots_are_asked(void *unused);

/*
 * Takes waiting requests; their number: all short ones, and of those that are
 * longer as many as leave others a short wait, in turn: the search begins with the
 * first one that there was no room for, or else behind the last one. Slow ones (slot->is_slow)
 * are taken one at a time, alone, and not more often than leaves three quarters
 * of the worker's time to the others. batch: has room for all slots.
 */
extern int dp_worker_slots_take(DpSlot **batch);

/* Whether requests wait for locks, or for a turn of their own. */
extern bool dp_worker_slots_are_blocked(void);

/*
 * Puts a blocked request of a kind back to be tried again; false when it has
 * waited for long enough.
 */
extern bool dp_worker_slots_put_back(DpSlot *slot, DpRequestKind kind);

/* Puts a request back that took too long among others: it is slow. */
extern void dp_worker_slots_put_aside(DpSlot *slot);

/*
 * Hands slots back to those who wait for them. They are woken when the lock is
 * free again, or they would wait for that at once.
 */
extern void dp_worker_slots_release(DpSlot **slots, int count);

#endif
