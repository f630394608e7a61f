/*
 * points.h
 *		Values as points of an aggregate's grid, as nodes are asked for them.
 */
#ifndef DP_GATE_RUN_NODES_POINTS_H
#define DP_GATE_RUN_NODES_POINTS_H

#include "nodes/primnodes.h"

#include "aggregates/aggregate.h"
#include "core/grid.h"
#include "gate/run/nodes/whole.h"

/*
 * Of one call. The sums of narrow points are of type bigint, which 2^40 of them fit
 * in; those of others are numeric.
 */
typedef struct DpNodePoints
{
	Node *
		point; /* null where a row is skipped; of means above the lower bound */
	const DpWhole *whole;
	DpGrid grid;
} DpNodePoints;

/* An argument of an aggregate, from 0. */
extern Node *dp_node_points_argument(const Aggref *aggref, int argno);

/*
 * False where the grid is not known by now, since bounds are parameters, or chosen, or
 * not such as the aggregate takes; or where values are not numbers.
 */
extern bool dp_node_points_of(const DpAggregateTraits *traits,
							  const Aggref *aggref, DpNodePoints *points);

#endif
