/*
 * charges.c
 *		The price of the releases of a statement, question by question.
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "aggregates/describe.h"
#include "aggregates/parameters.h"
#include "gate/ladder.h"
#include "gate/question.h"
#include "gate/release_state.h"

bool
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
	return dp_gate_ladder_choose(state, call);
}

/* The charge for one aggregate, without an answer. */
static void
charge_aggregate(DpReleaseState *state, int place, DpCharge *charge)
{
	Aggref *aggref = list_nth(state->release->aggregates, place);
	DpCall call;
	DpDescription description;
	bool has_levels = dp_gate_read_call(state, aggref, &call);

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
	if (has_levels)
		dp_gate_ladder_charge(state, &call, charge);
	if (state->selection == NULL)
		return;

	/* A stored answer has groups that were not selected here. */
	charge->no_replay = true;
	if (state->selection->place == place)
		charge->delta = dp_amount_add(charge->delta, state->selection->delta);
}

/* The charge for selecting groups, with those for their aggregates. */
static void
charge_selection(DpReleaseState *state, const DpCharge *aggregates,
				 DpCharge *charge)
{
	charge->relation = state->release->relation;
	charge->epsilon = state->selection->epsilon;
	charge->delta = state->selection->delta;
	charge->no_replay = true;
	dp_gate_fingerprint_selection(aggregates,
								  list_length(state->release->aggregates),
								  charge->fingerprint);
	strlcpy(charge->aggregate, "selection of groups",
			sizeof(charge->aggregate));
	strlcpy(charge->mechanism, dp_mechanism_name(DP_GEOMETRIC),
			sizeof(charge->mechanism));
}

int
dp_gate_count_charges(const DpReleaseState *state)
{
	int count = list_length(state->release->aggregates);

	return state->selection != NULL && state->selection->place < 0 ? count + 1
																   : count;
}

DpCharge *
dp_gate_list_charges(List *states, int *count, DpQuestion **questions)
{
	DpCharge *charges;
	ListCell *cell;
	int next = 0;

	*count = 0;
	foreach (cell, states)
		*count += dp_gate_count_charges(lfirst(cell));
	charges = palloc0(*count * sizeof(DpCharge));
	if (questions != NULL)
		*questions = palloc(*count * sizeof(DpQuestion));
	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);
		int aggregates = list_length(state->release->aggregates);
		int place;

		for (place = 0; place < dp_gate_count_charges(state); place++, next++)
		{
			if (questions != NULL)
				(*questions)[next] = (DpQuestion){state, place};
			if (place < aggregates)
				charge_aggregate(state, place, &charges[next]);
			else
				charge_selection(state, &charges[next - aggregates],
								 &charges[next]);
		}
	}
	return charges;
}
