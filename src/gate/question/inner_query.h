/*
 * inner_query.h
 *		The statements beneath a release.
 */
#ifndef DP_GATE_QUESTION_INNER_QUERY_H
#define DP_GATE_QUESTION_INNER_QUERY_H

#include "gate/question/block.h"

/*
 * The query that computes some of a block's keys (DpKey) and then some of its
 * aggregates, in order and with their owners' rights on the protected
 * relations alone. query: as it was written, checked, its conditions folded. block: all
 * but its inner queries.
 */
extern Query *dp_gate_inner_query(Query *query, const DpBlock *block,
								  List *keys, List *aggregates);

/* The block's aggregates over no rows, for groups that have none. */
extern Query *dp_gate_empty_query(Query *query, const DpBlock *block);

/*
 * Adds a last column to such a query, in which a unit's contribution is
 * bounded: the true number of units of each group.
 */
extern void dp_gate_count_units(Query *inner);

/*
 * Makes sure, once more, that a statement that will run as an owner calls no
 * functions but the server's and this extension's, anywhere in it: planning
 * evaluates some of them. Error: internal_error.
 */
extern void dp_gate_check_no_user_code(Query *query);

#endif
