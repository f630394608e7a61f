/*
 * placed.h
 *		Puts the releases of a question in the place of its rows.
 */
#ifndef DP_GATE_BOUND_PLACED_H
#define DP_GATE_BOUND_PLACED_H

#include "gate/bound/bound.h"
#include "gate/tree/node.h"

/*
 * Makes a query that was read as a question (gate/read/question.h) read the
 * question's answers. Of several groupings these come one after the other, with
 * nulls for keys that are not a grouping's own. blocks: DpBlock, one a grouping;
 * numbers: beside, of their releases.
 */
extern void dp_placed_put(Query *query, const DpQuestion *question,
						  const List *blocks, const int64 *numbers);

#endif
