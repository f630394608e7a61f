/*
 * sizes.h
 *		How many rows units have, for a cap that is chosen with an answer.
 */
#ifndef DP_GATE_BOUND_SIZES_H
#define DP_GATE_BOUND_SIZES_H

#include "nodes/parsenodes.h"

#include "gate/relations/relations.h"

/*
 * A statement of one row: how many units have more rows than each candidate below a
 * maximum (mechanisms/chosen_cap.h) in the group in which they have the most, in any
 * group that rows have. True numbers, which only that mechanism may see. rows: the
 * question's, grouped by its keys, which may be changed.
 */
extern Query *dp_sizes_count(Query *rows, const DpRelations *relations,
							 uint32 most);

#endif
