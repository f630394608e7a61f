/*
 * inner.c
 *		Runs the aggregates of a release.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

#include "gate/release_state.h"
#include "server/compat.h"

/* Receives the rows of an inner statement. */
typedef struct RowReceiver
{
	DestReceiver pub;
	DpReleaseState *state;
	MemoryContext context;
	int row;	   /* that the next is for; -1: that of its keys */
	bool *present; /* which rows came */
} RowReceiver;

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	DpReleaseState *state = receiver->state;
	int keys = list_length(state->release->keys);
	int row = receiver->row;
	int column = keys;
	MemoryContext old;
	int i = 0;

	slot_getallattrs(slot);
	if (row < 0)
	{
		row = dp_gate_find_row(state, slot->tts_values, slot->tts_isnull);
		if (row < 0)
			return true; /* a value outside the domain */
		i = keys;
	}
	receiver->present[row] = true;
	old = MemoryContextSwitchTo(receiver->context);
	for (; i < slot->tts_tupleDescriptor->natts; i++, column++)
	{
		Form_pg_attribute attribute =
			TupleDescAttr(slot->tts_tupleDescriptor, i);
		int place = row * state->columns + column;

		state->nulls[place] = slot->tts_isnull[i];
		if (!slot->tts_isnull[i])
			state->values[place] = datumCopy(
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

		/* Whether a limit is met tells of the rows that were spilled. */
		{"temp_file_limit", "-1"},
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

static QueryDesc *
start(DpReleaseState *state, PlannedStmt *plan, RowReceiver *receiver)
{
	EState *estate = state->css.ss.ps.state;
	QueryDesc *query = CreateQueryDesc(
		copyObject(plan), "", GetActiveSnapshot(), InvalidSnapshot,
		&receiver->pub, estate->es_param_list_info, estate->es_queryEnv, 0);

	ExecutorStart(query, 0);
	return query;
}

static void
finish(QueryDesc *query)
{
	ExecutorFinish(query);
	ExecutorEnd(query);
	FreeQueryDesc(query);
}

/* Rows that no group came for are those of groups without rows. */
static void
fill_in(DpReleaseState *state, RowReceiver *receiver)
{
	QueryDesc *query = NULL;
	int row;

	for (row = 0; row < state->rows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		if (receiver->present[row])
			continue;
		if (query == NULL)
			query = start(state, state->release->empty, receiver);
		else
			ExecutorRewind(query);
		receiver->row = row;
		dp_compat_execute(query);
	}
	if (query != NULL)
		finish(query);
}

static void
run(DpReleaseState *state, RowReceiver *receiver)
{
	QueryDesc *query = start(state, state->release->inner, receiver);

	receiver->row = state->release->keys == NIL ? 0 : -1;
	dp_compat_execute(query);
	finish(query);
	if (state->release->keys != NIL)
		fill_in(state, receiver);
}

/*
 * Runs the aggregates once. What the server may show of running a statement
 * (buffers, messages, sort statistics) is kept back.
 */
void
dp_gate_run_inner(DpReleaseState *state)
{
	EState *estate = state->css.ss.ps.state;
	RowReceiver receiver = {.state = state};
	BufferUsage buffers = pgBufferUsage;
	WalUsage wal = pgWalUsage;
	int nest = dp_gate_begin_silence();

	receiver.pub.receiveSlot = receive_row;
	receiver.pub.rStartup = ignore_startup;
	receiver.pub.rShutdown = ignore;
	receiver.pub.rDestroy = ignore;
	receiver.pub.mydest = DestNone;
	receiver.context = estate->es_query_cxt;
	receiver.present = palloc0(Max(state->rows, 1) * sizeof(bool));

	PG_TRY();
	{
		PushActiveSnapshot(estate->es_snapshot);
		run(state, &receiver);
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
