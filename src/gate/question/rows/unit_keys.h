/*
 * unit_keys.h
 *		Which rows are of one unit, by units and by keys that tell it.
 *
 * Rows belong to one unit if the unit's columns are equal in them, or all
 * columns of a key of the relation that has the unit: an order determines its
 * customer.
 */
#ifndef DP_GATE_QUESTION_ROWS_UNIT_KEYS_H
#define DP_GATE_QUESTION_ROWS_UNIT_KEYS_H

#include "gate/question/rows/rows.h"

/*
 * Whether two sets of columns are one unit in all rows in which some columns
 * are equal; they may be of the scope's query or of the one around.
 */
extern bool dp_gate_same_unit(const DpScope *scope, const DpEqualities *equal,
							  List *one, List *other);

/*
 * Refuses a unit of a nondeterministic collation where rows of two relations,
 * or of one read twice, meet: compared byte by byte, one unit there could be
 * several units here. what: for the message.
 */
extern void dp_gate_check_unit_collation(const List *unit, const char *what,
										 int location);

/*
 * Whether a column is one of a unit, or of a key of what bears that, so that it
 * is null in no row that counts.
 */
extern bool dp_gate_is_certain(const DpScope *scope, const DpEqualities *known,
							   Var *column, List *unit);

/*
 * Whether a unique index tells all rows of a relation apart by these columns,
 * all of them, in any order. Rows with nulls are not told apart, and equal
 * none.
 */
extern bool dp_gate_is_key(Oid relation, const List *columns);

/*
 * The columns of indexes that tell all rows of a relation apart: lists of
 * integers. Of inheriting tables they say nothing. Nulls are not told apart:
 * none of the columns may be null.
 */
extern List *dp_gate_unique_keys(Oid relation);

/* Whether columns that are equal to some expressions determine the unit. */
extern bool dp_gate_determines_unit(const DpScope *scope, List *expressions);

/* What is known of the unit's bearer in the columns of a query's result. */
extern void dp_gate_set_bearer(const DpScope *scope, DpOwned *owned);

#endif
