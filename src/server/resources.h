/*
 * resources.h
 *		How rows are read for a release, what memory and disk that takes, and by
 *		which plan, is a choice of the server's and the database's, not of whoever
 *		asks.
 *
 * Somebody who could choose it would see from an error, or from the lack of
 * one, how many rows there were; have a foreign table's texts read as other
 * values than its owner means; or have an index return some rows of many. And
 * how the ledger worker works is a choice of the server's alone.
 */
#ifndef DP_SERVER_RESOURCES_H
#define DP_SERVER_RESOURCES_H

/*
 * At the current level of settings: work_mem is dp_noise.work_mem, temporary
 * files have their default place and no limit, nothing is compiled, indexes are
 * searched in full, and every other setting that whoever asks may have set, of
 * whatever extension, has the value that the configuration of the server or the
 * database gives it, or a superuser in this session. Where a value that came
 * with the connection or the role hides that, it is the default. What stays:
 * settings of this extension, of roles, transactions and timeouts, and those of
 * the connection. Parallel workers have the same. Errors: where the server does
 * not take an administrators' value any more.
 */
extern void dp_resources_fix(void);

/*
 * In a background process, outside of a transaction: what everybody may set
 * and has come from the settings of a database or a role (ALTER DATABASE, whose
 * owner need not be a superuser) has its default. Not synchronous_commit, nor who
 * the user is.
 */
extern void dp_resources_forget_database(void);

#endif
