/*
 * settle.c
 *		The releases of a statement, from the question to the rows.
 *
 * Price, charge, lay out, run, store: asking is charged. First the statement is
 * charged, durably, before anything is read of a protected relation; then what
 * must be computed is computed; then the answers are stored for replay; only
 * then the rows are available. Whatever ends the statement after the charge, the
 * charge stays, since otherwise a failure would reveal something about the rows
 * for free (failed_release.h). Memory that may be needed is looked for before the
 * charge (memory_reserve.h), where its lack tells nothing.
 *
 * What is read with the user's own rights (public values of keys, and other
 * public rows) is read before the charge. So errors in it cost nothing, and no
 * user-defined code runs between the charge and the moment when the rows are
 * available. If there is anything to be read, the ledger is tried first, since
 * stored answers do not need it. Their groups with private keys are stored,
 * too, and are not selected again; whoever was answered before does not pay for
 * them again either, and whoever shares others' answers pays for their selection
 * as the others did.
 */
#include "postgres.h"

#include "executor/instrument.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "gate/question/relations/rights.h"
#include "gate/release/agreeing_tables.h"
#include "gate/release/answer_store.h"
#include "gate/release/charge_request.h"
#include "gate/release/computation.h"
#include "gate/release/failed_release.h"
#include "gate/release/grouped_answers.h"
#include "gate/release/grouping_shares.h"
#include "gate/release/intervals.h"
#include "gate/release/layout.h"
#include "gate/release/memory_reserve.h"
#include "gate/release/payer_check.h"
#include "gate/release/premises.h"
#include "gate/release/questions.h"
#include "gate/release/settle.h"
#include "gate/release/sub_query_values.h"

/* The following functions are before the charge. */

/* What must hold before anything is asked, and what is found first. */
static void
begin(List *states)
{
	ListCell *cell;

	dp_gate_refuse_nested();
	foreach (cell, states)
	{
		if (((DpReleaseState *) lfirst(cell))->has_failed)
			elog(ERROR, "a DP Release that failed cannot be read");
	}
	foreach (cell, states)
		dp_sub_query_values_find(lfirst(cell));
	dp_payer_check(states);
	foreach (cell, states)
	{
		dp_premises_check_caps(lfirst(cell));
		dp_intervals_find_levels(&((DpReleaseState *) lfirst(cell))->answers);
	}
	foreach (cell, states)
		dp_premises_check(lfirst(cell));
	dp_grouping_shares_find(states);
	dp_questions_find(states);
}

/* Whether something may have to be read before the charge. */
static bool
needs_preparation(List *states)
{
	ListCell *cell;

	foreach (cell, states)
	{
		const DpOutline *outline =
			&((DpReleaseState *) lfirst(cell))->plan->outline;

		if (outline->keys != NIL || outline->lookups != NIL)
			return true;
	}
	return false;
}

/*
 * Sets how groups with private keys are selected. Where some of a release's
 * answers are there already, so are its groups: those of the answers, which
 * become its rows. False when nothing has to be selected.
 */
static bool
prepare_selections(List *states, const DpPrice *price)
{
	bool any = false;
	ListCell *cell;

	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);

		if (!dp_groups_are_private(&state->groups))
			continue;
		dp_answer_store_use_replayed(state, price);
		if (state->answers.rows != NULL || dp_questions_are_repeated(state))
			continue;
		state->groups.selection = dp_group_selection_prepare(&state->terms);
		any = true;
	}
	return any;
}

/* Releases that ask nothing: the values of public keys alone. */
static void
lay_out_keys(List *states)
{
	ListCell *cell;

	foreach (cell, states)
	{
		if (((DpReleaseState *) lfirst(cell))->plan->outline.aggregates == NIL)
			dp_layout_rows(lfirst(cell));
	}
}

/*
 * Reads what is the user's own, and tells nothing of protected rows, for what
 * is going to be charged: public values of keys, and rows of what is public.
 * What is wrong with those costs nothing. What will be shared is prepared, too,
 * since its stored answer may be gone when it is charged.
 */
static void
prepare(const DpPrice *price)
{
	Size size = 0;
	int i;

	for (i = 0; i < price->count; i++)
	{
		const DpPricedCharge *priced = &price->charges[i];
		bool is_fresh = dp_charge_request_is_fresh(priced);

		if (!dp_charge_request_is_asked(priced))
			continue;
		dp_layout_read(priced->state, is_fresh);
		if (is_fresh && priced->charge.has_levels &&
			!dp_groups_are_private(&priced->state->groups))
			dp_answer_store_check_levels(priced, &size);
	}
}

/* Asks the ledger, which charges. */
static DpPrice
charge(List *states)
{
	DpPrice price = dp_price_make(states);

	if (needs_preparation(states))
		dp_charge_request_try(&price);
	if (prepare_selections(states, &price))
	{
		DpPrice before = price;

		price = dp_price_make(states);
		dp_charge_request_carry_over(&price, &before);
		dp_charge_request_try(&price); /* now it is known whose are the same */
		dp_charge_request_keep_together(&price);
	}
	lay_out_keys(states);
	prepare(&price);
	dp_memory_reserve_check(&price);
	dp_charge_request_charge(&price);
	dp_charge_request_list_failing(&price);
	return price;
}

/* The following functions are after the charge. */

/* Computes and stores what is charged for. */
static void
answer(List *states, DpPrice *price)
{
	dp_answer_store_use_shared_groups(states, price);
	dp_computation_run(price);
	dp_answer_store_use_all(states, price);
	dp_answer_store_keep(price);
	dp_answer_store_copy(states, price);
}

/* Once all answers are there, sets what is computed from them. */
static void
complete(List *states)
{
	ListCell *cell;

	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);

		if (dp_release_state_asker(state) != state)
			dp_answer_table_begin(&state->answers);
	}
	dp_grouped_answers_repeat(states);
	foreach (cell, states)
		dp_intervals_fill(&((DpReleaseState *) lfirst(cell))->answers);
	dp_agreeing_tables_show(states);
}

/*
 * Raised only now, since the error itself depends on the data, and is paid
 * for.
 */
static void
check_selections(List *states)
{
	ListCell *cell;

	foreach (cell, states)
	{
		const DpGroupSelection *selection =
			((DpReleaseState *) lfirst(cell))->groups.selection;

		if (selection != NULL && selection->is_exceeded)
			ereport(
				ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many groups in a query over a protected "
						"relation"),
				 errdetail("They hold more than %d values, or more than %d MB "
						   "of keys. The question is charged all the same.",
						   DP_VALUES_MAX, DP_KEYS_SIZE_MAX / 1024 / 1024),
				 errhint("Group by something coarser.")));
	}
}

static void
settle(List *states)
{
	DpPrice price = charge(states);
	ListCell *cell;

	/* Reserved so that errors can be handled when there is no more memory. */
	MemoryContext reserve = AllocSetContextCreate(
		CurrentMemoryContext, "error of a release", ALLOCSET_DEFAULT_SIZES);
	int nest = dp_failed_release_begin();

	PG_TRY();
	{
		answer(states, &price);
		complete(states);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(reserve);
		dp_failed_release_end(states, &price, nest);
	}
	PG_END_TRY();
	AtEOXact_GUC(true, nest);
	foreach (cell, states)
		dp_layout_close_copies(lfirst(cell)); /* of what others have answered */
	check_selections(states);
}

void
dp_settle(List *states)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "settling of releases", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	BufferUsage buffers = pgBufferUsage;
	ListCell *cell;

	begin(states);
	settle(states);
	pgBufferUsage = buffers; /* EXPLAIN must not count what was looked up */
	foreach (cell, states)
		((DpReleaseState *) lfirst(cell))->is_done = true;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
