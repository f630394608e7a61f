/*
 * keys.h
 *		Columns that no two rows of a unit agree in, and what follows: whether a
 *		unit has one row in a group, and is in one group.
 *
 * From unique keys: a customer has one row in a look-up of regions, an order one
 * line with a given number, a group one row for each value of its keys. What
 * follows makes the noise smaller, and is still enforced by bounding.
 */
#ifndef DP_GATE_FACTS_KEYS_H
#define DP_GATE_FACTS_KEYS_H

#include "gate/facts/equalities.h"
#include "gate/tree/node.h"

typedef struct DpRowKeys
{
	/*
	 * Sets of columns, Bitmapset of numbers, in none of which two rows of a
	 * unit agree; of public rows, no two rows at all. An empty one (NULL) says
	 * that there is at most one row; NIL: nothing is known.
	 */
	List *keys;
	bool is_of_unit; /* they hold within a unit; else among all rows */
} DpRowKeys;

extern DpRowKeys dp_keys_of(const DpNode *node, const DpEqualities *equal);

/*
 * Of a question's rows, were they grouped by these expressions: whether a unit
 * has at most one row in a group, and whether it is in one group.
 */
extern bool dp_keys_one_row(const DpNode *rows, List *exprs);
extern bool dp_keys_one_group(const DpNode *rows, List *exprs);

/*
 * Whether each unit has one row at most without any bounding: a single relation
 * with a unique unit, and public rows that each match at most once by a key of
 * theirs. *looked_up: of those (const DpNode), the keys (Bitmapset) beside in *by.
 */
extern bool dp_keys_units_are_rows(const DpNode *rows, List **looked_up,
								   List **by);

#endif
