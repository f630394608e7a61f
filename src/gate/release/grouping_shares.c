/*
 * grouping_shares.c
 *		How much of the price each of several groupings gets.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "core/marginal_shares.h"
#include "gate/release/agreement.h"
#include "gate/release/grouping_shares.h"
#include "gate/release/groupings.h"
#include "gate/release/sub_query_values.h"

/*
 * Whether all aggregates are counts and sums. asked: the least epsilon of
 * theirs; epsilon: the same over what a unit changes.
 */
static bool
are_sums(DpReleaseState *state, double *asked, double *epsilon)
{
	int count = list_length(state->plan->outline.aggregates);
	int aggno;

	*asked = *epsilon = 0;
	for (aggno = 0; aggno < count; aggno++)
	{
		const DpCall *call = dp_terms_asked(&state->terms, aggno);
		double changed;

		if (!dp_aggregate_get(call->aggregate)->adds_up ||
			call->choice.truncated)
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
	const DpReleasePlan *plan = first->plan;
	int count = list_length(groupings->states);
	double asked;
	double epsilon;
	int i;

	dp_agreement_find(groupings);
	if (groupings->have_sizes && dp_agreement_is_of_rows(groupings) &&
		are_sums(first, &asked, &epsilon) && asked >= SHARED_LEAST)
	{
		dp_marginals_share(&groupings->tables, epsilon,
						   plan->outline.choices.by_rho, shares);
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
	const DpOpenChoices *choices = &state->plan->outline.choices;
	int count = list_length(state->plan->outline.aggregates);
	int aggno;

	state->terms.share_of_price = share;
	if (choices->by_rho)
		share /= (double) dp_terms_merged(state->plan);
	state->terms.share = share;
	if (choices->parameter == 0) /* privacy levels have epsilons */
		return;
	for (aggno = 0; aggno < count; aggno++)
		dp_sub_query_values_add(
			state, choices->parameter + aggno, FLOAT8OID,
			Float8GetDatum(dp_terms_call(&state->terms, aggno)->epsilon_asked));
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
	{
		DpReleaseState *original =
			list_nth(groupings->originals, foreach_current_index(state));

		set_share(state, original->terms.share_of_price);
	}
	foreach_ptr (DpReleaseState, state, family)
		state->groupings = groupings;
}

void
dp_grouping_shares_find(List *states)
{
	foreach_ptr (DpReleaseState, state, states)
	{
		List *family = NIL;
		MemoryContext old;

		if (state->plan->outline.family == 0 || state->terms.share_of_price > 0)
			continue;
		old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
		foreach_ptr (DpReleaseState, other, states)
		{
			if (other->plan->outline.family == state->plan->outline.family)
				family = lappend(family, other);
		}
		share_out(family);
		MemoryContextSwitchTo(old);
	}
}
