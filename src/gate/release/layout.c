/*
 * layout.c
 *		The rows of releases, and what is public, which is read for them.
 */
#include "postgres.h"

#include "gate/release/layout.h"
#include "gate/release/node_checks.h"

void
dp_layout_begin(DpReleaseState *state)
{
	foreach_ptr (DpReleaseState, grouping, state->groupings->states)
		dp_answer_table_begin(&grouping->answers);
}

void
dp_layout_rows(DpReleaseState *state)
{
	DpAnswerTable *answers = &state->answers;
	MemoryContext old;

	if (answers->is_laid_out)
		return;
	dp_answer_table_begin(answers);
	if (dp_groups_have_public_keys(&state->groups))
		(void) dp_groups_find(&state->groups);
	old = MemoryContextSwitchTo(state->estate->es_query_cxt);
	if (state->outline->keys != NIL && !dp_groups_are_private(&state->groups))
		dp_groups_add_rows(&state->groups, answers->rows);
	MemoryContextSwitchTo(old);
	answers->is_laid_out = true;
}

/*
 * Each release has copies of its own, and they are not in use at the same time.
 */
static void
open_copies(DpReleaseState *state)
{
	const DpOutline *outline = state->outline;

	if (state->has_copies)
		return;
	state->copies =
		dp_table_copies_open_public(outline->lookups, outline->lookup_keys,
									&state->plan->shapes, state->estate);
	state->has_copies = true;
	dp_table_copies_check(&state->copies, &state->plan->hashed);
	dp_node_checks_run(state);
}

void
dp_layout_close_copies(DpReleaseState *state)
{
	if (state->has_copies)
		dp_table_copies_close(&state->copies, state->estate);
	state->has_copies = false;
}

void
dp_layout_read(DpReleaseState *state, bool lays_out)
{
	foreach_ptr (DpReleaseState, grouping, state->groupings->states)
	{
		if (lays_out)
			dp_layout_rows(grouping);
		else if (dp_groups_have_public_keys(&grouping->groups))
			(void) dp_groups_find(&grouping->groups);
		open_copies(grouping);
	}
}
