/*
 * pure.h
 *		Which expressions other nodes may compute.
 *
 * A node that computes an expression runs it as the owner of the relation, with
 * the settings that its server has, from a text. So only what is the same there
 * as here may be: the server's own immutable functions over its own types, of
 * texts only what compares bytes, and constants that have one text whatever the
 * settings are. Parameters are none of these, since other questions' answers may
 * be in them; those of the asker that are known have become constants (node_known.h).
 */
#ifndef DP_GATE_RUN_NODES_PURE_H
#define DP_GATE_RUN_NODES_PURE_H

#include "nodes/parsenodes.h"

/* Whether an expression over columns of one relation is one. */
extern bool dp_nodes_is_pure(Node *expression);

/* What is ANDed in a condition, at any depth; NULL: nothing. */
extern List *dp_nodes_conjuncts(Node *condition);

/* Whether it is one, and rows may be grouped by it. */
extern bool dp_nodes_is_key(Node *expression);

/* What a query groups by, whatever type of the same bits it is read as. */
extern Node *dp_nodes_grouped_by(const Query *query,
								 const SortGroupClause *clause);

/* The same as a node is asked for it: nothing in it goes without saying. */
extern Node *dp_nodes_written_out(Node *expression);

#endif
