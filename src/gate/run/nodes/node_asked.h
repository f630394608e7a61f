/*
 * node_asked.h
 *		What other nodes are asked in place of the rows of a relation.
 *
 *		SELECT columns, aggregates FROM relation WHERE conditions GROUP BY columns
 *
 * All of it is pure (pure.h), and the aggregates are the server's own. It runs as
 * the owner of the relation. A statement beneath a release reads the result, by the
 * name of a copy (gate/relations/row_copies.h).
 */
#ifndef DP_GATE_RUN_NODES_NODE_ASKED_H
#define DP_GATE_RUN_NODES_NODE_ASKED_H

#include "nodes/parsenodes.h"

#include "gate/run/nodes/whole.h"

typedef struct DpNodeAsked
{
	Query *rows;
	bool is_grouped;  /* by all columns that are not aggregates */
	bool is_split;	  /* the aggregates of what reads it are (node_parts.h) */
	bool is_unfolded; /* a row is read as often as its last column says */
	bool is_closed;	  /* it gets no further columns */
	bool has_failed;  /* what was needed cannot be asked */
} DpNodeAsked;

/* Asks for no columns yet, of the only relation in a query's FROM. */
extern DpNodeAsked *dp_node_asked_begin(const Query *reader);

/*
 * That a pure condition is true, as nodes are asked it. No index is looked at for it:
 * some that a node may have return only some of the rows (gate/run/inner_plan.h).
 */
extern Node *dp_node_asked_condition(Node *condition);

/* Leaves the rows to the nodes for which it is. */
extern void dp_node_asked_where(DpNodeAsked *asked, Node *condition);

/* A pure expression as a column of the result; NULL where there is none. */
extern Node *dp_node_asked_column(DpNodeAsked *asked, Node *expression);

/*
 * The number of rows in which a pure expression has a value, or NULL: of all rows; and
 * the sum of one, of a type of whole numbers. filter: a pure condition or NULL.
 *
 * The function that is named takes arguments of these very types (pure.c).
 */
extern Node *dp_node_asked_count(DpNodeAsked *asked, Node *value, Node *filter);
extern Node *dp_node_asked_sum(DpNodeAsked *asked, const DpWhole *whole,
							   Node *value, Node *filter);

#endif
