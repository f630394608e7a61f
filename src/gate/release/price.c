/*
 * price.c
 *		The price of a statement: what is charged, and to whom.
 */
#include "postgres.h"

#include "aggregates/describe.h"
#include "gate/question/fingerprint.h"
#include "gate/question/relations/reliance.h"
#include "gate/release/draw.h"
#include "gate/release/price.h"
#include "server/report.h"

/* Adds the delta of a threshold, which no rho covers. */
static void
add_delta(DpPrivacyCost *cost, DpAmount delta)
{
	cost->delta = dp_amount_add(cost->delta, delta);
	cost->pool = dp_amount_add(cost->pool, delta);
}

void
dp_price_selection(const DpReleaseState *state, DpAmount *asked,
				   DpPrivacyCost *cost)
{
	const DpGroupSelection *selection = state->groups.selection;
	DpRho rho;

	*asked = selection->epsilon;
	*cost = dp_cost_none();
	add_delta(cost, selection->delta);
	if (selection->aggno >= 0)
		return;
	dp_report_status(dp_noise_rho(&selection->noise, 1,
								  state->plan->outline.contribution, &rho));
	cost->rho.ticks = rho.ticks;
	if (selection->noise.mechanism == DP_GAUSSIAN && !selection->shares_delta)
		dp_cost_set_unbounded(cost);
	else
		cost->epsilon = selection->epsilon;
}

/* The price of a release's questions and selection, as of one population. */
typedef struct Parts
{
	DpReleaseState *state;
	int count;		   /* How many parts there are: ... */
	int *aggnos;	   /* ... by aggregate; -1: the selection. */
	DpCharge *charges; /* Beside them. */
} Parts;

/*
 * The charge for selecting groups for some questions. It is no question that
 * others could have asked: where they asked all of these, they have its groups.
 */
static void
charge_selection(Parts *parts)
{
	const DpGroupSelection *selection = parts->state->groups.selection;
	DpCharge *charge = &parts->charges[parts->count];
	unsigned char *fingerprints = palloc(parts->count * DP_FINGERPRINT_SIZE);
	int i;

	dp_price_selection(parts->state, &charge->asked, &charge->cost);
	for (i = 0; i < parts->count; i++)
		memcpy(fingerprints + i * DP_FINGERPRINT_SIZE,
			   parts->charges[i].fingerprint, DP_FINGERPRINT_SIZE);
	dp_gate_fingerprint_selection(fingerprints, parts->count,
								  charge->fingerprint);
	strlcpy(charge->aggregate, "selection of groups",
			sizeof(charge->aggregate));
	strlcpy(charge->mechanism, dp_mechanism_name(selection->noise.mechanism),
			sizeof(charge->mechanism));
	parts->aggnos[parts->count++] = -1;
}

/*
 * Names the draws that answer the parts. Until it is known how private groups
 * are selected, nobody else's answers are used.
 */
static void
name_draws(Parts *parts)
{
	DpReleaseState *state = parts->state;
	bool is_private = dp_groups_are_private(&state->groups);
	unsigned char(*names)[DP_FINGERPRINT_SIZE] =
		palloc(Max(parts->count, 1) * DP_FINGERPRINT_SIZE);
	int i;

	for (i = 0; i < parts->count; i++)
	{
		int aggno = parts->aggnos[i];

		dp_draw_name(state->plan,
					 aggno < 0 ? NULL : dp_terms_call(&state->terms, aggno),
					 &parts->charges[i], names[i]);
		parts->charges[i].has_draw =
			aggno >= 0 && (!is_private || state->groups.selection != NULL);
	}
	if (is_private)
		dp_draw_name_together(names, parts->count);
	for (i = 0; i < parts->count; i++)
		memcpy(parts->charges[i].draw, names[i], DP_FINGERPRINT_SIZE);
	pfree(names);
}

/* Prices what a release is the first to ask. */
static Parts
price_release(DpReleaseState *state)
{
	const DpGroupSelection *selection = state->groups.selection;
	int count = list_length(state->plan->outline.aggregates);
	Parts parts = {.state = state};
	int aggno;

	parts.aggnos = palloc((count + 1) * sizeof(int));
	parts.charges = palloc0((count + 1) * sizeof(DpCharge));
	for (aggno = 0; aggno < count; aggno++)
	{
		DpCharge *charge = &parts.charges[parts.count];

		if (dp_release_state_repeats(state, aggno))
			continue;
		*charge = state->questions[aggno]->charge;
		if (selection != NULL && selection->aggno == aggno)
			add_delta(&charge->cost, selection->delta);
		parts.aggnos[parts.count++] = aggno;
	}
	if (selection != NULL && selection->aggno < 0)
		charge_selection(&parts);
	name_draws(&parts);
	return parts;
}

static bool
are_same(const DpAskedRelation *some, const DpAskedRelation *others,
		 uint32 count)
{
	uint32 i;

	for (i = 0; i < count; i++)
	{
		if (some[i].relation != others[i].relation ||
			some[i].settings_version != others[i].settings_version ||
			some[i].is_named != others[i].is_named)
			return false;
	}
	return true;
}

/*
 * Adds what a release reads of a population, if it is not listed yet; returns
 * where, and sets how many relations.
 */
static uint32
add_relations(DpPrice *price, const DpReleasePlan *plan, int32 population,
			  uint32 *count)
{
	const DpRelations *relations = &plan->outline.relations;
	DpAskedRelation *added = &price->relations[price->relation_count];
	uint32 first;
	ListCell *cell;

	*count = 0;
	foreach (cell, dp_gate_all_read(relations))
	{
		const DpReliance *reliance =
			dp_gate_reliance_on(plan->reliances, lfirst_oid(cell));
		DpAskedRelation *relation = &added[*count];

		if (reliance->population != population)
			continue;
		relation->relation = reliance->relation;
		relation->settings_version = reliance->settings_version;
		relation->is_named =
			!dp_gate_is_beneath(relations, reliance->relation) &&
			!list_member_oid(relations->followed, reliance->relation);
		(*count)++;
	}
	for (first = 0; first + *count <= price->relation_count; first++)
	{
		if (are_same(&price->relations[first], added, *count))
			return first;
	}
	first = price->relation_count;
	price->relation_count += *count;
	return first;
}

/* Adds the parts of a release, each for all of its populations. */
static void
add_release(DpPrice *price, DpReleaseState *state)
{
	List *populations = state->plan->outline.relations.populations;
	int several = list_length(populations);
	Parts parts = price_release(state);
	ListCell *cell;
	int i;

	foreach (cell, parts.count == 0 ? NIL : populations)
	{
		int number = foreach_current_index(cell);
		uint32 relations;
		uint32 first =
			add_relations(price, state->plan, lfirst_int(cell), &relations);

		for (i = 0; i < parts.count; i++)
		{
			DpPricedCharge *priced =
				&price->charges[price->count + i * several + number];

			*priced =
				(DpPricedCharge){.state = state, .charge = parts.charges[i]};
			if (parts.aggnos[i] >= 0)
				priced->question = state->questions[parts.aggnos[i]];
			priced->charge.population_id = lfirst_int(cell);
			priced->charge.first_relation = first;
			priced->charge.relation_count = relations;
			priced->charge.is_joint = number > 0;
		}
	}
	price->count += parts.count * several;
}

DpPrice
dp_price_make(List *states)
{
	DpPrice price = {0};
	int count = 0;
	int relations = 0;
	ListCell *cell;

	foreach (cell, states)
	{
		const DpOutline *outline =
			&((DpReleaseState *) lfirst(cell))->plan->outline;

		/* Its aggregates, and a selection of its groups. */
		count += (list_length(outline->aggregates) + 1) *
				 list_length(outline->relations.populations);
		relations += list_length(dp_gate_all_read(&outline->relations));
	}
	price.charges = palloc(Max(count, 1) * sizeof(DpPricedCharge));
	price.relations = palloc0(Max(relations, 1) * sizeof(DpAskedRelation));
	foreach (cell, states)
	{
		if (dp_release_state_asker(lfirst(cell)) == lfirst(cell))
			add_release(&price, lfirst(cell));
	}
	return price;
}

DpPricedCharge *
dp_price_of(const DpPrice *price, const DpQuestion *question)
{
	int i;

	for (i = 0; i < price->count; i++)
	{
		if (price->charges[i].question == question)
			return &price->charges[i];
	}
	elog(ERROR, "a question has no price");
}
