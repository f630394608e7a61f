/*
 * joins.h
 *		Makes joins.
 */
#ifndef DP_GATE_READ_JOINS_H
#define DP_GATE_READ_JOINS_H

#include "gate/read/scope.h"

typedef struct DpJoined
{
	List *inputs;  /* of const DpNode */
	List *entries; /* beside: where they come from in FROM, for messages */
	List *implied; /* of const DpExpr: what follows from other conditions */
	int location;  /* of the condition */
	bool is_left;  /* a left join, of two */
} DpJoined;

/*
 * A join on conditions (DpExpr). What follows from others is added where the rows
 * have no owner otherwise.
 */
extern const DpNode *dp_joins_make(const DpScope *scope, const DpJoined *joined,
								   List *conditions);

/* The rows of a node for which some conditions hold, too. */
extern const DpNode *dp_joins_filter(const DpNode *node, List *conditions);

/* Another node joined to one, behind whose columns stand the other's. */
extern const DpNode *dp_joins_add(const DpNode *node, const DpNode *other,
								  List *conditions);

#endif
