/*
 * bound.h
 *		The statements beneath the releases of a question.
 *
 * A grouping is a release. Its inner statement computes keys and aggregates over
 * the question's rows (from.h), in which each unit's contribution is bounded
 * (gate/bound/units.h).
 */
#ifndef DP_GATE_BOUND_BOUND_H
#define DP_GATE_BOUND_BOUND_H

#include "gate/bound/outline.h"
#include "gate/relations/shapes.h"
#include "gate/tree/node.h"
#include "gate/tree/planning.h"

/* A release while it is planned. */
typedef struct DpBlock
{
	DpOutline outline;
	DpShapes shapes; /* of the relations that are named, and their parts */
	Query *inner;	 /* keys and aggregates, with the owner's rights */
	Query *empty;	 /* aggregates of a group without rows; NULL without keys */

	/*
	 * Numbers of units by the private keys alone; only where there are public
	 * ones, too: else they are inner's last column.
	 */
	Query *unit_counts;

	Query *choice; /* bounds that are chosen, one row; NULL: there are none */
	Query *sizes;  /* of units, one row, where a cap is chosen; else NULL */
} DpBlock;

/*
 * The releases of a question, one for each of its groupings: DpBlock. Queries for
 * the domains of keys and for constants are left to be planned. The statements read the
 * relations themselves: gate/run/nodes/nodes.h makes them read copies.
 * planning: with which it was read.
 */
extern List *dp_bound_question(DpPlanning *planning,
							   const DpQuestion *question);

/*
 * Makes a query that was read as a question (gate/read/question.h) read the
 * question's answers. Of several groupings these come one after the other, with
 * nulls for keys that are not a grouping's own. blocks: DpBlock, one a grouping;
 * numbers: beside, of their releases.
 */
extern void dp_placed_put(Query *query, const DpQuestion *question,
						  const List *blocks, const int64 *numbers);

#endif
