/*
 * flatten.h
 *		Sub-queries and views in FROM, written out where they only select and join.
 *
 * Such a sub-query is replaced by its own FROM and conditions, so that everything
 * that is read is over relations, and what is said of a column in one query and
 * in the one around it comes together.
 */
#ifndef DP_GATE_RELATIONS_FLATTEN_H
#define DP_GATE_RELATIONS_FLATTEN_H

#include "nodes/parsenodes.h"

/*
 * Puts what sub-queries and views in FROM read in their place, where they only
 * select and join. Others are left.
 *
 * Errors: insufficient_privilege, where the user may not read a view, or the
 * owner of a view a relation in it that is not protected.
 */
extern void dp_flatten_subqueries(Query *query);

/* Columns of joins in a query become those of what is joined. */
extern void dp_flatten_joins(Query *query);

/*
 * Refuses what the server would: reading a view in a query's FROM, or
 * relations in its own that are not protected, without the privilege. It is
 * then asked for no more.
 */
extern void dp_flatten_take_privileges(const Query *query, RangeTblEntry *rte);

#endif
