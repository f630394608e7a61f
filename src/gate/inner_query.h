/*
 * inner_query.h
 *		The statement beneath a release.
 */
#ifndef DP_GATE_INNER_QUERY_H
#define DP_GATE_INNER_QUERY_H

#include "gate/block.h"

/*
 * The query that computes a block's keys and then its aggregates, in order and
 * with the owner's rights on the protected relation alone. query: as it was
 * written, checked, its conditions folded. block: all but its inner query.
 */
extern Query *dp_gate_inner_query(Query *query, const DpBlock *block);

#endif
