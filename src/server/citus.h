/*
 * citus.h
 *		Where Citus distributes a statement.
 *
 * A backend that Citus opens for its own purposes has the settings of its
 * server, not those of the session that asked: noise would be drawn with
 * another epsilon than was asked for.
 */
#ifndef DP_SERVER_CITUS_H
#define DP_SERVER_CITUS_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/pg_list.h"

/*
 * Refuses to answer in such a backend, and on servers that Citus uses as
 * workers. In a database without the extension citus, which only superusers can
 * create, nothing is refused, whatever a session's application name. Error:
 * feature_not_supported.
 */
extern void dp_citus_refuse(void);

/*
 * Refuses changes to what is protected and spent on servers that Citus uses as
 * workers, which would otherwise become a second ledger. Error:
 * feature_not_supported.
 */
extern void dp_citus_refuse_ledger(void);

/*
 * Whether Citus keeps the rows of a relation: distributed, reference and
 * single-shard tables, and local ones that it manages.
 */
extern bool dp_citus_distributes(Oid relation);

/* The first such relation of some; InvalidOid: there is none. */
extern Oid dp_citus_first_distributed(const List *relations);

/*
 * The column of a hash-distributed table of which all rows that agree in it are on one
 * node, from 1; 0: there is none.
 */
extern AttrNumber dp_citus_distribution_column(Oid relation);

/*
 * What runs with an owner's rights runs on connections of the owner. In a
 * transaction of Citus's these stay open, as part of it, until it ends, and what
 * the asker sets with SET LOCAL is sent over them: whole texts, with any
 * statement after the SET. So nothing runs for a release within such a
 * transaction, and nothing that does begins one: for the level of settings that
 * is begun (NewGUCNestLevel), no transaction blocks are opened and no SET is
 * sent. Values come as they are, not as texts in the style of sessions there. Other
 * settings of Citus's that the asker may set are reset with all the
 * rest (server/resources.h).
 */
extern void dp_citus_pin(void);

/*
 * What is sent to other nodes has constants as texts. For the level of settings that
 * is begun, dates and times have texts that every session reads alike.
 */
extern void dp_citus_write_plainly(void);

/*
 * Whether this session serves Citus: another node, or this one, opened it to run a
 * part of a statement.
 */
extern bool dp_citus_asks(void);

/*
 * Whether Citus sends a type's values as texts, and with them all that a statement
 * returns: what has no binary form, and rows. Texts depend on settings of sessions on
 * the other nodes.
 */
extern bool dp_citus_sends_text(Oid type);

/* Refuses where there is such a transaction: active_sql_transaction. */
extern void dp_citus_refuse_transaction(void);

#endif
