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
 * columns: expressions of whose types its first columns must be. Rows are of
 * the types that were planned, whatever the relations are now.
 *
 * Errors: the statement's and the function's; datatype_mismatch for others.
 */
extern void dp_execution_run(PlannedStmt *plan, EState *estate, List *columns,
							 DpRowFunction function, void *context);

/*
 * The same for a statement of one row that is run many times; each run draws
 * its noise anew. The slot is valid until the next time.
 */
extern QueryDesc *dp_execution_start_repeated(PlannedStmt *plan, EState *estate,
											  List *columns);
extern TupleTableSlot *dp_execution_repeat(QueryDesc *query);
extern void dp_execution_end(QueryDesc *query);

#endif
