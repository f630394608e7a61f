/*
 * idle.h
 *		Leaves out left joins that change nothing.
 */
#ifndef DP_GATE_READ_IDLE_H
#define DP_GATE_READ_IDLE_H

#include "gate/read/scope.h"

/*
 * Leaves out left joins to what is public by its unique key if none of its columns
 * is named: the question is the same without them. rows: of FROM, which expressions
 * of the query are read over; they are over those that are left then: the columns of
 * the scope are changed.
 */
extern const DpNode *dp_idle_leave_out(DpScope *scope, const DpNode *rows);

#endif
