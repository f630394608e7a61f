/*
 * locations.h
 *		Where in the text of a statement a refused part of a query is written.
 *
 * The server keeps no positions of tables and clauses, only of the expressions
 * in them. The numbers are those that dp_refusal_raise takes; -1 means unknown.
 */
#ifndef DP_GATE_RELATIONS_LOCATIONS_H
#define DP_GATE_RELATIONS_LOCATIONS_H

#include "nodes/parsenodes.h"

/* The first of what a query puts out. */
extern int dp_locations_of_query(const Query *query);

/*
 * An entry of a query's FROM: what a sub-query puts out, a function's call; of
 * a table the first of its columns that the query names; else the query.
 */
extern int dp_locations_of_entry(Query *query, int rtindex);

#endif
