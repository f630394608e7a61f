/*
 * grouping_sets.h
 *		GROUPING SETS, ROLLUP and CUBE of a block.
 *
 * Each grouping becomes a block with the same FROM and conditions, grouped by
 * its keys alone, and their answers are put together by UNION ALL. Where all
 * keys have public values the blocks are one question, and charged once
 * (grouping_family.h); otherwise each is a question of its own.
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
