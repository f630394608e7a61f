/*
 * explain_preview.c
 *		What would become of a statement's releases, for EXPLAIN.
 *
 * As in an execution, the ledger is asked about all releases of the statement
 * together. Nothing is charged, and if the ledger cannot answer, that is no
 * error: EXPLAIN also works on a standby, and where the ledger has no process.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "gate/release/charge_request.h"
#include "gate/release/explain_preview.h"
#include "gate/release/grouping_shares.h"
#include "gate/release/payer_check.h"
#include "gate/release/price.h"
#include "gate/release/questions.h"
#include "gate/release/sub_query_values.h"

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
ask(List *states, DpPrice *price, DpPreview *preview)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		dp_payer_check(states);
		dp_charge_request_preview(price, preview);
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
			const DpPrice *price)
{
	uint32 i;

	for (i = 0; i < preview->charge_count; i++)
	{
		if (price->charges[i].state == state &&
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
prepare_selections(List *states, const DpPreview *preview, const DpPrice *price)
{
	bool any = false;
	ListCell *cell;

	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);

		if (!dp_groups_are_private(&state->groups) ||
			is_replayed(state, preview, price) ||
			dp_questions_are_repeated(state))
			continue;
		state->groups.selection = dp_group_selection_prepare(&state->terms);
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
		if (dp_sub_query_values_are_awaited(lfirst(cell)))
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

/* Notes what would become of the questions; the worst of all populations. */
static void
note_outcomes(const DpPrice *price, const DpPreview *preview)
{
	uint32 i;

	for (i = 0; i < preview->charge_count; i++)
	{
		const DpPricedCharge *priced = &price->charges[i];
		DpQuestion *question = priced->question;

		if (question != NULL &&
			(!priced->charge.is_joint ||
			 (preview->charges[i].outcome == DP_OUTCOME_REFUSED &&
			  question->told.outcome != DP_OUTCOME_REFUSED)))
			question->told = preview->charges[i];
	}
}

static void
preview_charges(List *states, DpPreview *preview)
{
	DpPrice price;

	dp_grouping_shares_find(states);
	dp_questions_find(states);
	price = dp_price_make(states);
	ask(states, &price, preview);
	if (prepare_selections(states, preview, &price))
	{
		DpPrice before = price;

		price = dp_price_make(states);
		dp_charge_request_carry_over(&price, &before);
		ask(states, &price, preview);
		dp_charge_request_keep_together(&price); /* as in settle.c */
		ask(states, &price, preview);
	}
	note_outcomes(&price, preview);
}

void
dp_explain_preview(EState *estate)
{
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	List *states = dp_release_states_of(estate);
	DpPreview *preview = palloc0(sizeof(DpPreview));
	ListCell *cell;

	foreach (cell, states)
		dp_sub_query_values_find_of_asker(lfirst(cell));
	if (awaits_constants(states))
		wait_for_constants(preview);
	else
		preview_charges(states, preview);
	foreach (cell, states)
		((DpReleaseState *) lfirst(cell))->preview = preview;
	MemoryContextSwitchTo(old);
}
