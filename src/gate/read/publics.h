/*
 * publics.h
 *		What is public in a question.
 *
 * What reads nothing protected, and nothing of the queries around it: tables,
 * views, functions, VALUES, sub-queries, answers of private questions. It is
 * read with the asker's own rights, whole, once an execution, before anything
 * protected is opened. Conditions on it alone are applied while it is copied, and
 * may be any that the user may write.
 */
#ifndef DP_GATE_READ_PUBLICS_H
#define DP_GATE_READ_PUBLICS_H

#include "gate/read/scope.h"

extern bool dp_publics_is_public(const RangeTblEntry *rte);
extern bool dp_publics_query_is_public(Query *query);

/*
 * Takes those conditions out of a list of Nodes (raw, folded) that are of this entry alone and
 * may be applied to its copy. Returns the node with them.
 */
extern const DpNode *dp_publics_read(DpScope *scope, int rtindex,
									 List **conditions);
extern const DpNode *dp_publics_read_query(DpScope *scope, Query *query);

#endif
