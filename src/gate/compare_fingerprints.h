/*
 * compare_fingerprints.h
 *		Fingerprints of both readings of a block: for `make compare` alone.
 */
#ifndef DP_GATE_COMPARE_FINGERPRINTS_H
#define DP_GATE_COMPARE_FINGERPRINTS_H

#ifdef DP_COMPARE

#include "nodes/params.h"

#include "gate/question/block.h"
#include "gate/tree/node.h"

/*
 * Logs both fingerprints of each question of a block, and the new text, for
 * test/compare/partition; keys: of its grouping. Those that need values that are
 * not known while it is planned are left out. text: of the statement.
 */
extern void dp_compare_fingerprints(const DpQuestion *question,
									const Bitmapset *keys, const DpBlock *block,
									ParamListInfo params, const char *text);

#endif

#endif
