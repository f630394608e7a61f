/*
 * execution.h
 *		Runs planned statements within another's execution.
 */
#ifndef DP_GATE_RELEASE_EXECUTION_H
#define DP_GATE_RELEASE_EXECUTION_H

#include "executor/execdesc.h"
#include "nodes/execnodes.h"

/* Takes a row; false: no more are wanted. */
typedef bool (*DpRowFunction)(TupleTableSlot *slot, void *context);

/*
 * Runs a statement once, on the snapshot and with the parameters of an
 * execution, and hands its rows to a function, in the caller's memory context.
 * Errors: the statement's and the function's.
 */
extern void dp_gate_execute(PlannedStmt *plan, EState *estate,
							DpRowFunction function, void *context);

/*
 * The same for a statement of one row that is run many times, anew each time:
 * what it draws is drawn again. The slot is valid until the next time.
 */
extern QueryDesc *dp_gate_repeat_start(PlannedStmt *plan, EState *estate);
extern TupleTableSlot *dp_gate_repeat(QueryDesc *query);
extern void dp_gate_repeat_end(QueryDesc *query);

#endif
