/*
 * locks.h
 *		The locks on the ledger's rows.
 *
 * Each population has one lock, which guards its row, its members, budgets and
 * questions. Owners' functions and event triggers hold it until their transactions
 * end. The ledger worker holds it for a batch, and never waits for it. So an owner
 * who keeps a transaction open only holds up charges to the own populations.
 */
#ifndef DP_LEDGER_LOCKS_H
#define DP_LEDGER_LOCKS_H

/*
 * For owners: locks a population until the end of the transaction, and has the
 * worker forget what it remembers of it. Waits.
 */
extern void dp_lock_population_as_owner(int population_id);

/* For the worker: locks a population for the transaction; false if others hold
 * the lock or wait for it. */
extern bool dp_lock_population_as_worker(int population_id);

/*
 * For owners: keeps others who own a relation from changing how it is protected,
 * until the end of the transaction. Before any population is locked. Waits.
 */
extern void dp_lock_declared(Oid relation);

/*
 * For the worker: makes sure that the extension is there until the end of the
 * transaction, and waits for whoever is dropping it. ledger: set to an oid that
 * is another when it was dropped and created again. Errors: undefined_object
 * (no extension), lock_not_available (after lock_timeout).
 */
extern void dp_lock_ledger(Oid *ledger);

/*
 * A number, not 0, that this ledger has as long as the shared memory lives: not a
 * copy of it, nor one that was restored. After dp_lock_ledger.
 */
extern uint64 dp_lock_incarnation(void);

/* Under the lock: changes when an owner has locked the population meanwhile. */
extern uint64 dp_lock_changes(int population_id);

/* How often locks of owners were released, in all databases. */
extern uint64 dp_lock_releases(void);

#endif
