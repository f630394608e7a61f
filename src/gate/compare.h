/*
 * compare.h
 *		Both readings of a block, side by side: for `make compare` alone.
 *
 * The block is read as a tree (gate/read/question.h) before it is taken apart,
 * and what differs is logged, a line a block: the verdict, with message, hint,
 * code and position of a refusal, or what decides about the price. No answer
 * depends on it.
 */
#ifndef DP_GATE_COMPARE_H
#define DP_GATE_COMPARE_H

#ifdef DP_COMPARE

#include "nodes/params.h"

#include "gate/question/block.h"

/*
 * As dp_gate_expand_groupings: the query is read with all of its groupings at
 * once before.
 */
extern void dp_compare_expand_groupings(Query *query, const char *text,
										ParamListInfo params);

/* As dp_gate_block_is_protected: the block is read before. */
extern bool dp_compare_is_protected(Query *query, const char *text,
									ParamListInfo params);

/* As dp_gate_block_split, after dp_compare_is_protected; then compares. */
extern void dp_compare_split(Query *query, int64 number, DpBlock *block);

#endif

#endif
