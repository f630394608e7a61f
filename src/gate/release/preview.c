/*
 * preview.c
 *		What would become of a statement's releases, for EXPLAIN.
 *
 * As in an execution, the ledger is asked about all releases of the statement
 * together. Nothing is charged, and if the ledger cannot answer, that is no
 * error: EXPLAIN also works on a standby, and where the ledger has no process.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "gate/release/asker.h"
#include "gate/release/asking.h"
#include "gate/release/constants.h"
#include "gate/release/groupings.h"
#include "gate/release/preview.h"
#include "gate/release/scan.h"
#include "gate/release/equal_questions.h"

/* True for errors that say why a question would not be answered now. */
static bool
is_answer(int code)
{
	return code == ERRCODE_FEATURE_NOT_SUPPORTED ||
		   code == ERRCODE_INSUFFICIENT_PRIVILEGE ||
		   code == ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE ||
		   code == ERRCODE_INSUFFICIENT_RESOURCES ||
		   code == ERRCODE_PROGRAM_LIMIT_EXCEEDED ||
		   code == ERRCODE_CRASH_SHUTDOWN;
}

/* Asks the ledger; errors that are answers become part of the preview. */
static void
ask(List *states, DpAsking *asked, DpPreview *preview)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		dp_gate_check_asker(states);
		dp_gate_preview_charge(asked, preview);
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (!is_answer(error->sqlerrcode))
			PG_RE_THROW();
		FlushErrorState();
		memset(preview, 0, sizeof(*preview));
		preview->sqlstate = error->sqlerrcode;
		strlcpy(preview->message, error->message, sizeof(preview->message));
	}
	PG_END_TRY();
}

/* True when the ledger would replay one of a release's answers. */
static bool
is_replayed(const DpReleaseState *state, const DpPreview *preview,
			const DpAsking *asked)
{
	uint32 i;

	for (i = 0; i < preview->charge_count; i++)
	{
		if (asked->questions[i].state == state &&
			preview->charges[i].outcome == DP_OUTCOME_REPLAYED)
			return true;
	}
	return false;
}

/*
 * Prepares selections as settling does; false when nothing would have to be
 * selected.
 */
static bool
prepare_selections(List *states, const DpPreview *preview,
				   const DpAsking *asked)
{
	bool any = false;
	ListCell *cell;

	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);

		if (!dp_gate_has_private_keys(state) ||
			is_replayed(state, preview, asked) ||
			dp_gate_is_answered_before(state))
			continue;
		state->selection = dp_gate_prepare_group_selection(state);
		any = true;
	}
	return any;
}

static bool
awaits_constants(List *states)
{
	ListCell *cell;

	foreach (cell, states)
	{
		if (dp_gate_awaits_constants(lfirst(cell)))
			return true;
	}
	return false;
}

/* Says that the questions depend on answers which only an execution has. */
static void
wait_for_constants(DpPreview *preview)
{
	preview->sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
	strlcpy(preview->message,
			"the question depends on the value of a sub-query, which is found "
			"first",
			sizeof(preview->message));
}

static void
preview_charges(List *states, DpPreview *preview)
{
	DpAsking asked;

	dp_gate_find_groupings(states);
	asked = dp_gate_list_questions(states);
	ask(states, &asked, preview);
	if (prepare_selections(states, preview, &asked))
	{
		asked = dp_gate_list_again(states, &asked);
		ask(states, &asked, preview);
		dp_gate_keep_together(&asked); /* as in settle.c */
		ask(states, &asked, preview);
	}
}

void
dp_gate_preview(DpReleaseState *state)
{
	EState *estate = state->css.ss.ps.state;
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	List *states = dp_gate_releases_of(estate);
	DpPreview *preview = palloc0(sizeof(DpPreview));
	uint32 first = 0;
	ListCell *cell;

	foreach (cell, states)
		dp_gate_find_askers_constants(lfirst(cell));
	if (awaits_constants(states))
		wait_for_constants(preview);
	else
		preview_charges(states, preview);
	foreach (cell, states)
	{
		DpReleaseState *other = lfirst(cell);

		other->preview = preview;
		other->first_charge = first;
		first += dp_gate_count_charges(other);
	}
	MemoryContextSwitchTo(old);
}
