/*
 * hashed_subqueries.h
 *		Sub-queries whose rows the server may keep in memory as a whole.
 *
 * It does so for NOT IN, and for IN and EXISTS beneath OR or in an expression,
 * unless it expects too many rows: when a row needs the table first, and
 * without splitting it, however large it becomes. So what is public in
 * such a sub-query must fit, whatever the server expects. IN and EXISTS as
 * conditions by themselves become joins (bounded_joins.h). Which do is known
 * before a plan is made.
 */
#ifndef DP_GATE_RUN_HASHED_SUBQUERIES_H
#define DP_GATE_RUN_HASHED_SUBQUERIES_H

#include "nodes/parsenodes.h"

/*
 * The copies of public rows that each such sub-query of a statement reads: lists of
 * their names (String).
 */
extern List *dp_hashed_subqueries_find(Query *statement);

#endif
