/*
 * unit_rows.h
 *		Whether a privacy unit has one row, or is in one group.
 *
 * This follows from unique keys: a customer has one row in a look-up of
 * regions, an order one line with a given number, a sub-query one row for each
 * value of its keys. The result makes the noise smaller, and is still enforced
 * by bounding.
 */
#ifndef DP_GATE_QUESTION_ROWS_UNIT_ROWS_H
#define DP_GATE_QUESTION_ROWS_UNIT_ROWS_H

#include "gate/question/rows/rows.h"

/*
 * Sets of columns of a sub-query's result, by their numbers, in none of which
 * two rows of a unit agree: a list of lists. An empty one says that a unit has
 * but one row; NIL: none is known.
 */
extern List *dp_gate_row_keys(const DpScope *scope);

/*
 * Sets relations->one_row and one_group of a block: whether a unit has at most
 * one row in a group, and is in one group.
 */
extern void dp_gate_derive_rows(const DpScope *scope);

/* The same, were the block grouped by these expressions. */
extern void dp_gate_derive_grouped_rows(const DpScope *scope, List *keys,
										bool *one_row, bool *one_group);

#endif
