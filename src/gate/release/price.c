/*
 * price.c
 *		The price of a statement: what is charged, and to whom.
 */
#include "postgres.h"

#include "gate/facts/fingerprint.h"
#include "gate/relations/reliance.h"
#include "gate/release/price.h"
#include "gate/release/questions.h"
#include "server/report.h"

/*
 * Adds the delta of a threshold, which no rho covers. Noise that shares it has a part
 * of it already; rho covers that, but not what the threshold makes of it.
 */
static void
add_delta(DpPrivacyCost *cost, const DpGroupSelection *selection)
{
	cost->delta = dp_amount_add(cost->delta, selection->rest);
	cost->pool = dp_amount_add(cost->pool, selection->delta);
}

void
dp_price_selection(const DpReleaseState *state, DpAmount *asked,
				   DpPrivacyCost *cost)
{
	const DpGroupSelection *selection = state->groups.selection;
	DpRho rho;

	*asked = selection->epsilon;
	*cost = dp_cost_none();
	add_delta(cost, selection);
	if (selection->aggno >= 0)
		return;
	dp_report_status(
		selection->reach > 0
			? dp_zcdp_of_pure(
				  selection->noise.epsilon,
				  dp_contribution_parts(state->outline->contribution), &rho)
			: dp_noise_rho(&selection->noise, 1, state->outline->contribution,
						   &rho));
	cost->rho.ticks = rho.ticks;
	if (selection->noise.mechanism == DP_GAUSSIAN && !selection->shares_delta)
		dp_cost_set_unbounded(cost);
	else
		cost->epsilon = selection->epsilon;
}

/*
 * The charge for selecting groups for some questions, which are priced. It is no
 * question that others could have asked: where they asked all of these, they have
 * its groups.
 */
static void
charge_selection(const DpPricedCharge *priced, int count,
				 DpPricedCharge *selection)
{
	DpReleaseState *state = selection->state;
	DpCharge *charge = &selection->charge;
	unsigned char *fingerprints = palloc(count * DP_FINGERPRINT_SIZE);
	int i;

	dp_price_selection(state, &charge->asked, &charge->cost);
	for (i = 0; i < count; i++)
		memcpy(fingerprints + i * DP_FINGERPRINT_SIZE,
			   priced[i].charge.fingerprint, DP_FINGERPRINT_SIZE);
	dp_fingerprint_of_selection(fingerprints, count, charge->fingerprint);
	strlcpy(charge->aggregate, "selection of groups",
			sizeof(charge->aggregate));
	strlcpy(charge->mechanism,
			dp_mechanism_name(state->groups.selection->noise.mechanism),
			sizeof(charge->mechanism));
}

/*
 * Names the draws that answer a release's questions. With private keys no draw is shared
 * before it is known how groups are selected.
 */
static void
name_draws(DpReleaseState *state, DpPricedCharge *priced, int count)
{
	bool is_private = dp_groups_are_private(&state->groups);
	unsigned char(*names)[DP_FINGERPRINT_SIZE] =
		palloc(Max(count, 1) * DP_FINGERPRINT_SIZE);
	int i;

	for (i = 0; i < count; i++)
	{
		const DpAskedQuestion *question = priced[i].question;

		if (question != NULL && question->count > 1)
			memcpy(names[i], question->name, DP_FINGERPRINT_SIZE);
		else
			dp_questions_name_draw(
				state->outline,
				question == NULL
					? NULL
					: dp_terms_call(&state->terms, question->aggno),
				&priced[i].charge, names[i]);
		priced[i].charge.has_draw =
			question != NULL &&
			(!is_private || state->groups.selection != NULL);
	}
	if (is_private)
		dp_questions_name_together(names, count);
	for (i = 0; i < count; i++)
		memcpy(priced[i].charge.draw, names[i], DP_FINGERPRINT_SIZE);
	pfree(names);
}

/*
 * Prices what a release is the first to ask, as of one population. Returns how
 * many charges that is.
 */
static int
price_release(DpReleaseState *state, DpPricedCharge *priced)
{
	const DpGroupSelection *selection = state->groups.selection;
	int aggregates = list_length(state->outline->aggregates);
	int count = 0;
	int aggno;

	for (aggno = 0; aggno < aggregates; aggno++)
	{
		DpAskedQuestion *question = state->questions[aggno];

		if (!dp_release_state_asks(state, aggno))
			continue;
		priced[count] = (DpPricedCharge){
			.state = state, .question = question, .charge = question->charge};
		if (selection != NULL && selection->aggno == aggno)
			add_delta(&priced[count].charge.cost, selection);
		count++;
	}
	if (selection != NULL && selection->aggno < 0)
	{
		priced[count] = (DpPricedCharge){.state = state};
		charge_selection(priced, count, &priced[count]);
		count++;
	}
	name_draws(state, priced, count);
	return count;
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
	foreach (cell, dp_relations_all_read(relations))
	{
		const DpReliance *reliance =
			dp_reliance_on(plan->reliances, lfirst_oid(cell));
		DpAskedRelation *relation = &added[*count];

		if (reliance->population != population)
			continue;
		relation->relation = reliance->relation;
		relation->settings_version = reliance->settings_version;
		relation->is_named =
			!dp_relations_is_beneath(relations, reliance->relation) &&
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

/* Adds what a release asks, each question for all of its populations in turn. */
static void
add_release(DpPrice *price, DpReleaseState *state)
{
	const DpOutline *outline = state->outline;
	int several = list_length(outline->relations.populations);
	DpPricedCharge *priced =
		palloc((list_length(outline->aggregates) + 1) * sizeof(DpPricedCharge));
	int count = price_release(state, priced);
	int number;
	int i;

	for (number = 0; number < several && count > 0; number++)
	{
		int32 population = list_nth_int(outline->relations.populations, number);
		uint32 relations;
		uint32 first =
			add_relations(price, state->plan, population, &relations);

		for (i = 0; i < count; i++)
		{
			DpPricedCharge *added =
				&price->charges[price->count + i * several + number];

			*added = priced[i];
			added->charge.population_id = population;
			added->charge.first_relation = first;
			added->charge.relation_count = relations;
			added->charge.is_joint = number > 0;
		}
	}
	price->count += count * several;
	pfree(priced);
}

DpPrice
dp_price_make(List *askers)
{
	DpPrice price = {0};
	int count = 0;
	int relations = 0;

	foreach_ptr (DpReleaseState, state, askers)
	{
		const DpOutline *outline = state->outline;

		/* Its aggregates, and a selection of its groups. */
		count += (list_length(outline->aggregates) + 1) *
				 list_length(outline->relations.populations);
		relations += list_length(dp_relations_all_read(&outline->relations));
	}
	price.charges = palloc(Max(count, 1) * sizeof(DpPricedCharge));
	price.relations = palloc0(Max(relations, 1) * sizeof(DpAskedRelation));
	foreach_ptr (DpReleaseState, state, askers)
		add_release(&price, state);
	return price;
}

DpPricedCharge *
dp_price_of(const DpPrice *price, const DpAskedQuestion *question)
{
	int i;

	for (i = 0; i < price->count; i++)
	{
		if (price->charges[i].question == question)
			return &price->charges[i];
	}
	elog(ERROR, "a question has no price");
}
