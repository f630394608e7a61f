/*
 * statement.h
 *		Which statements may hold private queries.
 *
 * Where a row that is to be changed has been changed by somebody else, the server
 * reads it again and computes what depends on it anew, in a plan of its own, in
 * which a release would ask again. What is a value of its own, a scalar sub-query
 * that refers to no row, has been computed by then and is kept. So SELECT and INSERT
 * may read private answers anywhere, and UPDATE and DELETE as such values; those in
 * WITH, which are begun otherwise, not even so.
 */
#ifndef DP_GATE_HOOK_STATEMENT_H
#define DP_GATE_HOOK_STATEMENT_H

#include "nodes/parsenodes.h"

#include "server/compat.h"

/*
 * Whether a statement may hold the private queries that are in it, once the server's
 * aggregates have become private ones.
 */
extern bool dp_statement_may_ask(Query *statement);

/* Error: feature_not_supported, with a hint. */
pg_noreturn extern void dp_statement_refuse(void);

/*
 * Looks at what is left of a statement in which releases, if it has any, stand in
 * place of questions, and returns whether private aggregates are. Beside releases
 * two things are refused: ends of intervals (gate/read/ends.h), and distributed
 * tables, since Citus would plan the whole statement and run a part of it, with a
 * release, somewhere else. Error: feature_not_supported.
 */
extern bool dp_statement_check_rest(Query *statement, bool has_releases);

#endif
