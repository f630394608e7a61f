/*
 * search.h
 *		One way through the nodes of the server's queries and expressions, to find
 *		something in them or to put something else in its place.
 *
 * flags: QTW_..., for what is in queries. Entries of FROM are looked at where
 * QTW_EXAMINE_RTES_BEFORE or QTW_EXAMINE_RTES_AFTER is among them; what they read
 * is searched all the same.
 */
#ifndef DP_SERVER_SEARCH_H
#define DP_SERVER_SEARCH_H

#include "nodes/parsenodes.h"

/* Where a search goes from a node. */
typedef enum DpVisit
{
	DP_VISIT_PARTS, /* to what is beneath it */
	DP_VISIT_NEXT,	/* past what is beneath it */
	DP_VISIT_FOUND	/* no further: the search returns true */
} DpVisit;

/*
 * Looks at a node. around: the queries that are searched and that it is in, the
 * innermost first; a node of a level of list_length(around) is of none of them.
 */
typedef DpVisit (*DpLook)(Node *node, const List *around, void *context);

/* Looks at a node and at what is beneath it; NULL: at nothing. */
extern bool dp_search(Node *node, DpLook look, void *context, int flags);

/* Looks at what is in a query, which is around it, and not at itself. */
extern bool dp_search_query(Query *query, DpLook look, void *context,
							int flags);

/* Looks at what an entry of FROM reads. */
extern bool dp_search_entry(RangeTblEntry *rte, DpLook look, void *context,
							int flags);

/*
 * Calls a function for each node, also for queries, entries of FROM and what is in
 * sub-queries, until it returns true; then this does, too.
 */
extern bool dp_search_any(Node *node, bool (*test)(Node *node, void *context),
						  void *context);

/* The same for an expression without the sub-queries in it. */
extern bool dp_search_within(Node *node,
							 bool (*test)(Node *node, void *context),
							 void *context);

/* The same for what an entry of FROM reads, and for the entry. */
extern bool dp_search_any_of_entry(const RangeTblEntry *rte,
								   bool (*test)(Node *node, void *context),
								   void *context);

/* The query parameters of a statement, each once, as Param. */
extern List *dp_search_params(Node *node);

/* What stands in a node's place; NULL: itself, its parts replaced. */
typedef Node *(*DpReplacement)(Node *node, int depth, void *context);

/*
 * A copy of a node in which others stand for some. depth: queries around a node,
 * within what is copied. Queries are entered unless the replacement is themselves.
 */
extern Node *dp_search_replace(Node *node, DpReplacement replacement,
							   void *context);

#endif
