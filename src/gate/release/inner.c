/*
 * inner.c
 *		Runs the aggregates of a release for groups that are known.
 */
#include "postgres.h"

#include "executor/tuptable.h"
#include "miscadmin.h"

#include "gate/question/keys/key.h"
#include "gate/question/relations/silence.h"
#include "gate/release/execution.h"
#include "gate/release/inner.h"
#include "gate/release/recorded_keys.h"
#include "random/record.h"

/* A run of the aggregates of a release. */
typedef struct Run
{
	DpReleaseState *state;
	bool *has_rows; /* by row of the release */
} Run;

/* Receives a group; one whose keys are outside the domain is skipped. */
static bool
receive_group(TupleTableSlot *slot, void *context)
{
	Run *run = context;
	DpRows *rows = run->state->rows;
	int keys = list_length(run->state->release->outline.keys);
	int64 row;

	slot_getallattrs(slot);
	row = dp_gate_rows_find(rows, slot->tts_values, slot->tts_isnull);
	if (row < 0)
	{
		DP_RECORD_UNSEEN();
		return true;
	}
	DP_RECORD_ROW(dp_gate_recorded_keys(run->state->release->outline.keys,
										slot->tts_values, slot->tts_isnull));
	dp_gate_set_answers(run->state, row, slot->tts_values + keys,
						slot->tts_isnull + keys);
	run->has_rows[row] = true;
	return true;
}

/*
 * Fills groups without rows: the same aggregates over no rows, drawn anew for
 * each.
 */
static void
fill_groups(Run *run)
{
	DpReleaseState *state = run->state;
	QueryDesc *query = dp_gate_repeat_start(
		state->release->empty, state->css.ss.ps.state,
		dp_gate_computed_columns(NIL, state->release->outline.aggregates));
	int64 row;

	for (row = 0; row < dp_gate_rows_count(state->rows); row++)
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		if (run->has_rows[row])
			continue;
		slot = dp_gate_repeat(query);
		slot_getallattrs(slot);
		DP_RECORD_ROW(dp_gate_recorded_keys(
			state->release->outline.keys, dp_gate_rows_values(state->rows, row),
			dp_gate_rows_nulls(state->rows, row)));
		dp_gate_set_answers(state, row, slot->tts_values, slot->tts_isnull);
	}
	dp_gate_repeat_end(query);
}

void
dp_gate_run_inner(DpReleaseState *state)
{
	Run run = {state, palloc0(dp_gate_rows_count(state->rows) * sizeof(bool))};

	DP_RECORD_RELEASE("");
	dp_gate_keep_zone(state->release->inner);
	dp_gate_execute(
		state->release->inner, state->css.ss.ps.state,
		dp_gate_computed_columns(state->release->outline.keys,
								 state->release->outline.aggregates),
		receive_group, &run);
	if (state->release->outline.keys != NIL)
		fill_groups(&run);
	pfree(run.has_rows);
}
