/*
 * key_condition.h
 *		Which rows have a public key's values.
 */
#ifndef DP_GATE_QUESTION_KEY_CONDITION_H
#define DP_GATE_QUESTION_KEY_CONDITION_H

#include "nodes/parsenodes.h"

#include "gate/question/key.h"

/*
 * A condition that holds for the rows whose key lies in its domain. column: the
 * key as a statement has it, of the key's type and compared in its collation;
 * clause: how it is grouped, whose equality is the condition's.
 *
 * NULL where nothing is to be left out: values outside of the domain are known
 * to be none, or the domain is found only when the statement runs, from a query
 * of the user's own (a column of a joined table, a foreign key). Of these, a
 * joined table gives each of its rows' values, and a foreign key that is
 * validated each of the column's, unless row-level security hides some of them.
 */
extern Node *dp_gate_key_condition(const DpKey *key, Node *column,
								   const SortGroupClause *clause);

#endif
