/*
 * inner_query.h
 *		The statements beneath a release.
 */
#ifndef DP_GATE_INNER_QUERY_H
#define DP_GATE_INNER_QUERY_H

#include "gate/block.h"

/*
 * The query that computes a block's keys and then its aggregates, in order and
 * with the owner's rights on the protected relation alone. query: as it was
 * written, checked, its conditions folded. block: all but its inner queries.
 */
extern Query *dp_gate_inner_query(Query *query, const DpBlock *block);

/* The same aggregates over no rows: what a group without rows releases. */
extern Query *dp_gate_empty_query(Query *query, const DpBlock *block);

#endif
