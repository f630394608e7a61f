/*
 * deciding_count.c
 *		The mechanism of a count that selects groups, and is an answer, too.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "gate/release/deciding_count.h"
#include "gate/release/group_selection.h"
#include "gate/release/sub_query_values.h"
#include "mechanisms/expected_error.h"
#include "mechanisms/gaussian_threshold.h"
#include "server/settings.h"

/* How far 95% of the answers are off at most. */
static double
error_of(const DpGroupSelection *selection)
{
	DpError error;

	dp_expected_error_of(&selection->noise,
						 dp_epsilon_to_double(selection->noise.epsilon),
						 &error);
	return error.half_width_95;
}

/* The mechanism in SQL, in the memory of the execution. */
static char *
gaussian_text(const DpReleaseState *state, DpAmount delta)
{
	return MemoryContextStrdup(
		state->estate->es_query_cxt,
		psprintf("gaussian(delta=%.17g)",
				 dp_gaussian_threshold_noise_delta(delta.ticks)));
}

/* The lowest threshold of the counts as they are; 0: none can decide. */
static int64
lowest_threshold(DpReleaseState *state, DpAmount delta)
{
	int64 lowest = 0;
	int aggno;

	for (aggno = 0; aggno < list_length(state->outline->aggregates); aggno++)
	{
		DpGroupSelection selection = {.delta = delta};

		if (dp_group_selection_by(&state->terms, aggno, &selection) &&
			(lowest == 0 || selection.threshold < lowest))
			lowest = selection.threshold;
	}
	return lowest;
}

/*
 * Gives a count Gaussian noise, where that is better than all there is. One that leaves
 * its mechanism open and can decide has geometric noise.
 */
static bool
change_count(DpReleaseState *state, int aggno, DpAmount delta, int64 lowest)
{
	DpCall call = *dp_terms_call(&state->terms, aggno);
	DpGroupSelection geometric = {.delta = delta};
	DpGroupSelection gaussian = {.delta = delta};
	char *mechanism;

	if (call.choice.mechanism != DP_AUTO || call.choice.by_rho ||
		!dp_group_selection_by(&state->terms, aggno, &geometric))
		return false;
	mechanism = gaussian_text(state, delta);
	dp_call_set_mechanism(&call, mechanism);
	if (!dp_group_selection_try(state->outline, &call, &gaussian) ||
		gaussian.threshold >= lowest ||
		error_of(&gaussian) >= error_of(&geometric))
		return false;
	dp_terms_set_mechanism(&state->terms, aggno, mechanism);
	return true;
}

int
dp_deciding_count_choose(DpReleaseState *state)
{
	DpAmount delta;
	int64 lowest;
	int aggno;

	if (state->outline->choices.mechanism == 0 || !(dp_setting_delta > 0) ||
		!dp_amount_from_double(dp_setting_delta, &delta) || delta.ticks == 0)
		return -1;
	lowest = lowest_threshold(state, delta);
	for (aggno = 0; aggno < list_length(state->outline->aggregates); aggno++)
	{
		if (change_count(state, aggno, delta, lowest))
			return aggno;
	}
	return -1;
}

void
dp_deciding_count_hand_over(DpReleaseState *state)
{
	int count = list_length(state->outline->aggregates);
	ParamExternData *room;
	int aggno;

	if (state->outline->choices.mechanism == 0)
		return;
	room = dp_sub_query_values_room(state, state->outline->choices.mechanism,
									count);
	for (aggno = 0; aggno < count; aggno++)
	{
		const char *mechanism = state->terms.mechanisms[aggno];
		MemoryContext old = MemoryContextSwitchTo(state->estate->es_query_cxt);

		room[aggno] = (ParamExternData){
			.ptype = TEXTOID,
			.isnull = mechanism == NULL,
			.value =
				mechanism == NULL ? (Datum) 0 : CStringGetTextDatum(mechanism)};
		MemoryContextSwitchTo(old);
	}
}
