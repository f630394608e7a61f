/*
 * terms.c
 *		The terms on which the aggregates of a release are answered.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "accounting/epsilon_share.h"
#include "aggregates/parameters.h"
#include "gate/bound/levels.h"
#include "gate/relations/private_aggregates.h"
#include "gate/release/terms.h"
#include "server/report.h"

void
dp_terms_init(DpTerms *terms, const DpReleasePlan *plan, PlanState *node)
{
	const DpOutline *outline = &plan->outline;
	Size size = list_length(outline->aggregates) * sizeof(DpCall *);

	*terms = (DpTerms){.outline = outline, .node = node, .share = 1};
	terms->merged = plan->outline.other_key_numbers == NIL
						? 1
						: dp_contribution_parts(outline->contribution);
	terms->asked = palloc0(size);
	terms->calls = palloc0(size);
}

/* The parameters of an aggregate, checked. */
static DpCall *
read_call(const DpTerms *terms, int aggno)
{
	const DpOutline *outline = terms->outline;
	Aggref *aggref = list_nth(outline->aggregates, aggno);
	DpCall *call = palloc0(sizeof(DpCall));
	DpParameters parameters;

	call->epsilon_default = outline->choices.epsilon;
	call->aggregate = dp_private_aggregates_traits(aggref)->aggregate;
	dp_parameters_of(aggref, terms->node, 1, &parameters);
	dp_call_check(&parameters, call);
	call->contribution = outline->contribution;
	if (call->cap > 0 && outline->relations.several)
		call->contribution.rows = call->cap;
	call->of_units = outline->relations.several;
	call->choice.by_rho = outline->choices.by_rho;
	return call;
}

/* Reduces the epsilon of a call to its grouping's share. */
static void
take_share(DpCall *call, double share)
{
	double part;

	dp_report_status(dp_epsilon_share(call->epsilon_asked, share,
									  call->choice.by_rho, &part));
	if (!dp_amount_epsilon_of(part, &call->epsilon))
		dp_report_status(DP_EPSILON_OUT_OF_RANGE);
	call->epsilon_asked = part;
}

/* In the memory of the execution, as long as the terms hold. */
static DpCall *
make_call(const DpTerms *terms, int aggno, double share)
{
	MemoryContext old = MemoryContextSwitchTo(terms->node->state->es_query_cxt);
	DpCall *call = read_call(terms, aggno);

	if (share < 1)
		take_share(call, share);
	dp_levels_choose(terms->outline->levels, &terms->outline->relations, call);
	MemoryContextSwitchTo(old);
	return call;
}

const DpCall *
dp_terms_asked(DpTerms *terms, int aggno)
{
	if (terms->asked[aggno] == NULL)
		terms->asked[aggno] = make_call(terms, aggno, 1);
	return terms->asked[aggno];
}

const DpCall *
dp_terms_call(DpTerms *terms, int aggno)
{
	if (terms->share >= 1)
		return dp_terms_asked(terms, aggno);
	if (terms->calls[aggno] == NULL)
		terms->calls[aggno] = make_call(terms, aggno, terms->share);
	return terms->calls[aggno];
}

bool
dp_terms_have_levels(DpTerms *terms, int aggno)
{
	return dp_levels_answer(terms->outline->levels,
							dp_terms_call(terms, aggno));
}

/*
 * Noise for (epsilon, delta) is calibrated to the L2 change of groups apart.
 * Where they merge it costs more epsilon than was asked for (price_merged), and
 * populations that count epsilon are charged no more than that.
 */
static void
refuse_merged_gaussian(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("mechanism gaussian cannot be used with groupings of "
					"privacy units that are in several groups"),
			 errhint("Leave the mechanism out, or ask for each grouping in a "
					 "query of its own.")));
}

void
dp_terms_raise_epsilon(DpPrivacyCost *cost, DpAmount asked)
{
	if (cost->unbounded.ticks == 0 &&
		dp_amount_compare(cost->epsilon, asked) < 0)
		cost->epsilon = asked;
}

/* amount * times */
static DpAmount
amount_times(DpAmount amount, uint64 times)
{
	DpAmount result = {0};

	for (; times > 0; times /= 2)
	{
		if (times % 2 == 1)
			result = dp_amount_add(result, amount);
		amount = dp_amount_add(amount, amount);
	}
	return result;
}

/*
 * What an answer costs where a unit's groups merge into one, from the noise that
 * is drawn: it is the noise of groups apart. Gaussian noise that is (epsilon,
 * delta)-DP for these has a greater epsilon. It is not charged below what was
 * asked for. Of the aggregates that add up no other noise has a delta.
 */
static void
price_merged(DpDescription *description, uint64 merged)
{
	DpPrivacyCost *cost = &description->cost;

	if (merged == 1)
		return;
	cost->rho = amount_times(cost->rho, merged);
	if (cost->delta.ticks == 0)
		return;
	if (description->mechanism != DP_GAUSSIAN)
		elog(ERROR, "delta of merged groups is not known");
	dp_report_status(dp_cost_limit_epsilon(cost, false));
	dp_terms_raise_epsilon(cost, description->asked);
}

void
dp_terms_describe(DpTerms *terms, int aggno, DpDescription *description)
{
	dp_describe_call(dp_terms_call(terms, aggno), description);
	if (terms->merged > 1 && description->mechanism == DP_GAUSSIAN &&
		!terms->outline->choices.by_rho)
		refuse_merged_gaussian();
	price_merged(description, terms->merged);
}
