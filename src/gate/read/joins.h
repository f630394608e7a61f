/*
 * joins.h
 *		Makes joins, and refuses those whose rows have no owner.
 */
#ifndef DP_GATE_READ_JOINS_H
#define DP_GATE_READ_JOINS_H

#include "gate/read/scope.h"

/*
 * A join of some nodes on conditions (DpExpr) that hold in all rows. entries:
 * numbers of the entries of FROM that they come from, beside the nodes, for
 * messages. implied: what may be added to the conditions, since it follows
 * from others (DpExpr); it is where the rows have no owner otherwise.
 *
 * Error: feature_not_supported where owned rows of different units are joined.
 */
extern const DpNode *dp_joins_inner(const DpScope *scope, List *inputs,
									List *entries, List *conditions,
									List *implied);

/* The two sides of a left join. */
typedef struct DpJoinSides
{
	const DpNode *left;
	const DpNode *right;
	int left_entry; /* the first that is owned, for messages; 0: none */
	int right_entry;
	int location; /* of its condition */
} DpJoinSides;

extern const DpNode *dp_joins_left(const DpScope *scope,
								   const DpJoinSides *sides, List *conditions,
								   List *implied);

/* The rows of a node for which some conditions hold, too. */
extern const DpNode *dp_joins_filter(const DpNode *node, List *conditions);

/* Another node joined to one, behind whose columns stand the other's. */
extern const DpNode *dp_joins_add(const DpNode *node, const DpNode *other,
								  List *conditions);

#endif
