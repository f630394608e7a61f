/*
 * unit_queries.h
 *		Sub-queries in FROM that are made of each unit's rows.
 *
 * GROUP BY, DISTINCT and windows make one row of many. If these all belong to
 * one unit, the result does, too. So the keys must determine the unit. It is
 * added to the keys, so that no group can contain two units, whatever the rows
 * hold, and to the columns, so that the query around knows the owner.
 */
#ifndef DP_GATE_QUESTION_ROWS_UNIT_QUERIES_H
#define DP_GATE_QUESTION_ROWS_UNIT_QUERIES_H

#include "gate/question/rows/rows.h"

/*
 * Gives the rows of a sub-query over protected relations, that is a FROM item
 * of a query, an owner. Errors: as of dp_gate_own_rows.
 */
extern DpOwned *dp_gate_own_query(DpScope *around, int rtindex);

/* The same, whatever view it may have come from. */
extern DpOwned *dp_gate_own_subquery(DpScope *around, int rtindex);

/*
 * Folds and checks what a query computes from its rows. Aggregates and window
 * functions of its own must be totals that cannot fail.
 */
extern void dp_gate_check_outputs(DpScope *scope);

#endif
