/*
 * node_units.h
 *		Units bounded on nodes, where these have all rows of each.
 *
 *		SELECT sum(contribution(partial)), ...
 *		FROM (SELECT unit, partial ... FROM relation WHERE ... GROUP BY unit)
 *
 * A table that is distributed by the privacy unit has all rows of a unit on one
 * node. There it is bounded as here (mechanisms/unit.h), in whole numbers, and what
 * comes are the sums of contributions, to which noise is added here. Only without
 * groups, where no unit's groups are to be chosen, and only where all conditions can
 * be left to the nodes.
 */
#ifndef DP_GATE_RUN_NODES_NODE_UNITS_H
#define DP_GATE_RUN_NODES_NODE_UNITS_H

#include "gate/bound/outline.h"

/*
 * A statement over sums of units, in place of one that bounds them; rows: what nodes
 * are asked, which is its FROM. NULL where it cannot be. reader: the query in it that
 * reads the relation.
 */
extern Query *dp_units_on_nodes(const Query *statement, const Query *reader,
								const DpOutline *outline, Query **rows);

#endif
