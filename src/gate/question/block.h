/*
 * block.h
 *		A query block over protected relations: checked, and taken apart.
 */
#ifndef DP_GATE_QUESTION_BLOCK_H
#define DP_GATE_QUESTION_BLOCK_H

#include "gate/question/outline.h"
#include "gate/question/relations/shapes.h"

/* The result of taking a block apart. */
typedef struct DpBlock
{
	DpOutline outline;
	List *calls;	  /* what is computed for its aggregates */
	DpShapes shapes;  /* of the relations that are named, and their parts */
	List *other_keys; /* of other groupings, DpKey, by which units are bounded,
						  * too */
	bool finest_one_row; /* as relations.one_row and one_group, by all keys */
	bool finest_one_group;
	Query *inner; /* keys and aggregates, with the owner's rights */
	Query *empty; /* aggregates of a group without rows; NULL without keys */
	Query
		*unit_counts; /* numbers of units by the private keys alone; only where
						 * there are public ones, too: else they are inner's last
						 * column */
} DpBlock;

/*
 * True for a block with private aggregates that reads protected data. Then its
 * sub-queries that only select and join are merged into it.
 */
extern bool dp_gate_block_is_protected(Query *query);

/*
 * Checks the shape of a block and all expressions over protected columns, and
 * takes it apart; the query itself is changed to read its released rows from
 * the release function under the given number. Declared bounds fill in
 * omitted ones. Queries for the domains of keys are left to be planned.
 *
 * Errors: feature_not_supported, with a position and a hint.
 */
extern void dp_gate_block_split(Query *query, int64 number, DpBlock *block);

#endif
