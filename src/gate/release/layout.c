/*
 * layout.c
 *		The rows of releases: laid out, or those of stored answers; and what is
 *		public, which is read for them.
 */
#include "postgres.h"

#include "gate/question/keys/key.h"
#include "gate/release/groupings.h"
#include "gate/release/hashed_rows.h"
#include "gate/release/layout.h"
#include "gate/release/lookup_rows.h"

void
dp_gate_make_rows(DpReleaseState *state, bool computes)
{
	MemoryContext old =
		MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	DpRelease *release = state->release;

	if (state->rows == NULL)
		state->rows = dp_gate_rows_make(dp_gate_kept_columns(release),
										list_length(release->outline.keys));
	if (release->outline.keys == NIL)
		(void) dp_gate_rows_add(state->rows, NULL, NULL);
	else if (computes && !dp_gate_has_private_keys(state))
		dp_gate_groups_add_rows(dp_gate_release_groups(state), state->rows);
	MemoryContextSwitchTo(old);
}

void
dp_gate_lay_out(DpReleaseState *state)
{
	if (state->laid_out)
		return;
	dp_gate_make_rows(state, true);
	if (dp_gate_keys_of(state->release->outline.keys, true) != NIL)
		(void) dp_gate_release_groups(state);
	state->laid_out = true;
}

void
dp_gate_use_stored(const DpQuestion *question)
{
	const DpChargeResult *result = &question->result;
	DpReleaseState *state = question->state;
	ListCell *cell;

	if (question->charge.is_joint || dp_gate_is_selection(question))
		return; /* the one before has it */
	foreach (cell, dp_gate_grouped(state))
	{
		DpReleaseState *grouped = lfirst(cell);

		dp_gate_make_rows(grouped, false);
		grouped->told[question->aggno].outcome = result->outcome;
		grouped->told[question->aggno].at = result->at;
	}
	dp_gate_read_grouped(state, question->aggno, result->answer,
						 result->answer_size);
}

void
dp_gate_use_all_stored(const DpAsking *asked)
{
	int i;

	for (i = 0; i < asked->count; i++)
	{
		if (asked->questions[i].result.outcome != DP_OUTCOME_CHARGED)
			dp_gate_use_stored(&asked->questions[i]);
	}
}

void
dp_gate_use_shared_groups(const DpAsking *asked)
{
	int i;

	for (i = 0; i < asked->count; i++)
	{
		if (asked->questions[i].result.outcome == DP_OUTCOME_SHARED &&
			dp_gate_has_private_keys(asked->questions[i].state))
			dp_gate_use_stored(&asked->questions[i]);
	}
}

/*
 * Each release has lookups of its own, and they are not in use at the same
 * time.
 */
static void
open_lookups(DpReleaseState *state)
{
	EState *estate = state->css.ss.ps.state;

	if (state->looked_up)
		return;
	state->lookups = dp_gate_open_lookups(state->release->outline.lookups,
										  state->release->outline.lookup_keys,
										  &state->release->shapes, estate);
	state->looked_up = true;
	dp_gate_check_hashed(&state->release->hashed, &state->lookups);
}

void
dp_gate_end_lookups(DpReleaseState *state)
{
	if (state->looked_up)
		dp_gate_close_lookups(&state->lookups, state->css.ss.ps.state);
	state->looked_up = false;
}

void
dp_gate_read_for(DpReleaseState *state, bool lays_out)
{
	ListCell *cell;

	foreach (cell, dp_gate_grouped(state))
	{
		if (lays_out)
			dp_gate_lay_out(lfirst(cell));
		else if (dp_gate_keys_of(
					 ((DpReleaseState *) lfirst(cell))->release->outline.keys,
					 true) != NIL)
			(void) dp_gate_release_groups(lfirst(cell));
		open_lookups(lfirst(cell));
	}
}
