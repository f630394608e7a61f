/*
 * key_condition.h
 *		Which rows have a public key's values.
 */
#ifndef DP_GATE_BOUND_KEY_CONDITION_H
#define DP_GATE_BOUND_KEY_CONDITION_H

#include "nodes/parsenodes.h"

#include "gate/bound/key.h"
#include "gate/facts/together.h"

/*
 * A condition that holds for the rows whose key lies in its domain. column: the
 * key as a statement has it, of the key's type and compared in its collation;
 * clause: how it is grouped, whose equality is the condition's. values: gets how
 * many different keys there can be under the condition, NULL one of them.
 *
 * NULL, and 0 values, where the domain is found only when the statement runs:
 * from an enum's values, which can become more while a plan is kept, or from a
 * query of the user's own (a column of a joined table, a foreign key). No row
 * has a value outside of these, but for a foreign key to a table whose row-level
 * security hides some from the user.
 */
extern Node *dp_key_condition(const DpKey *key, Node *column,
							  const SortGroupClause *clause, uint64 *values);

/* A condition that holds for the rows that are kept, by their column. */
extern Node *dp_key_condition_kept(const DpKept *kept, Node *column,
								   const SortGroupClause *clause);

#endif
