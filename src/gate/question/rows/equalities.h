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
 * Adds what a condition says, that an operator by which the values of both are
 * told apart holds between two columns. NULL says nothing. Such an operator is
 * strict: neither column is null then.
 */
extern DpEqualities *dp_gate_learn(DpEqualities *known, Node *condition);

/*
 * Whether an operator is an equality of a family by which two values that equal
 * a third equal each other. Those that depend on the time zone are not: no clock
 * shows the hour that is left out in spring, but two times of a day are the same
 * instant then.
 */
extern bool dp_gate_is_transitive(Oid operator, Oid family);

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
