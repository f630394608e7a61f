/*
 * unit_sort.h
 *		Rows of units with more groups than fit into memory, in order.
 */
#ifndef DP_GATE_RUN_UNIT_SORT_H
#define DP_GATE_RUN_UNIT_SORT_H

#include "nodes/plannodes.h"
#include "utils/tuplesort.h"

#include "gate/run/unit_groups.h"

/*
 * Begins a sort by the unit and the hash of the group, the last of the columns.
 * agg: the aggregation that would be the server's, whose columns the plan tells.
 */
extern Tuplesortstate *dp_unit_sort_begin(const Agg *agg, TupleDesc columns,
										  const DpUnitGroupsPlan *plan);

#endif
