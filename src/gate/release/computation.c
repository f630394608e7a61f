/*
 * computation.c
 *		Runs the inner statements of releases: what is drawn, is drawn here.
 */
#include "postgres.h"

#include "executor/tuptable.h"
#include "miscadmin.h"

#include "gate/question/keys/key.h"
#include "gate/question/relations/silence.h"
#include "gate/release/charge_request.h"
#include "gate/release/computation.h"
#include "gate/release/execution.h"
#include "gate/release/layout.h"
#include "gate/release/private_groups.h"
#include "gate/release/recorded_keys.h"
#include "gate/release/silent_run.h"
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
	DpRowTable *rows = run->state->answers.rows;
	int keys = list_length(run->state->plan->outline.keys);
	int64 row;

	slot_getallattrs(slot);
	row = dp_row_table_find(rows, slot->tts_values, slot->tts_isnull);
	if (row < 0)
	{
		DP_RECORD_UNSEEN();
		return true;
	}
	DP_RECORD_ROW(dp_recorded_keys_text(run->state->plan->outline.keys,
										slot->tts_values, slot->tts_isnull));
	dp_answer_table_set(&run->state->answers, row, slot->tts_values + keys,
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
	QueryDesc *query = dp_execution_start_repeated(
		state->plan->empty, state->css.ss.ps.state,
		dp_answer_table_computed(NIL, state->plan->outline.aggregates));
	int64 row;

	for (row = 0; row < dp_row_table_count(state->answers.rows); row++)
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		if (run->has_rows[row])
			continue;
		slot = dp_execution_repeat(query);
		slot_getallattrs(slot);
		DP_RECORD_ROW(dp_recorded_keys_text(
			state->plan->outline.keys,
			dp_row_table_values(state->answers.rows, row),
			dp_row_table_nulls(state->answers.rows, row)));
		dp_answer_table_set(&state->answers, row, slot->tts_values,
							slot->tts_isnull);
	}
	dp_execution_end_repeated(query);
}

/*
 * Runs the aggregates once, with noise, and fills in the rows that are there;
 * groups that they do not have are left out.
 */
static void
run_inner(DpReleaseState *state)
{
	Run run = {state,
			   palloc0(dp_row_table_count(state->answers.rows) * sizeof(bool))};

	DP_RECORD_RELEASE("");
	dp_gate_keep_zone(state->plan->inner);
	dp_execution_run(state->plan->inner, state->css.ss.ps.state,
					 dp_answer_table_computed(state->plan->outline.keys,
											  state->plan->outline.aggregates),
					 receive_group, &run);
	if (state->plan->outline.keys != NIL)
		fill_groups(&run);
	pfree(run.has_rows);
}

static void
open_copies(DpReleaseState *state)
{
	dp_table_copies_open_protected(state->plan->outline.copies,
								   &state->plan->outline.relations,
								   &state->copies, state->css.ss.ps.state);
}

/* Runs the aggregates of a release. */
static void
compute_release(DpReleaseState *state)
{
	const DpGroupSelection *selection = state->groups.selection;
	bool selects = selection != NULL && !selection->is_shared;

	dp_table_copies_use(&state->copies, state->css.ss.ps.state);
	if (state->plan->outline.copies != NIL)
		dp_silent_run(state, open_copies);
	if (selects)
		dp_silent_run(state, dp_private_groups_select);
	if (!selects ||
		(state->plan->unit_counts != NULL && !selection->is_exceeded))
		dp_silent_run(state, run_inner);
	dp_layout_close_copies(state);
	state->answers.is_computed = true;
}

static void
compute_grouped(DpReleaseState *state)
{
	foreach_ptr (DpReleaseState, grouping, state->groupings->states)
	{
		if (!grouping->answers.is_computed)
			compute_release(grouping);
	}
}

static void
check_shapes(DpReleaseState *state)
{
	foreach_ptr (DpReleaseState, grouping, state->groupings->states)
		dp_gate_shapes_check(&grouping->plan->shapes);
}

void
dp_computation_run(const DpPrice *price)
{
	int i;

	for (i = 0; i < price->count; i++)
	{
		if (dp_charge_request_is_fresh(&price->charges[i]))
			dp_layout_read(price->charges[i].state, true);
	}
	for (i = 0; i < price->count; i++)
		check_shapes(price->charges[i].state);
	for (i = 0; i < price->count; i++)
	{
		if (dp_charge_request_is_fresh(&price->charges[i]))
			compute_grouped(price->charges[i].state);
	}
}
