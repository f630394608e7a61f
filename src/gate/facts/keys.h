/*
 * keys.h
 *		Columns that no two rows of a unit agree in, and what follows: whether a
 *		unit has one row in a group, and is in one group.
 *
 * From unique keys: a customer has one row in a look-up of regions, an order one
 * line with a given number, a group one row for each value of its keys. What
 * follows makes the noise smaller, and is still enforced by bounding, with one
 * exception (dp_keys_units_are_rows).
 *
 * Say that some columns of a row are known: each has one value in all rows of a
 * unit that one looks at. What the unit's value is, is known. What equals
 * something known is known, and what is computed from it. An input with a key
 * that is known has one row there, so all its columns are known, and so on. The
 * nullable side of a left join has that row, or none; which of the two is known
 * only where all that its conditions depend on is.
 *
 * Keys of what is public are looked up by strict equations: they may be null in
 * many rows, but these are not met. Where equal values can be told apart, as 1.0
 * and 1.00 can, what is computed from a column that equals a known one is not
 * known.
 */
#ifndef DP_GATE_FACTS_KEYS_H
#define DP_GATE_FACTS_KEYS_H

#include "gate/facts/equalities.h"
#include "gate/tree/node.h"

typedef struct DpRowKeys
{
	/*
	 * Of a scan, public rows or groups: sets of columns, Bitmapset of numbers.
	 * In none do two rows of a unit agree; of public rows, no two rows where none
	 * is null. An empty one (NULL) says that there is at most one row. NIL for
	 * other nodes, for which this is found when it is asked for.
	 */
	List *keys;
	bool one_row;	  /* a unit has one row at most */
	Bitmapset *known; /* columns that have one value in all rows of a unit */
} DpRowKeys;

extern DpRowKeys dp_keys_of(const DpNode *node);

/*
 * Of a question's rows, were they grouped by these expressions: whether a unit
 * has at most one row in a group, and whether it is in one group.
 */
extern bool dp_keys_one_row(const DpNode *rows, List *exprs);
extern bool dp_keys_one_group(const DpNode *rows, List *exprs);

/*
 * Whether each unit has one row at most without any bounding: a single relation
 * with a unique unit, and public rows that each match at most once by a key of
 * theirs. *looked_up: of those (const DpNode), the keys (Bitmapset) beside in
 * *by. An index only tells which columns these are: that no two rows agree in
 * them is checked when they are copied.
 */
extern bool dp_keys_units_are_rows(const DpNode *rows, List **looked_up,
								   List **by);

/*
 * Whether each row of the left side of a left join meets at most one row of the
 * right side, by a unique key of a public relation. Where no
 * column of the right side is used, the join changes nothing then.
 */
extern bool dp_keys_is_look_up(const DpNode *left_join);

#endif
