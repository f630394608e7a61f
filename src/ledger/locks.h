/*
 * locks.h
 *		The locks on the ledger's entries.
 *
 * Each relation has one lock, which guards its entry, budgets and questions.
 * Owners' functions and event triggers hold it until their transactions end.
 * The ledger worker holds it for a batch, and never waits for it. So an owner
 * who keeps a transaction open only holds up charges on their own relations.
 */
#ifndef DP_LEDGER_LOCKS_H
#define DP_LEDGER_LOCKS_H

/*
 * For owners: locks a relation until the end of the transaction, with the name
 * of its schema, and has the worker forget what it remembers of its budgets.
 * Waits. Afterwards the catalogue caches have the relation's name as it stays,
 * unless this transaction or one that waits for it changes it.
 */
extern void dp_lock_of_owner(Oid relation);

/* For the worker: locks a relation for the transaction; false if others hold
 * the lock or wait for it. */
extern bool dp_lock_of_worker(Oid relation);

/*
 * For the worker: makes sure that the extension is there until the end of the
 * transaction, and waits for whoever is dropping it. ledger: set to an oid that
 * is another when it was dropped and created again. Errors: undefined_object
 * (no extension), lock_not_available (after lock_timeout).
 */
extern void dp_lock_ledger(Oid *ledger);

/* Whether this transaction has created the extension, or locked the ledger
 * against all others. */
extern bool dp_lock_ledger_is_mine(void);

/* Under the lock: changes when an owner has locked the relation meanwhile. */
extern uint64 dp_lock_changes(Oid relation);

/* How often locks of owners were released, in all databases. */
extern uint64 dp_lock_releases(void);

#endif
