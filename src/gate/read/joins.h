/*
 * joins.h
 *		Makes joins, and refuses those whose rows would be of several units.
 */
#ifndef DP_GATE_READ_JOINS_H
#define DP_GATE_READ_JOINS_H

#include "gate/read/scope.h"

typedef struct DpJoined
{
	List *inputs;  /* of const DpNode */
	List *items;   /* parallel, of an inner join: as those of DpJoin */
	List *entries; /* parallel: where they come from in FROM, for messages */
	List *implied; /* of const DpExpr: what follows from other conditions */
	List *added;   /* those of its conditions that nobody wrote, in words */
	int location;  /* of the condition */
	bool is_left;  /* a left join, of two */
	bool is_full;  /* which was written as FULL JOIN */
} DpJoined;

/*
 * A join on conditions (DpExpr). What follows from others is added where the rows
 * have no owner otherwise; and where a join along a foreign key lacks it, that
 * units are equal (gate/read/equated.h).
 */
extern const DpNode *dp_joins_make(const DpScope *scope, const DpJoined *joined,
								   List *conditions);

/* The rows of a node for which some conditions hold, too. */
extern const DpNode *dp_joins_filter(const DpNode *node, List *conditions);

/*
 * The rows of a sub-query that are of one unit with the row of the query around
 * for which it is computed, where it refers to that along a foreign key; else all.
 * compared: what IN says besides, over the sub-query's rows.
 */
extern const DpNode *dp_joins_within_outer(const DpScope *around,
										   const DpNode *rows, List *compared);

/* Another node joined to one, behind whose columns stand the other's. */
extern const DpNode *dp_joins_add(const DpNode *node, const DpNode *other,
								  List *conditions);

#endif
