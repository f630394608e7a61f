/*
 * subqueries.h
 *		Sub-queries, views and WITH in the FROM of a block, written out.
 *
 * A sub-query that only selects rows and columns, and joins them, is replaced
 * by its own FROM and conditions. So everything that is checked, asked and run
 * is over relations.
 */
#ifndef DP_GATE_QUESTION_ROWS_SUBQUERIES_H
#define DP_GATE_QUESTION_ROWS_SUBQUERIES_H

#include "nodes/parsenodes.h"

/*
 * Puts queries of a statement's WITH in place of their names, at all levels,
 * where one reads rows of protected relations itself, not by a block that is
 * answered, or is read by a block. Volatile and recursive ones are left.
 */
extern void dp_gate_write_out_ctes(Query *query);

/* The same for one query of the WITH; false where it is left. */
extern bool dp_gate_write_out_cte(Query *query, CommonTableExpr *cte);

/*
 * Puts what sub-queries and views in FROM read in their place, where they only
 * select and join. Others are left.
 *
 * Errors: insufficient_privilege, where the user may not read a view, or the
 * owner of a view a relation in it that is not protected.
 */
extern void dp_gate_write_out_subqueries(Query *query);

/* Columns of joins in a query become those of what is joined. */
extern void dp_gate_flatten_joins(Query *query);

/*
 * Refuses what the server would: reading a view in a query's FROM, or
 * relations in its own that are not protected, without the privilege. It is
 * then asked for no more.
 */
extern void dp_gate_take_privileges(const Query *query, RangeTblEntry *rte);

#endif
