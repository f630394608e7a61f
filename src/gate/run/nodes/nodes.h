/*
 * nodes.h
 *		What other nodes compute of the statements beneath releases.
 *
 * A relation that Citus distributes is not read row by row where its nodes can do a
 * part of the work. A statement is cut where it reads the relation alone: below is
 * what the nodes are asked (node_asked.h), above is what reads the result in place of the
 * relation, and does all the rest as before: bounding units, choosing their groups,
 * noise. There are several ways, from the least to the most that nodes do:
 *
 *	0	columns of all rows
 *	1	columns and expressions of those rows that meet conditions, or, where that is
 *		less, different ones and their numbers (few.h)
 *	2	counts and sums of points (node_parts.h) by the statement's own groups
 *	3	the same of units that are bounded there (node_units.h)
 *
 * Which of them is taken is decided by the question and by declarations alone, when
 * it is planned.
 */
#ifndef DP_GATE_RUN_NODES_NODES_H
#define DP_GATE_RUN_NODES_NODES_H

#include "gate/bound/bound.h"

/*
 * dp_bound_question, with statements cut, and reading copies where they must
 * (gate/relations/row_copies.h).
 */
extern List *dp_nodes_bound_question(DpPlanning *planning,
									 const DpQuestion *question);

/* What nodes compute, in words for EXPLAIN; NULL: there are none. */
extern const char *dp_nodes_words(DpNodeWork work);

#endif
