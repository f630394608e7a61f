/*
 * node_parts.h
 *		Aggregates of what other nodes have counted and added up.
 *
 * Counts are sums of counts. Values become points of a grid first (core/grid.h),
 * which are integers, so their sums are exact whoever adds which of them: the states
 * here are the same as if all rows had been read. Which aggregates are split so, their
 * rows of the table say (aggregates/aggregate.c); none is whose bounds are no
 * constants, or, of integers, so far apart that the grid has longer steps than 1.
 */
#ifndef DP_GATE_RUN_NODES_NODE_PARTS_H
#define DP_GATE_RUN_NODES_NODE_PARTS_H

#include "aggregates/aggregate.h"
#include "gate/run/nodes/node_asked.h"

/*
 * The aggregate in the place of one over rows; what it needs is asked for. NULL where
 * it cannot be split.
 */
extern Node *dp_parts_of(DpNodeAsked *asked, Aggref *aggref);

/* Whether an aggregate's argument and filter are pure, and it has nothing besides. */
extern bool dp_parts_is_plain(const Aggref *aggref);

/* The form of the gate's of an aggregate that is as it was written. */
extern Aggref *dp_parts_form_of(Aggref *aggref);

/* Whether it is the server's count. */
extern bool dp_parts_is_count(const Aggref *aggref);

#endif
