/*
 * resources.h
 *		The settings under which rows are read for a release: those of the
 *		server and the database, not those of the asker.
 *
 * An asker who could choose memory, disk or plans would see from an error, or
 * from its absence, how many rows there were; could have a foreign table's
 * texts read as other values than its owner means; or could make an index
 * return only some of the rows. The ledger worker runs under the server's
 * settings alone.
 */
#ifndef DP_SERVER_RESOURCES_H
#define DP_SERVER_RESOURCES_H

/*
 * Sets, at the current GUC nesting level: work_mem to dp_noise.work_mem,
 * temporary files to their default place without a limit, JIT off, and searches
 * of indexes to exact ones. Every other setting that the asker may have set, of
 * whatever extension, gets the value that the configuration of the server or
 * the database gives it, or a superuser in this session. Where a value from the
 * connection or the role hides that one, it gets its default. Unchanged are
 * settings of this extension, of roles, transactions and timeouts, and those of
 * the connection. Parallel workers use the same values. Errors: those of the
 * server, where it no longer accepts an administrator's value.
 */
extern void dp_resources_fix(void);

/*
 * Called in a background process, outside of a transaction. Resets all settings
 * that any user may set and that came from a database or a role (by ALTER
 * DATABASE, for example, whose owner need not be a superuser) to their
 * defaults, except for synchronous_commit and the user's identity.
 */
extern void dp_resources_forget_database(void);

#endif
