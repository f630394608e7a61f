/*
 * kept_back.h
 *		Relations that somebody may ask about, and may not read.
 *
 * If a user has a budget for a protected relation and lacks SELECT on the
 * columns that a query uses, the query can only be meant as a question. So the
 * server's aggregates in it are read as private ones
 * (gate/read/rewrite.h), and anything else is refused with a message that
 * says what can be asked.
 */
#ifndef DP_GATE_RELATIONS_KEPT_BACK_H
#define DP_GATE_RELATIONS_KEPT_BACK_H

#include "nodes/parsenodes.h"

#include "server/compat.h"

/*
 * True for an entry of a query's range table that is such a relation, by the
 * privileges that the server would ask for: of the columns that are named, and of
 * the owner of a view in which it stands. A picture must be open.
 */
extern bool dp_kept_back_is_entry(const Query *query, RangeTblEntry *rte);

/*
 * The first such relation in a query or its sub-queries; InvalidOid without.
 * with_blocks: also in those with private aggregates of their own.
 */
extern Oid dp_kept_back_find(Query *query, bool with_blocks);

/* Refuses rows of one: insufficient_privilege, with its columns and a hint. */
pg_noreturn extern void dp_kept_back_refuse(Oid relation);

#endif
