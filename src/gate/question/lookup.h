/*
 * lookup.h
 *		Columns of joined tables, as expressions over the protected relation.
 *
 * A row of the protected relation meets at most one row of a table that is
 * joined by a unique key of its own. So a column of that table is a function
 * of the protected row: the value found by the key. It is written as such, as a
 * node that bears the key: what is checked, asked and compared is
 * an expression over the protected relation alone, and two questions are the
 * same where the same keys are looked up, whatever the tables are called.
 */
#ifndef DP_GATE_QUESTION_LOOKUP_H
#define DP_GATE_QUESTION_LOOKUP_H

#include "nodes/parsenodes.h"

/*
 * The column of a joined relation. keys: columns of its unique index, as
 * constants, each followed by the expression that it equals. is_outer: null
 * where no row is found.
 */
extern Node *dp_gate_lookup_make(Var *column, Oid relation, List *keys,
								 bool is_outer);

/*
 * The column's place in the range table when a node (without the relabelling
 * that gives it the column's type) is one; else NULL. No text that is parsed
 * becomes such a node.
 */
extern Var *dp_gate_lookup_column(Node *node);

/* The number of its column, then the keys as they were given. */
extern List *dp_gate_lookup_key(Node *node);

/* False where the rows that are counted have found one. */
extern bool dp_gate_lookup_is_outer(Node *node);

/* Puts the columns back in place of such nodes in what a query computes. */
extern void dp_gate_restore_columns(Query *query);

#endif
