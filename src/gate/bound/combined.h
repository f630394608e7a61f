/*
 * combined.h
 *		Groups, windows and unions of rows as sub-queries.
 */
#ifndef DP_GATE_BOUND_COMBINED_H
#define DP_GATE_BOUND_COMBINED_H

#include "gate/bound/written.h"

extern Query *dp_combined_group(DpWritten *around, const DpGroup *group);
extern Query *dp_combined_window(DpWritten *around, const DpWindow *window);
extern Query *dp_combined_union(DpWritten *around, const DpNode *node);

#endif
