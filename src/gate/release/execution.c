/*
 * execution.c
 *		Statements within an execution: each has an executor state of its own,
 *		without instrumentation.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
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
	TupleDesc planned;
	TupleDesc checked; /* the last descriptor that was like it */
} RowReceiver;

static void
refuse_type(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("a relation was changed while a question about it was "
					"answered"),
			 errhint("Ask again.")));
}

/*
 * Rows that are passed on unchanged have the descriptor of the relation they
 * are read from.
 */
static void
check_descriptor(TupleDesc descriptor, TupleDesc planned)
{
	int i;

	if (descriptor->natts != planned->natts)
		refuse_type();
	for (i = 0; i < planned->natts; i++)
	{
		if (TupleDescAttr(descriptor, i)->attisdropped ||
			TupleDescAttr(descriptor, i)->atttypid !=
				TupleDescAttr(planned, i)->atttypid)
			refuse_type();
	}
}

static void
check_columns(TupleDesc planned, List *columns)
{
	ListCell *cell;

	if (planned->natts < list_length(columns))
		refuse_type();
	foreach (cell, columns)
	{
		if (TupleDescAttr(planned, foreach_current_index(cell))->atttypid !=
			exprType(lfirst(cell)))
			refuse_type();
	}
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext old = MemoryContextSwitchTo(receiver->memory);
	bool more;

	if (slot->tts_tupleDescriptor != receiver->checked)
	{
		check_descriptor(slot->tts_tupleDescriptor, receiver->planned);
		receiver->checked = slot->tts_tupleDescriptor;
	}
	more = receiver->function(slot, receiver->context);
	MemoryContextSwitchTo(old);
	return more;
}

static void
start_receiver(DestReceiver *self, int operation, TupleDesc descriptor)
{
	(void) operation;
	((RowReceiver *) self)->planned = descriptor;
}

static QueryDesc *
start(PlannedStmt *plan, EState *estate, List *columns, DestReceiver *receiver)
{
	QueryDesc *query;

	PushActiveSnapshot(estate->es_snapshot);
	query = CreateQueryDesc(copyObject(plan), "", GetActiveSnapshot(),
							InvalidSnapshot, receiver,
							estate->es_param_list_info, estate->es_queryEnv, 0);
	ExecutorStart(query, 0);
	check_columns(query->tupDesc, columns);
	return query;
}

void
dp_execution_end(QueryDesc *query)
{
	ExecutorFinish(query);
	ExecutorEnd(query);
	FreeQueryDesc(query);
	PopActiveSnapshot();
}

void
dp_execution_run(PlannedStmt *plan, EState *estate, List *columns,
				 DpRowFunction function, void *context)
{
	RowReceiver receiver = {.function = function,
							.context = context,
							.memory = CurrentMemoryContext};
	QueryDesc *query;

	receiver.pub = *None_Receiver;
	receiver.pub.receiveSlot = receive_row;
	receiver.pub.rStartup = start_receiver;
	query = start(plan, estate, columns, &receiver.pub);
	dp_compat_execute(query);
	dp_execution_end(query);
}

QueryDesc *
dp_execution_start_repeated(PlannedStmt *plan, EState *estate, List *columns)
{
	return start(plan, estate, columns, None_Receiver);
}

TupleTableSlot *
dp_execution_repeat(QueryDesc *query)
{
	MemoryContext old = MemoryContextSwitchTo(query->estate->es_query_cxt);
	TupleTableSlot *slot;

	ExecReScan(query->planstate);
	ResetPerTupleExprContext(query->estate);
	slot = ExecProcNode(query->planstate);
	check_descriptor(slot->tts_tupleDescriptor, query->tupDesc);
	MemoryContextSwitchTo(old);
	return slot;
}
