/*
 * settle.c
 *		The releases of a statement and the ledger.
 *
 * First the ledger is asked whether the statement may be answered, before any
 * row is read; then what must be computed is computed; then it is charged,
 * durably, together with the answers to replay; only then the rows are there.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "storage/lwlock.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "aggregates/describe.h"
#include "aggregates/parameters.h"
#include "gate/question/key.h"
#include "gate/release/ladder.h"
#include "gate/release/lookup_rows.h"
#include "gate/question/fingerprint.h"
#include "gate/question/rights.h"
#include "gate/release/state.h"
#include "ledger/chain.h"
#include "ledger/charge.h"
#include "server/compat.h"

/*
 * The rows of a release. With public keys those that are computed are there
 * from the beginning; those that are only replayed come as they were.
 */
static void
make_rows(DpReleaseState *state, bool computes)
{
	MemoryContext old =
		MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	DpRelease *release = state->release;

	if (state->rows == NULL)
		state->rows = dp_gate_rows_make(
			dp_gate_release_columns(release->keys, release->aggregates),
			list_length(release->keys));
	if (release->keys == NIL)
		(void) dp_gate_rows_add(state->rows, NULL, NULL);
	else if (computes && !dp_gate_has_private_keys(state))
		dp_gate_groups_add_rows(dp_gate_release_groups(state), state->rows);
	MemoryContextSwitchTo(old);
}

static void
use_replay(const DpQuestion *question, const DpChargeResult *result)
{
	DpReleaseState *state = question->state;

	if (question->is_joint ||
		question->place == list_length(state->release->aggregates))
		return; /* the one before has it; the selection of groups */
	make_rows(state, false);
	dp_gate_read_answer(state, question->place, result->answer,
						result->answer_size);
	state->replayed[question->place] = true;
}

static void
use_replays(const DpQuestion *questions, const DpChargeResult *results,
			int count)
{
	int i;

	for (i = 0; i < count; i++)
	{
		if (results[i].outcome == DP_OUTCOME_REPLAYED)
			use_replay(&questions[i], &results[i]);
	}
}

/* Owner and superuser are answered without a budget of their own. */
static bool
needs_no_budget(Oid role, Oid relation)
{
	return superuser_arg(role) || dp_compat_owns_relation(relation, role);
}

/*
 * What the answer may tell goes to the role that acts, and the session's user
 * pays. An owner's or superuser's session has no budget that would bear it
 * where another role acts: when a materialized view of an analyst's is
 * refreshed, or a function of an analyst's runs in an index under autovacuum.
 */
static void
check_payer(Oid relation)
{
	Oid acting = GetUserId();
	Oid session = GetSessionUserId();

	if (acting != session && needs_no_budget(session, relation) &&
		!needs_no_budget(acting, relation))
		ereport(
			ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("role \"%s\" cannot ask about \"%s\" in a session of "
					"role \"%s\"",
					GetUserNameFromId(acting, false), get_rel_name(relation),
					GetUserNameFromId(session, false)),
			 errhint("Let role \"%s\" ask in a session of its own, whose "
					 "budget pays.",
					 GetUserNameFromId(acting, false))));
}

/*
 * A serializable transaction shows in pg_locks which rows it has read, and
 * which of them others have changed by how it fails.
 */
static void
check_isolation(void)
{
	if (IsolationIsSerializable())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("protected relations cannot be read in a serializable "
						"transaction"),
				 errhint("Use REPEATABLE READ or READ COMMITTED.")));
}

void
dp_gate_check_asker(List *states)
{
	ListCell *cell;
	ListCell *relation;

	check_isolation();
	foreach (cell, states)
	{
		const DpReleaseState *state = lfirst(cell);

		foreach (relation, state->release->subjects.relations)
			check_payer(lfirst_oid(relation));
	}
}

/*
 * Sets how groups with private keys are selected. Where some of a release's
 * answers are there already, so are its groups: those of the answers, which
 * become its rows. False when nothing has to be selected.
 */
static bool
prepare_selections(List *states, const DpQuestion *questions,
				   const DpChargeResult *results, int count)
{
	bool any = false;
	ListCell *cell;

	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);
		int i;

		if (!dp_gate_has_private_keys(state))
			continue;
		for (i = 0; i < count; i++)
		{
			if (questions[i].state == state &&
				results[i].outcome == DP_OUTCOME_REPLAYED)
				use_replay(&questions[i], &results[i]);
		}
		if (state->rows != NULL)
			continue;
		state->selection = dp_gate_prepare_group_selection(state);
		any = true;
	}
	return any;
}

static void
open_copies(DpReleaseState *state)
{
	dp_gate_open_copies(state->release->copies, &state->release->subjects,
						&state->lookups, state->css.ss.ps.state);
}

/* Makes the rows of a release and reads what is public, with the user's rights. */
static void
read_public(DpReleaseState *state)
{
	if (state->is_public_read)
		return;
	make_rows(state, true);
	if (state->release->units != NULL)
		(void) dp_gate_release_groups(state);
	state->lookups = dp_gate_open_lookups(state->release->lookups,
										  state->release->lookup_keys,
										  state->css.ss.ps.state);
	state->is_public_read = true;
}

/* Runs the aggregates of a release. */
static void
compute_release(DpReleaseState *state)
{
	EState *estate = state->css.ss.ps.state;

	dp_gate_check_indexes(state->release->unique_indexes, estate->es_snapshot);
	dp_gate_use_lookups(&state->lookups, estate);
	if (state->release->copies != NIL)
		dp_gate_run_silently(state, open_copies);
	if (state->selection != NULL)
		dp_gate_run_silently(state, dp_gate_select_groups);
	if (state->selection == NULL ||
		(state->release->units != NULL && !state->selection->is_exceeded))
		dp_gate_run_silently(state, dp_gate_run_inner);
	dp_gate_close_lookups(&state->lookups, estate);
	state->computed = true;
}

/*
 * Runs the aggregates of the releases that have to be computed. What is public
 * is read first, for all of them: there functions of users may run, but not
 * after it was made sure that the relations are those that were planned for.
 */
static void
compute(const DpQuestion *questions, const DpChargeResult *results, int count)
{
	int i;

	for (i = 0; i < count; i++)
	{
		DpReleaseState *state = questions[i].state;

		if (results[i].outcome != DP_OUTCOME_CHARGED)
			continue;
		if (results[i].answer == NULL)
			read_public(state);
		else if (!state->is_public_read)
			make_rows(state, true); /* a stored chain, for own groups */
	}
	for (i = 0; i < count; i++)
		dp_gate_shapes_check(&questions[i].state->release->shapes);
	for (i = 0; i < count; i++)
	{
		if (results[i].outcome == DP_OUTCOME_CHARGED &&
			results[i].answer == NULL && !questions[i].state->computed)
			compute_release(questions[i].state);
	}
}

/*
 * Puts a role's level of a chain, the stored one or the one that was drawn
 * here, in the place of what was computed.
 */
static void
use_chain(const DpQuestion *question, const DpCharge *charge, char *chain,
		  uint32 size)
{
	DpReleaseState *state = question->state;
	uint32 level_size;
	char *level = dp_chain_level(chain, size, charge->level, &level_size);

	dp_gate_read_chain(state, question->place, level, level_size);
}

static void
use_chains(const DpQuestion *questions, const DpCharge *charges,
		   const DpChargeResult *results, char **answers, int count)
{
	int i;

	for (i = 0; i < count; i++)
	{
		if (results[i].outcome != DP_OUTCOME_CHARGED || !charges[i].has_chain)
			continue;
		if (results[i].answer != NULL)
			use_chain(&questions[i], &charges[i], results[i].answer,
					  results[i].answer_size);
		else
			use_chain(&questions[i], &charges[i], answers[i],
					  charges[i].answer_size);
	}
}

/* A whole chain, from the highest level, which was computed. */
static StringInfo
draw_chain(const DpQuestion *question)
{
	DpReleaseState *state = question->state;
	DpCall call;

	(void) dp_gate_read_call(
		state, list_nth(state->release->aggregates, question->place), &call);
	return dp_gate_ladder_draw(state, question->place, &call);
}

/* The answer to be stored for replay, if any. */
static void
set_answer(const DpQuestion *question, DpCharge *charge, char **answer)
{
	const DpReleaseState *state = question->state;
	StringInfo bytes = NULL;

	if (question->place < list_length(state->release->aggregates) &&
		!(state->selection != NULL && state->selection->is_exceeded))
		bytes = charge->has_chain
					? draw_chain(question)
					: dp_gate_write_answer(question->state, question->place);
	*answer = bytes == NULL ? NULL : bytes->data;
	charge->answer_size = bytes == NULL ? 0 : (uint32) bytes->len;
}

/*
 * Charges what is computed, with its answers. What is replayed is settled, and
 * not asked for again: a new period may have begun meanwhile, and it would be
 * charged. The rest moves up.
 */
static void
charge_computed(DpQuestion *questions, DpCharge *charges,
				DpChargeResult *results, int count)
{
	char **answers = palloc0(count * sizeof(char *));
	int fresh = 0;
	int i;

	for (i = 0; i < count; i++)
	{
		if (results[i].outcome == DP_OUTCOME_REPLAYED)
			continue;
		questions[fresh] = questions[i];
		charges[fresh] = charges[i];
		if (questions[i].is_joint) /* the same again */
		{
			answers[fresh] = answers[fresh - 1];
			charges[fresh].answer_size = charges[fresh - 1].answer_size;
		}
		else if (results[i].answer == NULL) /* no stored chain */
			set_answer(&questions[fresh], &charges[fresh], &answers[fresh]);
		fresh++;
	}
	if (fresh > 0)
		dp_ledger_charge(charges, fresh, answers, false, results);
	use_replays(questions, results, fresh);
	use_chains(questions, charges, results, answers, fresh);
}

/* An error only now: that it comes tells of the data, and is paid for. */
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

/* The charges that are to be made, in an array of their own. */
static DpCharge *
copy_fresh(const DpCharge *charges, const DpChargeResult *results, int count,
		   int *fresh)
{
	DpCharge *copies = palloc(count * sizeof(DpCharge));
	int i;

	*fresh = 0;
	for (i = 0; i < count; i++)
	{
		if (results[i].outcome != DP_OUTCOME_CHARGED)
			continue;
		copies[*fresh] = charges[i];

		/* No chain comes of it, and the charge must not be refused for that. */
		copies[*fresh].has_chain = false;
		(*fresh)++;
	}
	return copies;
}

/*
 * Ends the handling of an error after groups may have been selected. It may
 * come of how many they are, or how long: memory, say. So it is paid for as
 * the answer would be; but not what ends a statement from outside, by which
 * time alone is told.
 */
static void
charge_failure(const DpCharge *charges, int count)
{
	ErrorData *error = CopyErrorData();
	DpChargeResult *results = palloc0(count * sizeof(DpChargeResult));

	if (ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_OPERATOR_INTERVENTION)
	{
		FlushErrorState();
		LWLockReleaseAll(); /* the ledger worker may need them */
		dp_ledger_charge(charges, (uint32) count, NULL, false, results);
	}
	ReThrowError(error);
}

/* The same as without private keys, but for errors. */
static void
settle_selected(DpQuestion *questions, DpCharge *charges,
				DpChargeResult *results, int count)
{
	MemoryContext context = CurrentMemoryContext;
	int fresh;
	DpCharge *copies = copy_fresh(charges, results, count, &fresh);

	PG_TRY();
	{
		compute(questions, results, count);
		use_replays(questions, results, count);
		charge_computed(questions, charges, results, count);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		charge_failure(copies, fresh);
	}
	PG_END_TRY();
}

static void
settle_releases(List *states)
{
	int count;
	DpQuestion *questions;
	DpCharge *charges = dp_gate_list_charges(states, &count, &questions);
	DpChargeResult *results = palloc0(count * sizeof(DpChargeResult));

	dp_ledger_charge(charges, count, NULL, true, results);
	if (prepare_selections(states, questions, results, count))
	{
		charges = dp_gate_list_charges(states, &count, &questions);
		results = palloc0(count * sizeof(DpChargeResult));
		dp_ledger_charge(charges, count, NULL, true, results);
		settle_selected(questions, charges, results, count);
		check_selections(states);
		return;
	}
	compute(questions, results, count);
	use_replays(questions, results, count);
	charge_computed(questions, charges, results, count);
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
	dp_gate_check_asker(states);
	foreach (cell, states)
		dp_gate_shapes_check(
			&((DpReleaseState *) lfirst(cell))->release->shapes);
	settle_releases(states);
	pgBufferUsage = buffers; /* what was looked up is nobody's business */
	foreach (cell, states)
		((DpReleaseState *) lfirst(cell))->done = true;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
