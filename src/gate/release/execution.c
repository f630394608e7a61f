/*
 * execution.c
 *		Statements within an execution: each has an executor state of its own,
 *		without instrumentation.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "tcop/dest.h"
#include "utils/snapmgr.h"

#include "gate/release/execution.h"
#include "server/compat.h"

typedef struct RowReceiver
{
	DestReceiver pub;
	DpRowFunction function;
	void *context;
	MemoryContext memory;
} RowReceiver;

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext old = MemoryContextSwitchTo(receiver->memory);
	bool more = receiver->function(slot, receiver->context);

	MemoryContextSwitchTo(old);
	return more;
}

static void
ignore_startup(DestReceiver *self, int operation, TupleDesc descriptor)
{
	(void) self;
	(void) operation;
	(void) descriptor;
}

static void
ignore(DestReceiver *self)
{
	(void) self;
}

static QueryDesc *
start(PlannedStmt *plan, EState *estate, DestReceiver *receiver)
{
	QueryDesc *query;

	PushActiveSnapshot(estate->es_snapshot);
	query = CreateQueryDesc(copyObject(plan), "", GetActiveSnapshot(),
							InvalidSnapshot, receiver,
							estate->es_param_list_info, estate->es_queryEnv, 0);
	ExecutorStart(query, 0);
	return query;
}

static void
finish(QueryDesc *query)
{
	ExecutorFinish(query);
	ExecutorEnd(query);
	FreeQueryDesc(query);
	PopActiveSnapshot();
}

void
dp_gate_execute(PlannedStmt *plan, EState *estate, DpRowFunction function,
				void *context)
{
	RowReceiver receiver = {.function = function,
							.context = context,
							.memory = CurrentMemoryContext};
	QueryDesc *query;

	receiver.pub.receiveSlot = receive_row;
	receiver.pub.rStartup = ignore_startup;
	receiver.pub.rShutdown = ignore;
	receiver.pub.rDestroy = ignore;
	receiver.pub.mydest = DestNone;
	query = start(plan, estate, &receiver.pub);
	dp_compat_execute(query);
	finish(query);
}

QueryDesc *
dp_gate_repeat_start(PlannedStmt *plan, EState *estate)
{
	return start(plan, estate, None_Receiver);
}

TupleTableSlot *
dp_gate_repeat(QueryDesc *query)
{
	MemoryContext old = MemoryContextSwitchTo(query->estate->es_query_cxt);
	TupleTableSlot *slot;

	ExecReScan(query->planstate);
	ResetPerTupleExprContext(query->estate);
	slot = ExecProcNode(query->planstate);
	MemoryContextSwitchTo(old);
	return slot;
}

void
dp_gate_repeat_end(QueryDesc *query)
{
	finish(query);
}
