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
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "aggregates/describe.h"
#include "aggregates/parameters.h"
#include "gate/question.h"
#include "gate/release_state.h"
#include "ledger/charge.h"

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
	dp_gate_fingerprint(charge->relation, state->release->quals, aggref,
						state->css.ss.ps.state->es_param_list_info,
						charge->fingerprint);
	strlcpy(charge->aggregate, dp_call_name(call.aggregate),
			sizeof(charge->aggregate));
	strlcpy(charge->mechanism, dp_mechanism_name(description.mechanism),
			sizeof(charge->mechanism));
}

/* A released value as text, to be stored for replay: with all its digits. */
static char *
make_answer(DpReleaseState *state, Aggref *aggref, int place)
{
	int nest = NewGUCNestLevel();
	Oid output;
	bool varlena;
	char *result;

	(void) set_config_option("extra_float_digits", "1", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	getTypeOutputInfo(aggref->aggtype, &output, &varlena);
	result = OidOutputFunctionCall(output, state->values[place]);
	AtEOXact_GUC(true, nest);
	return result;
}

static void
use_replay(DpReleaseState *state, Aggref *aggref, int place,
		   const DpChargeResult *result)
{
	Oid input;
	Oid io_param;

	getTypeInputInfo(aggref->aggtype, &input, &io_param);
	state->values[place] = OidInputFunctionCall(
		input, pnstrdup(result->answer, result->answer_size), io_param, -1);
	state->nulls[place] = false;
}

/* True when the release must be computed: not all of it is replayed. */
static bool
is_fresh(const DpChargeResult *results, int count)
{
	int i;

	for (i = 0; i < count; i++)
	{
		if (results[i].outcome == DP_OUTCOME_CHARGED)
			return true;
	}
	return false;
}

/* Owner and superuser are answered without a budget of their own. */
static bool
needs_no_budget(Oid role, Oid relation)
{
	return superuser_arg(role) || pg_class_ownercheck(relation, role);
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
dp_gate_settle(List *states)
{
	int count = 0;
	int first = 0;
	bool fresh = false;
	DpCharge *charges;
	DpChargeResult *results;
	char **answers;
	ListCell *cell;

	check_isolation();
	foreach (cell, states)
		count +=
			list_length(((DpReleaseState *) lfirst(cell))->release->aggregates);
	charges = palloc0(count * sizeof(DpCharge));
	results = palloc0(count * sizeof(DpChargeResult));
	answers = palloc0(count * sizeof(char *));

	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);
		ListCell *aggregate;

		check_payer(state->release->relation);
		foreach (aggregate, state->release->aggregates)
			make_charge(state, lfirst(aggregate), &charges[first++]);
	}
	dp_ledger_charge(charges, count, NULL, true, results);

	first = 0;
	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);
		List *aggregates = state->release->aggregates;
		int place;

		if (is_fresh(results + first, list_length(aggregates)))
		{
			fresh = true;
			dp_gate_run_inner(state);
		}
		for (place = 0; place < list_length(aggregates); place++, first++)
		{
			if (results[first].outcome == DP_OUTCOME_REPLAYED)
				continue;
			answers[first] =
				make_answer(state, list_nth(aggregates, place), place);
			charges[first].answer_size = (uint32) strlen(answers[first]);
		}
	}
	if (fresh)
		dp_ledger_charge(charges, count, answers, false, results);

	first = 0;
	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);
		List *aggregates = state->release->aggregates;
		int place;

		for (place = 0; place < list_length(aggregates); place++, first++)
		{
			if (results[first].outcome == DP_OUTCOME_REPLAYED)
				use_replay(state, list_nth(aggregates, place), place,
						   &results[first]);
		}
		state->done = true;
	}
}
