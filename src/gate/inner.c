/*
 * inner.c
 *		Runs the aggregates of a release.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "tcop/dest.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

#include "gate/release_state.h"
#include "server/compat.h"

/* Receives the inner statement's row. */
typedef struct RowReceiver
{
	DestReceiver pub;
	DpReleaseState *state;
	MemoryContext context;
} RowReceiver;

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext old = MemoryContextSwitchTo(receiver->context);
	int i;

	slot_getallattrs(slot);
	for (i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		Form_pg_attribute attribute =
			TupleDescAttr(slot->tts_tupleDescriptor, i);

		receiver->state->nulls[i] = slot->tts_isnull[i];
		if (!slot->tts_isnull[i])
			receiver->state->values[i] = datumCopy(
				slot->tts_values[i], attribute->attbyval, attribute->attlen);
	}
	MemoryContextSwitchTo(old);
	return true;
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

int
dp_gate_begin_silence(void)
{
	static const char *const settings[][2] = {
		{"client_min_messages", "error"},
		{"track_counts", "off"},
		{"trace_sort", "off"}, /* where the server has it */
		{"auto_explain.log_min_duration", "-1"},
	};
	int nest = NewGUCNestLevel();
	size_t i;

	for (i = 0; i < lengthof(settings); i++)
	{
		if (GetConfigOption(settings[i][0], true, false) != NULL)
			(void) set_config_option(settings[i][0], settings[i][1], PGC_SUSET,
									 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
									 false);
	}
	return nest;
}

/*
 * Ends the handling of an error beneath a release. Messages about the
 * statement, the session or the server go on. Others, of a foreign table whose
 * file has a bad line, say, may quote rows.
 */
static void
rethrow(void)
{
	int code = geterrcode();

	switch (ERRCODE_TO_CATEGORY(code))
	{
		case ERRCODE_FEATURE_NOT_SUPPORTED:
		case ERRCODE_INVALID_TRANSACTION_STATE:
		case ERRCODE_TRANSACTION_ROLLBACK:
		case ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION:
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_PROGRAM_LIMIT_EXCEEDED:
		case ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE:
		case ERRCODE_OPERATOR_INTERVENTION:
			PG_RE_THROW();
		default:
			if (code == ERRCODE_INVALID_PARAMETER_VALUE ||
				code == ERRCODE_NULL_VALUE_NOT_ALLOWED)
				PG_RE_THROW();
	}
	FlushErrorState();
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("the protected relation could not be read"),
			 errhint("Ask its owner, to whom a plain query shows the cause.")));
}

/*
 * Runs the aggregates once. What the server may show of running a statement
 * (buffers, messages, sort statistics) is kept back.
 */
void
dp_gate_run_inner(DpReleaseState *state)
{
	EState *estate = state->css.ss.ps.state;
	RowReceiver receiver = {.state = NULL};
	BufferUsage buffers = pgBufferUsage;
	WalUsage wal = pgWalUsage;
	int nest = dp_gate_begin_silence();
	QueryDesc *query;

	receiver.pub.receiveSlot = receive_row;
	receiver.pub.rStartup = ignore_startup;
	receiver.pub.rShutdown = ignore;
	receiver.pub.rDestroy = ignore;
	receiver.pub.mydest = DestNone;
	receiver.state = state;
	receiver.context = estate->es_query_cxt;

	PG_TRY();
	{
		PushActiveSnapshot(estate->es_snapshot);
		query =
			CreateQueryDesc(copyObject(state->release->inner), "",
							GetActiveSnapshot(), InvalidSnapshot, &receiver.pub,
							estate->es_param_list_info, estate->es_queryEnv, 0);
		ExecutorStart(query, 0);
		dp_compat_execute(query);
		ExecutorFinish(query);
		ExecutorEnd(query);
		FreeQueryDesc(query);
		PopActiveSnapshot();
		AtEOXact_GUC(true, nest);
	}
	PG_CATCH();
	{
		/* Whoever catches a cancellation may be watched. */
		pgBufferUsage = buffers;
		pgWalUsage = wal;
		MemoryContextSwitchTo(estate->es_query_cxt);
		rethrow();
	}
	PG_END_TRY();
	pgBufferUsage = buffers;
	pgWalUsage = wal;
}
