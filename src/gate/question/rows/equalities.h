/*
 * equalities.h
 *		Which columns are equal in all rows that pass some conditions.
 */
#ifndef DP_GATE_QUESTION_ROWS_EQUALITIES_H
#define DP_GATE_QUESTION_ROWS_EQUALITIES_H

#include "nodes/primnodes.h"

/* Classes of equal columns: a list of lists of Var. */
typedef List DpEqualities;

/*
 * Whether a condition is an equation of two operands in the way in which a
 * column's values are told apart: by its type's equality, so that two values
 * that equal a third equal each other, and by collations that take the same for
 * equal, of the comparison and of both operands. Otherwise one operand may be
 * several values that the other takes for one. Operators that depend on the time
 * zone are none: no clock shows the hour that is left out in spring, but two
 * times of a day are the same instant then. Such an operator is strict: neither
 * operand is null where it holds.
 */
extern bool dp_gate_equates(const Node *condition, const Var *column);

/*
 * Adds what a condition says, that two columns are equal in the way of both. NULL
 * says nothing. Neither column is null then.
 */
extern DpEqualities *dp_gate_learn(DpEqualities *known, Node *condition);

/* Adds that two columns are equal; two such sets; a copy. */
extern DpEqualities *dp_gate_learn_equal(DpEqualities *known, Var *one,
										 Var *other);
extern DpEqualities *dp_gate_learn_all(DpEqualities *known,
									   const DpEqualities *more);
extern DpEqualities *dp_gate_copy_equalities(const DpEqualities *known);

extern bool dp_gate_are_equal(const DpEqualities *known, const Var *one,
							  const Var *other);

/* True for a column that is in a list of such. */
extern bool dp_gate_has_column(const List *columns, const Var *column);

/* The columns that equal one, itself included. */
extern List *dp_gate_equal_to(const DpEqualities *known, Var *column);

#endif
