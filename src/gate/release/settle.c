/*
 * settle.c
 *		The releases of a statement, from the question to the rows.
 *
 * Price, charge, lay out, run, store: asking is charged. First the statement is
 * charged, durably, before anything is read of a protected relation; then what
 * must be computed is computed; then the answers are stored for replay; only
 * then the rows are available. Whatever ends the statement after the charge, the
 * charge stays, since otherwise a failure would reveal something about the rows
 * for free. Memory that may be needed is looked for before the charge, where its
 * lack tells nothing (failure.h).
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

#include "gate/relations/role_rights.h"
#include "gate/release/agreeing_tables.h"
#include "gate/release/agreement.h"
#include "gate/release/answer_store.h"
#include "gate/release/charge_request.h"
#include "gate/release/chosen_bounds.h"
#include "gate/release/chosen_caps.h"
#include "gate/release/computation.h"
#include "gate/release/derived.h"
#include "gate/release/empty_groups.h"
#include "gate/release/failure.h"
#include "gate/release/groupings.h"
#include "gate/release/intervals.h"
#include "gate/release/layout.h"
#include "gate/release/level_chain.h"
#include "gate/release/premises.h"
#include "gate/release/questions.h"
#include "gate/release/settle.h"
#include "gate/release/sub_query_values.h"

/* The following functions are before the charge. */

/*
 * What must hold before anything is asked, and what is found first. Returns the
 * releases that ask.
 */
static List *
begin(List *states)
{
	List *askers;

	dp_role_rights_refuse_nested();
	foreach_ptr (DpReleaseState, state, states)
	{
		if (state->has_failed)
			elog(ERROR, "a DP Release that failed cannot be read");
	}
	foreach_ptr (DpReleaseState, state, states)
		dp_sub_query_values_find(state);
	dp_premises_check_payer(states);
	foreach_ptr (DpReleaseState, state, states)
	{
		dp_premises_check_caps(state);
		dp_intervals_find_levels(&state->answers);
	}
	foreach_ptr (DpReleaseState, state, states)
		dp_premises_check(state);
	askers = dp_agreement_share_out(states);
	dp_questions_find(askers);
	return askers;
}

/* Whether something may have to be read before the charge. */
static bool
needs_preparation(List *states)
{
	foreach_ptr (DpReleaseState, state, states)
	{
		const DpOutline *outline = state->outline;

		if (outline->keys != NIL || outline->lookups != NIL)
			return true;
	}
	return false;
}

/* Releases that ask nothing: the values of public keys alone. */
static void
lay_out_keys(List *askers)
{
	foreach_ptr (DpReleaseState, state, askers)
	{
		if (state->outline->aggregates == NIL)
			dp_layout_rows(state);
	}
}

/*
 * Reads, with the user's own rights, the public values of keys and the public rows
 * that charged questions need, so that errors there cost nothing. So it is done for
 * what will be shared, too: its stored answer may be gone when it is charged.
 */
static void
prepare(const DpPrice *price)
{
	Size size = 0;
	int i;

	for (i = 0; i < price->count; i++)
	{
		const DpPricedCharge *priced = &price->charges[i];
		bool is_fresh = dp_price_is_fresh(priced);

		if (!dp_price_is_asked(priced))
			continue;
		dp_layout_read(priced->state, is_fresh);
		if (is_fresh && priced->charge.has_levels &&
			!dp_groups_are_private(&priced->state->groups))
			dp_level_chain_check(priced, &size);
	}
}

/* Asks the ledger, which charges. */
static DpPrice
charge(List *states, List *askers)
{
	DpPrice price = dp_price_make(askers);

	dp_derived_find(&price);
	if (needs_preparation(states))
		dp_charge_request_ask(&price, dp_ledger_try);
	dp_answer_store_use(askers, &price, DP_ANSWER_STORE_REPLAYED, true);
	if (dp_questions_prepare_selections(askers))
	{
		price = dp_charge_request_price_again(askers, &price);
		dp_charge_request_ask(
			&price, dp_ledger_try); /* now it is known whose are the same */
		dp_charge_request_keep_together(&price);
	}
	lay_out_keys(askers);
	prepare(&price);
	dp_failure_check_memory(&price);
	dp_charge_request_ask(&price, dp_ledger_charge);
	dp_charge_request_list_failing(&price);
	return price;
}

/* The following functions are after the charge. */

/* Computes and stores what is charged for. */
static void
answer(List *askers, DpPrice *price)
{
	dp_answer_store_use(askers, price, DP_ANSWER_STORE_SHARED, true);
	dp_computation_run(price);
	dp_answer_store_use(askers, price,
						DP_ANSWER_STORE_REPLAYED | DP_ANSWER_STORE_SHARED,
						false);
	dp_answer_store_keep(price);
	dp_answer_store_copy(askers, price);
}

/* Once all answers are there, sets what is computed from them. */
static void
complete(List *askers)
{
	foreach_ptr (DpReleaseState, state, askers)
	{
		foreach_ptr (DpReleaseState, grouping, state->groupings->states)
		{
			dp_intervals_fill(&grouping->answers);
			dp_empty_groups_find(&grouping->answers);
		}
		if (list_length(state->groupings->states) > 1)
			dp_agreeing_tables_show(state);
		foreach_ptr (DpReleaseState, grouping, state->groupings->states)
			dp_empty_groups_finish(&grouping->answers);
		dp_groupings_repeat(state);
	}
}

/*
 * Raised only now, since the error itself depends on the data, and is paid
 * for.
 */
static void
check_selections(List *askers)
{
	foreach_ptr (DpReleaseState, state, askers)
	{
		const DpGroupSelection *selection = state->groups.selection;

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

/* Says how many groups are left out. What repeats others is counted once. */
static void
report_hidden(List *askers)
{
	int64 hidden = 0;

	foreach_ptr (DpReleaseState, state, askers)
	{
		foreach_ptr (DpReleaseState, grouping, state->groupings->states)
		{
			if (state->outline->aggregates != NIL &&
				!dp_release_state_repeats(state, 0))
				hidden += dp_empty_groups_hidden(&grouping->answers);
		}
	}
	dp_empty_groups_report(hidden);
}

/* Says, once, that totals and ranks of groups lack those that are left out. */
static void
report_combined(List *states)
{
	foreach_ptr (DpReleaseState, state, states)
	{
		if (!state->outline->are_combined)
			continue;
		ereport(NOTICE,
				(errmsg("groups of too few people are missing from what is "
						"computed over the groups"),
				 errhint("Where a key's values are private, small groups are "
						 "left out; ask for totals and quantiles of all rows "
						 "without that key.")));
		return;
	}
}

static void
settle(List *states, List *askers)
{
	DpPrice price = charge(states, askers);

	/* Reserved so that errors can be handled when there is no more memory. */
	MemoryContext reserve = AllocSetContextCreate(
		CurrentMemoryContext, "error of a release", ALLOCSET_DEFAULT_SIZES);
	int nest = dp_failure_begin();

	PG_TRY();
	{
		answer(askers, &price);
		complete(askers);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(reserve);
		dp_failure_end(states, &price, nest);
	}
	PG_END_TRY();
	AtEOXact_GUC(true, nest);
	foreach_ptr (DpReleaseState, state, states)
		dp_layout_close_copies(state); /* of what others have answered */
	check_selections(askers);
	report_hidden(askers);
	report_combined(states);
}

void
dp_settle(List *states)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "settling of releases", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	BufferUsage buffers = pgBufferUsage;

	settle(states, begin(states));
	pgBufferUsage = buffers; /* EXPLAIN must not count what was looked up */
	foreach_ptr (DpReleaseState, state, states)
		state->is_done = true;
	dp_chosen_bounds_tell(states);
	dp_chosen_caps_tell(states);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
