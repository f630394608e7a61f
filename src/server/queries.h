/*
 * queries.h
 *		Makes queries of the server.
 */
#ifndef DP_SERVER_QUERIES_H
#define DP_SERVER_QUERIES_H

#include "nodes/parsenodes.h"

/* SELECT, of nothing and from nothing yet. */
extern Query *dp_query_make(void);

/* Adds a column to what a query puts out. name: or NULL, for c1, c2 and so on. */
extern TargetEntry *dp_query_add_target(Query *query, Node *expr,
										const char *name);

/* A clause for a target, which gets a number if it has none. is_sorted: it needs an order. */
extern SortGroupClause *dp_query_clause(TargetEntry *entry, bool is_sorted);

/* The number of an entry of FROM, as FROM refers to it. */
extern Node *dp_query_reference(int rtindex);

/* A statement that reads another as its only relation, and a column of that. */
extern Query *dp_query_over(Query *query, const char *name);
extern Var *dp_query_column(const TargetEntry *entry);

/* count(*) */
extern Aggref *dp_query_count_rows(void);

/* The entry of FROM that a join has, without names for columns. */
extern RangeTblEntry *dp_query_join_entry(JoinType type);

/* Items of FROM, joined without conditions, as one. */
extern Node *dp_query_join(List *from);

/* (query) AS alias, an entry of FROM, with names for its columns. */
extern RangeTblEntry *dp_query_entry(Query *query, const char *alias);

/*
 * UNION ALL of queries. columns: those of the first, as Vars of entry 1 of the
 * types that the union has.
 */
extern Query *dp_query_union(List *parts, List *columns, const char *alias);

#endif
