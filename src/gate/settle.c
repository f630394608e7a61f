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
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "aggregates/describe.h"
#include "aggregates/parameters.h"
#include "gate/question.h"
#include "gate/release_state.h"
#include "ledger/charge.h"
#include "server/compat.h"

/* One aggregate of the statement. */
typedef struct Question
{
	DpReleaseState *state;
	Aggref *aggref;
	int place; /* among the release's aggregates */
} Question;

void
dp_gate_read_call(DpReleaseState *state, Aggref *aggref, DpCall *call)
{
	DpParameters parameters;

	memset(call, 0, sizeof(*call));
	if (!dp_call_aggregate_of(get_func_name(aggref->aggfnoid),
							  &call->aggregate))
		elog(ERROR, "not a private aggregate: %u", aggref->aggfnoid);
	dp_parameters_of(aggref, &state->css.ss.ps, 1, &parameters);
	dp_call_check(&parameters, call);
	call->contribution = state->release->contribution;
	call->of_units = state->release->several;
}

/* The charge for one aggregate, without an answer. */
static void
make_charge(DpReleaseState *state, Aggref *aggref, DpCharge *charge)
{
	DpCall call;
	DpDescription description;

	dp_gate_read_call(state, aggref, &call);
	dp_describe_call(&call, &description);
	charge->relation = state->release->relation;
	if (!dp_amount_from_double(call.epsilon_asked, &charge->epsilon) ||
		!dp_amount_from_double(call.choice.delta, &charge->delta))
		elog(ERROR, "epsilon or delta out of range");
	dp_gate_fingerprint(charge->relation, state->release->quals,
						dp_gate_release_columns(state->release->keys, NIL),
						aggref, state->css.ss.ps.state->es_param_list_info,
						charge->fingerprint);
	strlcpy(charge->aggregate, dp_call_name(call.aggregate),
			sizeof(charge->aggregate));
	strlcpy(charge->mechanism, dp_mechanism_name(description.mechanism),
			sizeof(charge->mechanism));
}

/*
 * The rows of a release. With keys those that are computed are there from the
 * beginning; those that are only replayed come as they were.
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
	else if (computes)
		dp_gate_groups_add_rows(dp_gate_release_groups(state), state->rows);
	MemoryContextSwitchTo(old);
}

static void
use_replay(const Question *question, const DpChargeResult *result)
{
	make_rows(question->state, false);
	dp_gate_read_answer(question->state, question->place, result->answer,
						result->answer_size);
	question->state->replayed[question->place] = true;
}

/* All aggregates of some releases, in order; sets their number. */
static Question *
list_questions(List *states, int *count)
{
	Question *questions = NULL;
	ListCell *cell;

	*count = 0;
	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);
		List *aggregates = state->release->aggregates;
		int place;

		questions =
			*count == 0
				? palloc(list_length(aggregates) * sizeof(Question))
				: repalloc(questions, (*count + list_length(aggregates)) *
										  sizeof(Question));
		for (place = 0; place < list_length(aggregates); place++)
			questions[(*count)++] =
				(Question){state, list_nth(aggregates, place), place};
	}
	return questions;
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

	check_isolation();
	foreach (cell, states)
		check_payer(((DpReleaseState *) lfirst(cell))->release->relation);
}

DpCharge *
dp_gate_list_charges(List *states, int *count)
{
	Question *questions = list_questions(states, count);
	DpCharge *charges = palloc0(*count * sizeof(DpCharge));
	int i;

	for (i = 0; i < *count; i++)
		make_charge(questions[i].state, questions[i].aggref, &charges[i]);
	return charges;
}

/* Runs the aggregates of the releases that have to be computed. */
static void
compute(const Question *questions, const DpChargeResult *results, int count)
{
	int i;

	for (i = 0; i < count; i++)
	{
		DpReleaseState *state = questions[i].state;

		if (results[i].outcome != DP_OUTCOME_CHARGED || state->computed)
			continue;
		make_rows(state, true);
		dp_gate_run_inner(state);
		state->computed = true;
	}
}

/*
 * Charges what is computed, with its answers. What is replayed is settled, and
 * not asked for again: a new period may have begun meanwhile, and it would be
 * charged. The rest moves up.
 */
static void
charge_computed(Question *questions, DpCharge *charges, DpChargeResult *results,
				int count)
{
	char **answers = palloc0(count * sizeof(char *));
	int fresh = 0;
	int i;

	for (i = 0; i < count; i++)
	{
		StringInfo bytes;

		if (results[i].outcome == DP_OUTCOME_REPLAYED)
		{
			use_replay(&questions[i], &results[i]);
			continue;
		}
		questions[fresh] = questions[i];
		charges[fresh] = charges[i];
		bytes = dp_gate_write_answer(questions[fresh].state,
									 questions[fresh].place);
		if (bytes != NULL)
		{
			answers[fresh] = bytes->data;
			charges[fresh].answer_size = (uint32) bytes->len;
		}
		fresh++;
	}
	if (fresh > 0)
		dp_ledger_charge(charges, fresh, answers, false, results);
	for (i = 0; i < fresh; i++)
	{
		if (results[i].outcome == DP_OUTCOME_REPLAYED)
			use_replay(&questions[i], &results[i]);
	}
}

static void
settle_releases(List *states)
{
	int count;
	Question *questions = list_questions(states, &count);
	DpCharge *charges = dp_gate_list_charges(states, &count);
	DpChargeResult *results = palloc0(count * sizeof(DpChargeResult));

	dp_ledger_charge(charges, count, NULL, true, results);
	compute(questions, results, count);
	charge_computed(questions, charges, results, count);
}

void
dp_gate_settle(List *states)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "settling of releases", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	ListCell *cell;

	dp_gate_check_asker(states);
	settle_releases(states);
	foreach (cell, states)
		((DpReleaseState *) lfirst(cell))->done = true;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
