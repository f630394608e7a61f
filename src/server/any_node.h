/*
 * any_node.h
 *		Looks for a node anywhere in a query or an expression.
 */
#ifndef DP_SERVER_ANY_NODE_H
#define DP_SERVER_ANY_NODE_H

#include "nodes/parsenodes.h"

/*
 * Calls a function for each node, also for queries, entries of FROM and what is in
 * sub-queries, until it returns true; then this does, too.
 */
extern bool dp_any_node(Node *node, bool (*test)(Node *node, void *context),
						void *context);

/* The same for an expression without the sub-queries in it. */
extern bool dp_any_node_within(Node *node,
							   bool (*test)(Node *node, void *context),
							   void *context);

/* The same for what an entry of FROM reads, and for the entry. */
extern bool dp_any_node_of_entry(const RangeTblEntry *rte,
								 bool (*test)(Node *node, void *context),
								 void *context);

#endif
