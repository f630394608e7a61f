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
#include "gate/protection.h"
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
	dp_gate_fingerprint(
		charge->relation, state->release->quals, state->release->keys, aggref,
		state->css.ss.ps.state->es_param_list_info, charge->fingerprint);
	strlcpy(charge->aggregate, dp_call_name(call.aggregate),
			sizeof(charge->aggregate));
	strlcpy(charge->mechanism, dp_mechanism_name(description.mechanism),
			sizeof(charge->mechanism));
}

static void
use_replay(const Question *question, const DpChargeResult *result)
{
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

void
dp_gate_settle(List *states)
{
	int count;
	int fresh = 0;
	int i;
	Question *questions = list_questions(states, &count);
	DpCharge *charges;
	DpChargeResult *results = palloc0(count * sizeof(DpChargeResult));
	char **answers = palloc0(count * sizeof(char *));
	ListCell *cell;

	dp_gate_check_asker(states);
	charges = dp_gate_list_charges(states, &count);
	dp_ledger_charge(charges, count, NULL, true, results);
	dp_gate_forget_protections();
	foreach (cell, states)
		dp_gate_make_rows(lfirst(cell));

	for (i = 0; i < count; i++)
	{
		DpReleaseState *state = questions[i].state;

		if (results[i].outcome != DP_OUTCOME_CHARGED || state->computed)
			continue;
		dp_gate_run_inner(state);
		state->computed = true;
	}

	/*
	 * What is replayed is settled, and not asked for again: a new period may
	 * have begun meanwhile, and it would be charged. The rest moves up.
	 */
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
		answers[fresh] = bytes->data;
		charges[fresh].answer_size = (uint32) bytes->len;
		fresh++;
	}
	if (fresh > 0)
		dp_ledger_charge(charges, fresh, answers, false, results);
	for (i = 0; i < fresh; i++)
	{
		if (results[i].outcome == DP_OUTCOME_REPLAYED)
			use_replay(&questions[i], &results[i]);
	}
	foreach (cell, states)
		((DpReleaseState *) lfirst(cell))->done = true;
}
