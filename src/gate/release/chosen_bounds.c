/*
 * chosen_bounds.c
 *		Bounds that are chosen together with answers.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "aggregates/bins.h"
#include "gate/bound/choices.h"
#include "gate/read/rewrite_aggregate.h"
#include "gate/relations/silence.h"
#include "gate/release/chosen_bounds.h"
#include "gate/release/execution.h"
#include "gate/release/sub_query_values.h"
#include "random/record.h"

/* A grouping that has its bounds already, since another one found them. */
static bool
are_found(const DpReleaseState *state)
{
	const DpReleaseState *asker = dp_release_state_asker(state);

	return asker != state && asker->answers.is_computed;
}

/* The first aggregate that asks for a choice, by its number from 1. */
static int
asker_of(const DpOutline *outline, int number)
{
	ListCell *cell;

	foreach (cell, outline->choice_numbers)
	{
		if (lfirst_int(cell) == number)
			return foreach_current_index(cell);
	}
	elog(ERROR, "nobody asks for bounds");
}

/* The epsilons of choices, as parameters of their statement. */
static void
set_epsilons(DpReleaseState *state)
{
	const DpOutline *outline = state->outline;
	int count = list_length(outline->bounds);
	ParamExternData *epsilons =
		dp_sub_query_values_room(state, outline->bounds_parameter, count);
	int i;

	for (i = 0; i < count; i++)
		epsilons[i] = (ParamExternData){
			.ptype = FLOAT8OID,
			.value = Float8GetDatum(
				dp_terms_shares(&state->terms, asker_of(outline, i + 1))
					.choice)};
}

/* What a choice found, as ends of bins. */
static void
read_edges(Datum found, Oid type, DpEdge edges[2])
{
	int16 length;
	bool by_value;
	char align;
	Datum *values;
	int count;
	int i;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(DatumGetArrayTypeP(found), type, length, by_value, align,
					  &values, NULL, &count);
	if (count != 2)
		elog(ERROR, "bounds have two ends");
	for (i = 0; i < 2; i++)
		edges[i] = dp_bins_edge_of(type, values[i]);
}

/* Room for the bounds of all aggregates; *first: the number of its first one. */
static ParamExternData *
make_room(DpReleaseState *state, int *first)
{
	int last = 0;

	*first = PG_INT32_MAX;
	foreach_ptr (Aggref, aggref, state->outline->aggregates)
	{
		int numbers[2];

		if (!dp_terms_bounds_are_chosen(&state->terms,
										foreach_current_index(aggref)))
			continue;
		dp_choices_parameters(aggref, numbers);
		*first = Min(*first, numbers[0]);
		last = Max(last, numbers[1]);
	}
	return dp_sub_query_values_room(state, *first, last - *first + 1);
}

/* Gives an aggregate its bounds, in all groupings. room: for parameters from first. */
static void
set_bounds(DpReleaseState *state, int aggno, const DpEdge edges[2],
		   ParamExternData *room, int first)
{
	Oid type = dp_bins_bound_type(dp_terms_type(&state->terms, aggno));
	Datum bounds[2];
	int numbers[2];
	int i;

	foreach_ptr (DpReleaseState, grouping, state->groupings->states)
		dp_answer_table_set_bounds(&grouping->answers, aggno, edges[0],
								   edges[1]);
	dp_terms_bounds(&state->terms, aggno, bounds);
	dp_choices_parameters(list_nth(state->outline->aggregates, aggno), numbers);
	for (i = 0; i < 2; i++)
		room[numbers[i] - first] =
			(ParamExternData){.ptype = type, .value = bounds[i]};
}

static bool
receive_choice(TupleTableSlot *slot, void *context)
{
	DpReleaseState *state = context;
	ParamExternData *room;
	int first;
	ListCell *cell;
	MemoryContext old;

	slot_getallattrs(slot);
	DP_RECORD_ROW("");
	old = MemoryContextSwitchTo(state->estate->es_query_cxt);
	room = make_room(state, &first);
	foreach (cell, state->outline->choice_numbers)
	{
		int aggno = foreach_current_index(cell);
		int column = lfirst_int(cell) - 1;
		DpEdge edges[2];

		if (column < 0)
			continue;
		read_edges(slot->tts_values[column],
				   dp_terms_type(&state->terms, aggno), edges);
		set_bounds(state, aggno, edges, room, first);
	}
	MemoryContextSwitchTo(old);
	return true;
}

void
dp_chosen_bounds_find(void *context)
{
	DpReleaseState *state = context;
	MemoryContext old;

	if (are_found(state))
		return;
	old = MemoryContextSwitchTo(state->estate->es_query_cxt);
	set_epsilons(state);
	MemoryContextSwitchTo(old);
	DP_RECORD_RELEASE("");
	dp_silence_keep_zone(state->plan->choice);
	dp_execution_run(state->plan->choice, state->estate, state->outline->bounds,
					 receive_choice, state);
}

/*
 * The following functions tell.
 */

static char *
value_text(Oid type, DpEdge edge)
{
	Datum bound = dp_bins_bound(type, edge);
	Oid output;
	bool varlena;

	getTypeOutputInfo(dp_bins_bound_type(type), &output, &varlena);
	return OidOutputFunctionCall(output, bound);
}

char *
dp_chosen_bounds_text(const DpTerms *terms, int aggno)
{
	const DpChosenBounds *chosen = &terms->chosen[aggno];
	Oid type = dp_terms_type(terms, aggno);

	if (!chosen->are_known)
		return NULL;
	if (chosen->are_none)
		return pstrdup("none");
	return psprintf("%s and %s", value_text(type, chosen->lower),
					value_text(type, chosen->upper));
}

/* Whether an aggregate before has the same bounds, from the same choice. */
static bool
is_told(const DpReleaseState *state, int aggno)
{
	const DpChosenBounds *chosen = state->terms.chosen;
	int number = list_nth_int(state->outline->choice_numbers, aggno);
	int i;

	for (i = 0; i < aggno; i++)
	{
		if (list_nth_int(state->outline->choice_numbers, i) == number &&
			memcmp(&chosen[i].lower, &chosen[aggno].lower, sizeof(DpEdge)) ==
				0 &&
			memcmp(&chosen[i].upper, &chosen[aggno].upper, sizeof(DpEdge)) == 0)
			return true;
	}
	return false;
}

static void
tell(DpReleaseState *state, int aggno)
{
	const Aggref *aggref = list_nth(state->outline->aggregates, aggno);
	const char *name;

	if (!dp_terms_bounds_are_chosen(&state->terms, aggno) ||
		!state->terms.chosen[aggno].are_known || is_told(state, aggno))
		return;
	name = dp_rewrite_aggregate_name(aggref);
	if (state->terms.chosen[aggno].are_none)
		ereport(
			NOTICE,
			(errmsg("no bounds were found for %s, so it is null", name),
			 errhint("Too few rows have values of one size for this epsilon. "
					 "Write bounds, or ask with a greater epsilon.")));
	else
		ereport(NOTICE,
				(errmsg("bounds of %s were chosen: %s", name,
						dp_chosen_bounds_text(&state->terms, aggno)),
				 errdetail("Values beyond them count as the nearer bound.")));
}

void
dp_chosen_bounds_tell(List *states)
{
	foreach_ptr (DpReleaseState, state, states)
	{
		int count = list_length(state->outline->aggregates);
		int aggno;

		if (dp_release_state_asker(state) != state)
			continue;
		for (aggno = 0; aggno < count; aggno++)
			tell(state, aggno);
	}
}
