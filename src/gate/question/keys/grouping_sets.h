/*
 * grouping_sets.h
 *		GROUPING SETS, ROLLUP and CUBE of a block.
 *
 * Each grouping is a question of its own, as if it were asked by itself: a block
 * with the same FROM and conditions, grouped by its keys alone. Their answers are
 * put together by UNION ALL, and each is charged.
 */
#ifndef DP_GATE_QUESTION_KEYS_GROUPING_SETS_H
#define DP_GATE_QUESTION_KEYS_GROUPING_SETS_H

#include "nodes/parsenodes.h"

/*
 * Changes a block with grouping sets to such a query; others are left.
 *
 * Errors: feature_not_supported, with a hint, for window functions and functions
 * that return sets beside them, and for many groupings.
 */
extern void dp_gate_expand_groupings(Query *query);

#endif
