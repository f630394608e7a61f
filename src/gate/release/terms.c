/*
 * terms.c
 *		The terms on which the aggregates of a release are answered.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "accounting/epsilon_share.h"
#include "aggregates/bins.h"
#include "aggregates/parameters.h"
#include "gate/bound/choices.h"
#include "gate/bound/levels.h"
#include "gate/relations/private_aggregates.h"
#include "gate/release/terms.h"
#include "server/report.h"

void
dp_terms_init(DpTerms *terms, const DpReleasePlan *plan, PlanState *node)
{
	const DpOutline *outline = &plan->outline;
	Size size = list_length(outline->aggregates) * sizeof(void *);

	*terms = (DpTerms){.outline = outline, .node = node, .share = 1};
	terms->merged = plan->outline.other_key_numbers == NIL
						? 1
						: dp_contribution_parts(outline->contribution);
	terms->asked = palloc0(size);
	terms->calls = palloc0(size);
	terms->mechanisms = palloc0(size);
	terms->chosen =
		palloc0(list_length(outline->aggregates) * sizeof(DpChosenBounds));
	terms->caps = palloc0(list_length(outline->aggregates) * sizeof(uint32));
	terms->shares =
		palloc0(list_length(outline->aggregates) * sizeof(DpChosenShares));
}

/*
 * Bounds that are chosen
 */

bool
dp_terms_bounds_are_chosen(const DpTerms *terms, int aggno)
{
	return list_nth_int(terms->outline->choice_numbers, aggno) > 0;
}

bool
dp_terms_cap_is_chosen(const DpTerms *terms, int aggno)
{
	return terms->outline->chooses_cap != NIL &&
		   list_nth_int(terms->outline->chooses_cap, aggno) != 0;
}

bool
dp_terms_chooses(const DpTerms *terms, int aggno)
{
	return dp_terms_bounds_are_chosen(terms, aggno) ||
		   dp_terms_cap_is_chosen(terms, aggno);
}

Oid
dp_terms_type(const DpTerms *terms, int aggno)
{
	const Aggref *aggref = list_nth(terms->outline->aggregates, aggno);

	return getBaseType(linitial_oid(aggref->aggargtypes));
}

void
dp_terms_set_bounds(DpTerms *terms, int aggno, DpEdge lower, DpEdge upper)
{
	bool are_none = lower.sign == 0 && upper.sign == 0;

	terms->chosen[aggno] = (DpChosenBounds){true, are_none, lower, upper};
	terms->asked[aggno] = terms->calls[aggno] = NULL; /* to be read again */
}

void
dp_terms_set_cap(DpTerms *terms, int aggno, uint32 cap)
{
	terms->caps[aggno] = cap;
	terms->asked[aggno] = terms->calls[aggno] = NULL; /* to be read again */
}

/*
 * Where bounds are not known yet the widest, of which more can be wrong than of
 * others: then it is wrong before anything is charged. Where there are none, some.
 */
void
dp_terms_bounds(const DpTerms *terms, int aggno, Datum bounds[2])
{
	const DpChosenBounds *chosen = &terms->chosen[aggno];
	Oid type = dp_terms_type(terms, aggno);
	DpBins bins = dp_bins_of_type(type);
	DpEdge lower = chosen->lower;
	DpEdge upper = chosen->upper;

	if (!chosen->are_known)
		lower = (DpEdge){-1, bins.greatest};
	if (!chosen->are_known || chosen->are_none)
		upper = (DpEdge){1, chosen->are_none ? 0 : bins.greatest};
	bounds[0] = dp_bins_bound(type, lower);
	bounds[1] = dp_bins_bound(type, upper);
}

/* An aggregate with them in the place of the parameters that stand for them. */
static Aggref *
fill_in_bounds(const DpTerms *terms, int aggno, const Aggref *aggref)
{
	Aggref *filled = copyObject((Aggref *) aggref);
	Oid type = dp_bins_bound_type(dp_terms_type(terms, aggno));
	int16 length;
	bool by_value;
	Datum bounds[2];
	int i;

	get_typlenbyval(type, &length, &by_value);
	dp_terms_bounds(terms, aggno, bounds);
	for (i = 0; i < 2; i++)
		list_nth_node(TargetEntry, filled->args, i + 1)->expr =
			(Expr *) makeConst(type, -1, InvalidOid, length, bounds[i], false,
							   by_value);
	return filled;
}

/*
 * Bounds and caps are chosen for what auto draws alone: whether other mechanisms can be
 * used, and what they cost, may depend on them (accounting/chosen_price.h).
 */
static void
refuse_mechanism(const DpCall *call)
{
	if (call->choice.mechanism == DP_AUTO)
		return;
	if (call->most_rows > 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("mechanism %s of %s needs a cap that is not chosen",
					dp_mechanism_name(call->choice.mechanism),
					dp_aggregate_name(call->aggregate)),
			 errhint("SET dp_noise.choose_caps = 0, or leave the mechanism to "
					 "auto.")));
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("mechanism %s of %s needs bounds",
				dp_mechanism_name(call->choice.mechanism),
				dp_aggregate_name(call->aggregate)),
		 errhint("Write bounds, ask the owner for dp_noise.set_bounds(), or "
				 "leave the mechanism to auto.")));
}

/* Leaves the call what choosing its bounds or its cap does not cost. */
static void
take_rest(DpTerms *terms, int aggno, DpCall *call)
{
	DpChosenShares *shares = &terms->shares[aggno];
	const DpOutline *outline = terms->outline;

	refuse_mechanism(call);
	if (shares->asked == 0)
		dp_report_status(dp_chosen_price_divide(
			call->epsilon_asked,
			call->most_rows > 0 ? outline->cap_share : outline->share,
			dp_choices_divide_rho(list_nth(outline->aggregates, aggno),
								  outline->choices),
			shares));
	if (!dp_amount_epsilon_of(shares->rest, &call->epsilon))
		dp_report_status(DP_EPSILON_OUT_OF_RANGE);
	call->epsilon_asked = shares->rest;
}

DpChosenShares
dp_terms_shares(DpTerms *terms, int aggno)
{
	(void) dp_terms_asked(terms, aggno);
	return terms->shares[aggno];
}

/*
 * Calls
 */

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
	if (dp_terms_bounds_are_chosen(terms, aggno))
		aggref = fill_in_bounds(terms, aggno, aggref);
	dp_parameters_of(aggref, terms->node, 1, &parameters);
	dp_call_check(&parameters, call);
	call->contribution = outline->contribution;
	if (call->cap > 0 && outline->relations.several)
		call->contribution.rows = call->cap;
	if (dp_terms_cap_is_chosen(terms, aggno))
	{
		call->most_rows = call->contribution.rows;
		if (terms->caps[aggno] > 0)
			call->contribution.rows = terms->caps[aggno];
	}
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
make_call(DpTerms *terms, int aggno, double share)
{
	MemoryContext old = MemoryContextSwitchTo(terms->node->state->es_query_cxt);
	DpCall *call = read_call(terms, aggno);

	if (dp_terms_chooses(terms, aggno))
		take_rest(terms, aggno, call);
	if (share < 1)
		take_share(call, share);
	dp_levels_choose(terms->outline->levels, &terms->outline->relations, call);
	if (terms->mechanisms[aggno] != NULL)
		dp_call_set_mechanism(call, terms->mechanisms[aggno]);
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

void
dp_terms_set_mechanism(DpTerms *terms, int aggno, const char *mechanism)
{
	terms->mechanisms[aggno] = mechanism;
	terms->asked[aggno] = terms->calls[aggno] = NULL;
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
	const DpCall *call = dp_terms_call(terms, aggno);

	dp_describe_call(call, description);
	if (dp_terms_chooses(terms, aggno))
		dp_report_status(dp_chosen_price_of_rest(
			call->epsilon_asked,
			dp_choices_divide_rho(list_nth(terms->outline->aggregates, aggno),
								  terms->outline->choices),
			&description->cost));
	if (terms->merged > 1 && description->mechanism == DP_GAUSSIAN &&
		!terms->outline->choices.by_rho)
		refuse_merged_gaussian();
	price_merged(description, terms->merged);
}

/* Of dp_bounds, over all rows. */
static void
describe_bounds(DpTerms *terms, int aggno, double epsilon,
				DpDescription *description)
{
	const DpOutline *outline = terms->outline;
	DpCall call = {.aggregate = DP_AGGREGATE_BOUNDS,
				   .type = dp_terms_type(terms, aggno),
				   .epsilon_asked = epsilon,
				   .contribution =
					   dp_choices_contribution(outline->contribution),
				   .of_units = outline->relations.several};

	if (!dp_amount_epsilon_of(epsilon, &call.epsilon))
		dp_report_status(DP_EPSILON_OUT_OF_RANGE);
	if (!call.of_units)
		call.contribution.rows = 1;
	dp_describe_call(&call, description);
}

/* Of a walk, by whose epsilon alone it is charged (mechanisms/chosen_cap.h). */
static void
describe_cap(double epsilon, DpDescription *description)
{
	memset(description, 0, sizeof(DpDescription));
	dp_report_status(
		dp_chosen_price_of_rest(epsilon, false, &description->cost));
	description->asked = description->cost.epsilon;
}

void
dp_terms_describe_choice(DpTerms *terms, int aggno, DpDescription *description)
{
	const DpOutline *outline = terms->outline;
	double epsilon = dp_terms_shares(terms, aggno).choice;

	if (dp_terms_cap_is_chosen(terms, aggno))
		describe_cap(epsilon, description);
	else
		describe_bounds(terms, aggno, epsilon, description);
	if (dp_choices_divide_rho(list_nth(outline->aggregates, aggno),
							  outline->choices))
		description->cost.epsilon.ticks = 0; /* that of all is not finite */
}

const char *
dp_terms_mechanism(const DpTerms *terms, int aggno,
				   const DpDescription *description)
{
	if (dp_terms_bounds_are_chosen(terms, aggno))
		return "geometric for bounds, then auto";
	if (dp_terms_cap_is_chosen(terms, aggno))
		return "geometric for a cap, then auto";
	return dp_mechanism_name(description->mechanism);
}
