/*
 * inner.c
 *		Runs the aggregates of a release.
 */
#include "postgres.h"

#include "executor/instrument.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "gate/execution.h"
#include "gate/release_state.h"

int
dp_gate_begin_silence(void)
{
	static const char *const settings[][2] = {
		{"client_min_messages", "error"},
		{"track_counts", "off"},
		{"trace_sort", "off"}, /* where the server has it */
		{"log_temp_files", "-1"},
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

/* A run of the aggregates of a release. */
typedef struct Run
{
	DpReleaseState *state;
	bool *has_rows; /* per place of the release's rows */
} Run;

static void
set_aggregates(DpRows *rows, int64 place, int keys, const TupleTableSlot *slot,
			   int first)
{
	int i;

	for (i = first; i < slot->tts_tupleDescriptor->natts; i++)
		dp_gate_rows_set(rows, place, keys + i - first, slot->tts_values[i],
						 slot->tts_isnull[i]);
}

/* A group: its key values as the domain has them, or none of the domain. */
static bool
receive_group(TupleTableSlot *slot, void *context)
{
	Run *run = context;
	DpRows *rows = run->state->rows;
	int keys = list_length(run->state->release->keys);
	int64 place;

	slot_getallattrs(slot);
	place = dp_gate_rows_find(rows, slot->tts_values, slot->tts_isnull);
	if (place < 0)
		return true;
	set_aggregates(rows, place, keys, slot, keys);
	run->has_rows[place] = true;
	return true;
}

/* Groups without rows: the same aggregates over nothing, each drawn anew. */
static void
fill_groups(Run *run)
{
	DpReleaseState *state = run->state;
	int keys = list_length(state->release->keys);
	QueryDesc *query =
		dp_gate_repeat_start(state->release->empty, state->css.ss.ps.state);
	int64 place;

	for (place = 0; place < dp_gate_rows_count(state->rows); place++)
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		if (run->has_rows[place])
			continue;
		slot = dp_gate_repeat(query);
		slot_getallattrs(slot);
		set_aggregates(state->rows, place, keys, slot, 0);
	}
	dp_gate_repeat_end(query);
}

/*
 * Runs the aggregates once. What the server may show of running a statement
 * (buffers, messages, sort statistics) is kept back.
 */
void
dp_gate_run_inner(DpReleaseState *state)
{
	EState *estate = state->css.ss.ps.state;
	Run run = {state, palloc0(dp_gate_rows_count(state->rows) * sizeof(bool))};
	BufferUsage buffers = pgBufferUsage;
	WalUsage wal = pgWalUsage;
	int nest = dp_gate_begin_silence();

	PG_TRY();
	{
		dp_gate_execute(state->release->inner, estate, receive_group, &run);
		if (state->release->keys != NIL)
			fill_groups(&run);
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
	pfree(run.has_rows);
}
