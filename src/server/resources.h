/*
 * resources.h
 *		How much memory and disk a release may take, and by which plan, is a
 *		choice of the server's and the database's, not of whoever asks.
 *
 * Somebody who could choose it would see from an error, or from the lack of
 * one, how many rows there were. And how the ledger worker works is a choice of
 * the server's alone.
 */
#ifndef DP_SERVER_RESOURCES_H
#define DP_SERVER_RESOURCES_H

/*
 * At the current level of settings: work_mem is dp_noise.work_mem, temporary
 * files have their default place and no limit, nothing is compiled, and every other setting that
 * concerns memory or planning has the value that the configuration of the
 * server or the database gives it, or a superuser in this session; where
 * neither is known any more, its default. Parallel workers have the same.
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
