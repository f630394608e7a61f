/*
 * groups.h
 *		Reads GROUP BY, HAVING and DISTINCT of sub-queries.
 *
 * Expressions over groups are read over the rows and then taken apart: what is
 * a key, or an aggregate, becomes a column of the group.
 */
#ifndef DP_GATE_READ_GROUPS_H
#define DP_GATE_READ_GROUPS_H

#include "gate/read/outputs.h"

/* Groups the rows if the query does. having: of const DpExpr. */
extern void dp_groups_make(DpOutputs *outputs, List *having);

/* The same for DISTINCT: what is put out are the keys. */
extern void dp_groups_make_distinct(DpOutputs *outputs);

#endif
