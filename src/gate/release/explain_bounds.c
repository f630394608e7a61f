/*
 * explain_bounds.c
 *		EXPLAIN of the bounds and the cap of an aggregate, and of what follows.
 */
#include "postgres.h"

#include "nodes/primnodes.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

#include "aggregates/describe.h"
#include "gate/relations/private_aggregates.h"
#include "gate/release/chosen_bounds.h"
#include "gate/release/explain_answer.h"
#include "gate/release/explain_bounds.h"
#include "server/compat.h"

static char *
bound_text(const Aggref *aggref, int argno)
{
	const Const *bound =
		castNode(Const, list_nth_node(TargetEntry, aggref->args, argno)->expr);
	Oid output;
	bool varlena;

	getTypeOutputInfo(bound->consttype, &output, &varlena);
	return OidOutputFunctionCall(output, bound->constvalue);
}

void
dp_explain_derived_bounds(const Aggref *aggref, DpBoundsOrigin origin,
						  ExplainState *es)
{
	const DpAggregateTraits *traits = dp_private_aggregates_traits(aggref);
	StringInfoData text;
	int i;

	if (origin == DP_BOUNDS_GIVEN)
		return;
	initStringInfo(&text);
	for (i = 0; i < dp_aggregate_values(traits); i++)
	{
		int argno = dp_aggregate_data_arguments(traits) + 2 * i;

		appendStringInfo(&text, "%s%s .. %s", i == 0 ? "" : ", ",
						 bound_text(aggref, argno),
						 bound_text(aggref, argno + 1));
	}
	ExplainPropertyText("Derived Bounds", text.data, es);
	ExplainPropertyText(
		"Derived From",
		origin == DP_BOUNDS_OF_CONDITIONS ? "conditions" : "columns", es);
}

static void
explain_bounds(const DpReleaseState *state, int aggno, DpAmount asked,
			   ExplainState *es)
{
	ExplainPropertyText(
		"Bounds",
		psprintf("chosen privately, for a share of %g", state->outline->share),
		es);
	dp_explain_amount("Epsilon of Bounds", asked, es);
	dp_explain_text("Bounds Chosen",
					dp_chosen_bounds_text(&state->terms, aggno), es);
}

static void
explain_cap(const DpReleaseState *state, int aggno, DpAmount asked,
			ExplainState *es)
{
	ExplainPropertyText("Cap",
						psprintf("chosen privately, at most %u, for a share of "
								 "%g",
								 state->outline->contribution.rows,
								 state->outline->cap_share),
						es);
	dp_explain_amount("Epsilon of Cap", asked, es);
	if (state->terms.caps[aggno] > 0)
		ExplainPropertyUInteger("Cap Chosen", NULL, state->terms.caps[aggno],
								es);
}

void
dp_explain_choice(DpReleaseState *state, int aggno, DpDescription *description,
				  ExplainState *es)
{
	DpChosenShares shares = dp_terms_shares(&state->terms, aggno);
	DpDescription choice;
	DpAmount all;

	dp_terms_describe_choice(&state->terms, aggno, &choice);
	if (dp_terms_cap_is_chosen(&state->terms, aggno))
		explain_cap(state, aggno, choice.asked, es);
	else
		explain_bounds(state, aggno, choice.asked, es);
	if (dp_release_state_asker(state) != state)
		return;
	description->cost = dp_cost_add(&description->cost, &choice.cost);
	description->asked = dp_amount_add(description->asked, choice.asked);
	if (state->terms.share < 1 || !dp_amount_from_double(shares.asked, &all))
		return;
	description->asked = all;
	dp_terms_raise_epsilon(&description->cost, all);
}

/*
 * What is yet to be chosen, from which sensitivity and error follow, in words; NULL:
 * nothing is.
 */
static char *
open_text(const DpReleaseState *state, int aggno)
{
	if (dp_terms_bounds_are_chosen(&state->terms, aggno) &&
		!state->terms.chosen[aggno].are_known)
		return pstrdup("follows from the bounds");
	if (dp_terms_cap_is_chosen(&state->terms, aggno) &&
		state->terms.caps[aggno] == 0)
		return pstrdup("follows from the cap");
	return NULL;
}

char *
dp_explain_error_text(DpReleaseState *state, int aggno,
					  const DpDescription *description)
{
	char *open = open_text(state, aggno);

	return open != NULL ? open
						: dp_describe_error(dp_terms_call(&state->terms, aggno),
											description);
}

void
dp_explain_error(DpReleaseState *state, int aggno,
				 const DpDescription *description, ExplainState *es)
{
	const DpCall *call = dp_terms_call(&state->terms, aggno);
	const char *open = open_text(state, aggno);

	ExplainPropertyText(
		"Sensitivity",
		open != NULL ? open
		: description->is_of_values
			? dp_describe_difference(call, description->sensitivity)
			: float8out_internal(description->sensitivity),
		es);
	dp_explain_text("Bounded", dp_describe_bound(call), es);
	ExplainPropertyText("Expected Error (95%)",
						dp_explain_error_text(state, aggno, description), es);
}

void
dp_explain_derived_error(DpReleaseState *state, int aggno,
						 const DpDescription *description, ExplainState *es)
{
	DpDescription derived = *description;
	double width;

	if (!dp_explain_is_derived(state, aggno, &width))
		return;
	derived.half_width_95 *= width;
	ExplainPropertyText(
		"Half Width (95%)",
		dp_describe_error(dp_terms_call(&state->terms, aggno), &derived), es);
}
