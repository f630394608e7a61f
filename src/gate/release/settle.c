/*
 * settle.c
 *		The releases of a statement and the ledger.
 *
 * Asking is charged: first the statement is charged, durably, before anything
 * is read of a protected relation; then what must be computed is computed;
 * then the answers are stored for replay; only then the rows are available.
 * Whatever ends the statement after the charge, the charge stays, since
 * otherwise a failure would reveal something about the rows for free.
 *
 * If it ends with an error before the rows are available, they never will be:
 * the releases are marked as failed for good, and what was drawn is discarded.
 * The ledger is then told that nobody saw an answer, so that the question may
 * be asked again, for another charge. That message may get lost: if the ledger
 * does not know how a question ended, it counts as asked. If the error may
 * depend on rows, the ledger is first told that the question failed: after a few
 * failures a role may not ask any more (ledger/failures.h). What is not counted
 * is not told to the asker, either. Memory that may be needed is looked for before the charge
 * (reserve.h), where its lack tells nothing.
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
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "utils/guc.h"

#include "gate/question/keys/key.h"
#include "gate/question/relations/reliance.h"
#include "gate/question/relations/rights.h"
#include "gate/question/relations/silence.h"
#include "gate/question/units/contributions.h"
#include "gate/release/agreement.h"
#include "gate/release/asker.h"
#include "gate/release/asking.h"
#include "gate/release/chain.h"
#include "gate/release/constants.h"
#include "gate/release/equal_questions.h"
#include "gate/release/groupings.h"
#include "gate/release/inner.h"
#include "gate/release/layout.h"
#include "gate/release/lookup_rows.h"
#include "gate/release/reserve.h"
#include "gate/release/settle.h"
#include "gate/release/silent_run.h"
#include "gate/release/storing.h"

/*
 * Sets how groups with private keys are selected. Where some of a release's
 * answers are there already, so are its groups: those of the answers, which
 * become its rows. False when nothing has to be selected.
 */
static bool
prepare_selections(List *states, const DpAsking *asked)
{
	bool any = false;
	ListCell *cell;

	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);
		int i;

		if (!dp_gate_has_private_keys(state))
			continue;
		for (i = 0; i < asked->count; i++)
		{
			const DpQuestion *question = &asked->questions[i];

			if (question->state == state &&
				question->result.outcome == DP_OUTCOME_REPLAYED)
				dp_gate_use_stored(question);
		}
		if (state->rows != NULL || dp_gate_is_answered_before(state))
			continue;
		state->selection = dp_gate_prepare_group_selection(state);
		any = true;
	}
	return any;
}

/* Whether something may have to be read before the charge. */
static bool
needs_preparation(List *states)
{
	ListCell *cell;

	foreach (cell, states)
	{
		const DpRelease *release = ((DpReleaseState *) lfirst(cell))->release;

		if (release->outline.keys != NIL || release->outline.lookups != NIL)
			return true;
	}
	return false;
}

/*
 * Reads what is the user's own, and tells nothing of protected rows, for what
 * is going to be charged: public values of keys, and rows of what is public.
 * What is wrong with those costs nothing. What will be shared is prepared, too,
 * since its stored answer may be gone when it is charged.
 */
static void
prepare(const DpAsking *asked)
{
	Size size = 0;
	int i;

	for (i = 0; i < asked->count; i++)
	{
		const DpQuestion *question = &asked->questions[i];
		DpReleaseState *state = question->state;

		if (!dp_gate_is_asked(question))
			continue;
		dp_gate_read_for(state, dp_gate_is_fresh(question));
		if (dp_gate_is_fresh(question) && question->charge.has_levels &&
			!dp_gate_has_private_keys(state))
			dp_gate_chain_check_size(state, question->aggno, &size);
	}
}

/* Releases that ask nothing: the values of public keys alone. */
static void
lay_out_keys(List *states)
{
	ListCell *cell;

	foreach (cell, states)
	{
		if (((DpReleaseState *) lfirst(cell))->release->outline.aggregates ==
			NIL)
			dp_gate_lay_out(lfirst(cell));
	}
}

/* Asks the ledger, which charges. */
static DpAsking
ask(List *states)
{
	DpAsking asked = dp_gate_list_questions(states);

	if (needs_preparation(states))
		dp_gate_try_charge(&asked);
	if (prepare_selections(states, &asked))
	{
		asked = dp_gate_list_again(states, &asked);
		dp_gate_try_charge(&asked); /* now it is known whose are the same */
		dp_gate_keep_together(&asked);
	}
	lay_out_keys(states);
	prepare(&asked);
	dp_gate_reserve_memory(&asked);
	dp_gate_charge(&asked);
	dp_gate_list_failing(&asked);
	return asked;
}

static void
open_copies(DpReleaseState *state)
{
	dp_gate_open_copies(state->release->outline.copies,
						&state->release->outline.relations, &state->lookups,
						state->css.ss.ps.state);
}

/* Runs the aggregates of a release. */
static void
compute_release(DpReleaseState *state)
{
	EState *estate = state->css.ss.ps.state;
	bool selects = state->selection != NULL && !state->selection->is_shared;

	dp_gate_use_lookups(&state->lookups, estate);
	if (state->release->outline.copies != NIL)
		dp_gate_run_silently(state, open_copies);
	if (selects)
		dp_gate_run_silently(state, dp_gate_select_groups);
	if (!selects ||
		(state->release->unit_counts != NULL && !state->selection->is_exceeded))
		dp_gate_run_silently(state, dp_gate_run_inner);
	dp_gate_end_lookups(state);
	state->computed = true;
}

static void
compute_grouped(DpReleaseState *state)
{
	ListCell *cell;

	foreach (cell, dp_gate_grouped(state))
	{
		if (!((DpReleaseState *) lfirst(cell))->computed)
			compute_release(lfirst(cell));
	}
}

static void
check_shapes(DpReleaseState *state)
{
	ListCell *cell;

	foreach (cell, dp_gate_grouped(state))
		dp_gate_shapes_check(
			&((DpReleaseState *) lfirst(cell))->release->shapes);
}

/*
 * Runs the aggregates of the releases that have to be computed. What is public
 * is read first, for all of them: there functions of users may run, but not
 * after it was made sure that the relations are those that were planned for.
 */
static void
compute(const DpAsking *asked)
{
	int i;

	for (i = 0; i < asked->count; i++)
	{
		const DpQuestion *question = &asked->questions[i];

		if (dp_gate_is_fresh(question))
			dp_gate_read_for(question->state, true);
	}
	for (i = 0; i < asked->count; i++)
		check_shapes(asked->questions[i].state);
	for (i = 0; i < asked->count; i++)
	{
		const DpQuestion *question = &asked->questions[i];

		if (dp_gate_is_fresh(question))
			compute_grouped(question->state);
	}
}

/* Copies what was computed to where it is the answer, too. */
static void
copy_answers(const DpAsking *asked)
{
	int i;

	for (i = 0; i < asked->count; i++)
	{
		const DpQuestion *question = &asked->questions[i];
		const DpQuestion *first;
		ListCell *cell;

		if (question->same < 0 || question->charge.is_joint ||
			question->result.outcome != DP_OUTCOME_CHARGED)
			continue;
		first = &asked->questions[question->same];
		foreach (cell, dp_gate_grouped(question->state))
			dp_gate_make_rows(lfirst(cell), false);
		dp_gate_copy_grouped(first->state, first->aggno, question->state,
							 question->aggno);
	}
}

/* Computes and stores what is charged for. */
static void
answer(DpAsking *asked)
{
	dp_gate_use_shared_groups(asked);
	compute(asked);
	dp_gate_use_all_stored(asked);
	dp_gate_set_stored(asked);
	dp_gate_store(asked);
	dp_gate_use_drawn(asked);
	copy_answers(asked);
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
		DpReleaseState *state = lfirst(cell);

		if (state->selection != NULL && state->selection->is_exceeded)
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

/*
 * Opens a level of settings under which errors can be handled: the asker's
 * settings could make them end the session instead, with the original message.
 */
static int
begin_handling(void)
{
	int nest = NewGUCNestLevel();

	(void) set_config_option("exit_on_error", "off", PGC_SUSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	return nest;
}

/*
 * Has a failure counted; what is told instead of it if it is not, which is what
 * would be told if an answer could not be stored now: a refusal, or an
 * interrupt, which is returned. Otherwise whoever keeps the ledger from counting,
 * by a lock for example, would learn what counts for nobody.
 */
static ErrorData *
tell_failure(const DpAsking *asked, ErrorData *error, DpReply *reply)
{
	MemoryContext context = CurrentMemoryContext;
	ErrorData *volatile told = error;

	PG_TRY();
	{
		dp_gate_tell_failure(asked, reply);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		told = CopyErrorData();
		FlushErrorState();
		reply->sqlstate = 0;
	}
	PG_END_TRY();
	return told;
}

/* Ends the handling of an error that came before any row went out. */
static void
fail(List *states, const DpAsking *asked, int nest)
{
	ErrorData *error;
	DpReply reply = {0};
	ListCell *cell;

	foreach (cell, states)
		((DpReleaseState *) lfirst(cell))->failed = true;
	error = CopyErrorData();
	FlushErrorState();
	LWLockReleaseAll(); /* the ledger worker may need them */
	if (dp_gate_may_depend_on_rows(error))
		error = tell_failure(asked, error, &reply);
	dp_gate_give_up(asked);
	AtEOXact_GUC(false, nest);
	if (reply.sqlstate == ERRCODE_CONFIGURATION_LIMIT_EXCEEDED ||
		(reply.sqlstate != 0 && !dp_gate_is_of_resources(reply.sqlstate)))
		dp_ledger_report(&reply);
	if (reply.sqlstate != 0)
		dp_gate_raise_of_resources(error);
	dp_gate_raise(error);
}

/*
 * Once all answers are there, copies those to groupings that are repeated, and
 * computes intervals.
 */
static void
complete(List *states)
{
	ListCell *cell;

	foreach (cell, states)
	{
		if (dp_gate_is_asked_by_other(lfirst(cell)))
			dp_gate_make_rows(lfirst(cell), false);
	}
	dp_gate_repeat_groupings(states);
	foreach (cell, states)
		dp_gate_fill_ends(lfirst(cell));
	dp_gate_agree(states);
}

static void
settle_releases(List *states)
{
	DpAsking asked = ask(states);
	ListCell *cell;

	/* Reserved so that errors can be handled when there is no more memory. */
	MemoryContext reserve = AllocSetContextCreate(
		CurrentMemoryContext, "error of a release", ALLOCSET_DEFAULT_SIZES);
	int nest = begin_handling();

	PG_TRY();
	{
		answer(&asked);
		complete(states);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(reserve);
		fail(states, &asked, nest);
	}
	PG_END_TRY();
	AtEOXact_GUC(true, nest);
	foreach (cell, states)
		dp_gate_end_lookups(lfirst(cell)); /* of what others have answered */
	check_selections(states);
}

void
dp_gate_settle(List *states)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "settling of releases", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	BufferUsage buffers = pgBufferUsage;
	ListCell *cell;

	dp_gate_refuse_nested();
	foreach (cell, states)
	{
		if (((DpReleaseState *) lfirst(cell))->failed)
			elog(ERROR, "a DP Release that failed cannot be read");
	}
	foreach (cell, states)
		dp_gate_find_constants(lfirst(cell));
	dp_gate_check_asker(states);
	foreach (cell, states)
	{
		const DpRelease *release = ((DpReleaseState *) lfirst(cell))->release;

		dp_gate_check_contribution(&release->outline.relations,
								   release->outline.contribution);
		dp_gate_find_levels(lfirst(cell));
	}
	foreach (cell, states)
	{
		const DpRelease *release = ((DpReleaseState *) lfirst(cell))->release;

		dp_gate_shapes_check(&release->shapes);
		dp_gate_check_reliances(release->reliances);
		dp_gate_check_ages(lfirst(cell));
	}
	dp_gate_find_groupings(states);
	settle_releases(states);
	pgBufferUsage = buffers; /* EXPLAIN must not count what was looked up */
	foreach (cell, states)
		((DpReleaseState *) lfirst(cell))->done = true;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
