/*
 * agreement.c
 *		Whether the answers of groupings are made to agree, and what share of
 *		the price each gets.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "core/marginal_shares.h"
#include "gate/bound/key.h"
#include "gate/release/agreement.h"
#include "gate/release/groupings.h"
#include "gate/release/sub_query_values.h"
#include "mechanisms/expected_error.h"

List *
dp_agreement_key_of(const DpReleaseState *state, const DpKeyValues *values)
{
	List *key = NIL;
	ListCell *cell;

	foreach (cell, values->keys)
		key = lappend(key, ((const DpKey *) list_nth(state->outline->keys,
													 lfirst_int(cell)))
							   ->expression);
	return key;
}

int
dp_agreement_key(List *key, List **keys)
{
	foreach_ptr (List, other, *keys)
	{
		if (equal(other, key))
			return foreach_current_index(other);
	}
	*keys = lappend(*keys, key);
	return list_length(*keys) - 1;
}

/*
 * Sets which keys the groupings' tables have, and their sizes; false where
 * these are not known.
 */
static bool
find_tables(DpGroupings *groupings)
{
	DpMarginals *tables = &groupings->tables;
	List *keys = NIL;

	tables->tables = list_length(groupings->states);
	foreach_ptr (DpReleaseState, state, groupings->states)
	{
		const DpGroups *groups = dp_groups_find(&state->groups);

		foreach_ptr (DpKeyValues, values, groups->values)
		{
			int number =
				dp_agreement_key(dp_agreement_key_of(state, values), &keys);
			int64 size = dp_row_table_count(values->tuples);

			if (number >= DP_MARGINAL_KEYS_MAX || size == 0)
				return false;
			tables->sizes[number] = size;
			tables->members[foreach_current_index(state)] |= UINT64CONST(1)
															 << number;
		}
	}
	tables->keys = list_length(keys);
	return true;
}

/*
 * Whether a unit may be in more groups, by the keys of all groupings, than may
 * count of it.
 */
static bool
may_choose(const DpGroupings *groupings)
{
	const DpReleaseState *first = linitial(groupings->states);
	const DpMarginals *tables = &groupings->tables;
	List *asked = NIL;
	double cells = 1;
	int i;

	if (!first->outline->relations.several ||
		first->outline->relations.one_group)
		return false;
	foreach_ptr (DpReleaseState, state, groupings->states)
	{
		if (state->outline->other_key_numbers == NIL)
			return state->groups.count > first->outline->contribution.groups;
		asked = list_concat_unique_int(asked, state->outline->key_numbers);
	}
	if (list_length(asked) < list_length(first->outline->keys) +
								 list_length(first->outline->other_key_numbers))
		return true; /* keys of a grouping that is not asked */
	for (i = 0; i < tables->keys; i++)
		cells *= (double) tables->sizes[i];
	return cells > first->outline->contribution.groups;
}

/* Whether all groupings are tables of the same rows. */
static bool
are_of_rows(const DpGroupings *groupings)
{
	foreach_ptr (DpReleaseState, state, groupings->states)
	{
		if (!state->outline->are_of_one)
			return false;
	}
	return !groupings->drops_groups;
}

static bool
is_sum(const DpCall *call, Oid type)
{
	if (call->aggregate == DP_AGGREGATE_COUNT)
		return true;
	return call->aggregate == DP_AGGREGATE_SUM && call->ordered == NULL &&
		   (type == INT8OID || type == NUMERICOID || type == FLOAT4OID ||
			type == FLOAT8OID);
}

bool
dp_agreement_applies(const DpGroupings *groupings, int aggno,
					 DpMarginals *marginals, int *exponent)
{
	DpReleaseState *first = linitial(groupings->states);
	Aggref *aggref = list_nth(first->outline->aggregates, aggno);

	if (!are_of_rows(groupings) || dp_terms_chooses(&first->terms, aggno) ||
		!is_sum(dp_terms_call(&first->terms, aggno),
				getBaseType(aggref->aggtype)))
		return false;
	foreach_ptr (DpReleaseState, state, groupings->states)
	{
		const DpLaw *law = dp_answer_table_law(&state->answers, aggno);

		if (law->kind != DP_LAW_NOISE || law->has_least || law->has_greatest ||
			law->has_threshold ||
			(foreach_current_index(state) > 0 && law->exponent != *exponent))
			return false;
		*exponent = law->exponent;
		marginals->variances[foreach_current_index(state)] =
			pow(dp_noise_deviation(&law->noise), 2);
	}
	return true;
}

bool
dp_agreement_is_expected(const DpReleaseState *state, int aggno,
						 double *deviation)
{
	DpMarginals marginals;
	int exponent;

	if (!state->groupings->have_sizes)
		return false;
	marginals = state->groupings->tables;
	if (!dp_agreement_applies(state->groupings, aggno, &marginals, &exponent) ||
		!dp_marginals_are_few(&marginals))
		return false;
	foreach_ptr (DpReleaseState, grouping, state->groupings->states)
	{
		if (grouping == state)
			*deviation =
				ldexp(sqrt(dp_marginals_variance(
						  &marginals, foreach_current_index(grouping))),
					  exponent);
	}
	return true;
}

/* The following functions find shares. */

/*
 * Whether all aggregates are counts and sums. asked: the least epsilon of
 * theirs; epsilon: the same over what a unit changes.
 */
static bool
are_sums(DpReleaseState *state, double *asked, double *epsilon)
{
	int count = list_length(state->outline->aggregates);
	int aggno;

	*asked = *epsilon = 0;
	for (aggno = 0; aggno < count; aggno++)
	{
		const DpCall *call = dp_terms_asked(&state->terms, aggno);
		double changed;

		if (!dp_aggregate_get(call->aggregate)->adds_up ||
			dp_terms_chooses(&state->terms, aggno) || call->choice.truncated)
			return false;
		changed =
			(double) dp_contribution_parts(call->contribution) *
			(call->aggregate == DP_AGGREGATE_COUNT ? call->contribution.rows
												   : 1000); /* fine steps */
		if (*asked == 0 || call->epsilon_asked < *asked)
			*asked = call->epsilon_asked;
		if (*epsilon == 0 || call->epsilon_asked / changed < *epsilon)
			*epsilon = call->epsilon_asked / changed;
	}
	return true;
}

/* The least epsilon of which the least share is enough. */
#define SHARED_LEAST 0.01

static void
find_shares(DpGroupings *groupings, double *shares)
{
	DpReleaseState *first = linitial(groupings->states);
	int count = list_length(groupings->states);
	double asked;
	double epsilon;
	int i;

	groupings->have_sizes = find_tables(groupings);
	groupings->drops_groups = groupings->have_sizes && may_choose(groupings);
	if (groupings->have_sizes && are_of_rows(groupings) &&
		are_sums(first, &asked, &epsilon) && asked >= SHARED_LEAST)
	{
		dp_marginals_share(&groupings->tables, epsilon,
						   first->outline->choices.by_rho, shares);
		return;
	}
	for (i = 0; i < count; i++)
		shares[i] = 1.0 / count;
}

/*
 * Where rho is shared, a grouping in which groups merge costs more, so its
 * share of epsilon is smaller.
 */
static void
set_share(DpReleaseState *state, double share)
{
	const DpOpenChoices *choices = &state->outline->choices;
	int count = list_length(state->outline->aggregates);
	ParamExternData *epsilons;
	int aggno;

	state->terms.share_of_price = share;
	if (choices->by_rho)
		share /= (double) state->terms.merged;
	state->terms.share = share;
	if (choices->parameter == 0) /* privacy levels have epsilons */
		return;
	epsilons = dp_sub_query_values_room(state, choices->parameter, count);
	for (aggno = 0; aggno < count; aggno++)
		epsilons[aggno] = (ParamExternData){
			.ptype = FLOAT8OID,
			.value = Float8GetDatum(
				dp_terms_call(&state->terms, aggno)->epsilon_asked)};
}

/* Sets the shares of the groupings of one query. */
static void
share_out(List *family)
{
	DpGroupings *groupings = dp_groupings_make(family);
	double shares[DP_MARGINALS_MAX];

	if (groupings == NULL)
	{
		foreach_ptr (DpReleaseState, state, family)
			set_share(state, 1);
		return;
	}
	find_shares(groupings, shares);
	foreach_ptr (DpReleaseState, state, groupings->states)
		set_share(state, shares[foreach_current_index(state)]);
	foreach_ptr (DpReleaseState, state, groupings->repeated)
		set_share(state, state->original->terms.share_of_price);
	foreach_ptr (DpReleaseState, state, family)
		state->groupings = groupings;
}

List *
dp_agreement_share_out(List *states)
{
	List *askers = NIL;

	foreach_ptr (DpReleaseState, state, states)
	{
		List *family = NIL;
		MemoryContext old;

		if (state->terms.share_of_price > 0)
			continue;
		if (state->outline->family == 0)
		{
			if (state->outline->choices.parameter > 0)
				set_share(state, 1); /* bounds have taken theirs */
			continue;
		}
		old = MemoryContextSwitchTo(state->estate->es_query_cxt);
		foreach_ptr (DpReleaseState, other, states)
		{
			if (other->outline->family == state->outline->family)
				family = lappend(family, other);
		}
		share_out(family);
		MemoryContextSwitchTo(old);
	}
	foreach_ptr (DpReleaseState, state, states)
	{
		if (dp_release_state_asker(state) == state)
			askers = lappend(askers, state);
	}
	return askers;
}
