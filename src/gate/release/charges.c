/*
 * charges.c
 *		The price of the releases of a statement, question by question.
 */
#include "postgres.h"

#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "accounting/epsilon_share.h"
#include "aggregates/describe.h"
#include "aggregates/parameters.h"
#include "aggregates/sample_state.h"
#include "gate/question/fingerprint.h"
#include "gate/question/keys/key.h"
#include "gate/question/relations/private_aggregates.h"
#include "gate/question/relations/reliance.h"
#include "gate/release/chain.h"
#include "gate/release/charges.h"
#include "gate/release/draw.h"
#include "gate/release/groupings.h"
#include "server/report.h"
#include "server/settings.h"

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

bool
dp_gate_read_call(DpReleaseState *state, Aggref *aggref, DpCall *call)
{
	DpParameters parameters;

	memset(call, 0, sizeof(*call));
	call->epsilon_default = state->release->outline.choices.epsilon;
	call->aggregate = dp_gate_traits_of(aggref)->aggregate;
	dp_parameters_of(aggref, &state->css.ss.ps, 1, &parameters);
	dp_call_check(&parameters, call);
	call->contribution = state->release->outline.contribution;
	if (call->cap > 0 && state->release->outline.relations.several)
		call->contribution.rows = call->cap;
	call->of_units = state->release->outline.relations.several;
	call->choice.by_rho = state->release->outline.choices.by_rho;
	if (state->share < 1)
		take_share(call, state->share);
	return dp_gate_chain_choose(state, call);
}

/*
 * Refuses samples of units that might not fit into memory, or into a value of
 * the server's. This depends on the caps alone and comes before the charge, so
 * it does not reveal whether a unit has so many rows.
 */
static void
check_samples(const DpReleaseState *state, const DpCall *call)
{
	const DpRelease *release = state->release;

	if (!release->outline.relations.several ||
		!dp_aggregate_get(call->aggregate)->samples_units ||
		dp_sample_state_size(release->outline.contribution.rows) <=
			Min((Size) dp_setting_work_mem * 1024, MaxAllocSize))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("%s over \"%s\" may keep too many rows of a privacy unit",
					dp_aggregate_name(call->aggregate),
					dp_gate_relation_names(&release->outline.relations)),
			 errdetail("It keeps up to %u, of %d bytes each, in at most 1 GB, "
					   "and dp_noise.work_mem is %d kB.",
					   release->outline.contribution.rows, (int) sizeof(int64),
					   dp_setting_work_mem),
			 errhint("Ask the owner for a smaller max_rows_per_unit, or the "
					 "administrator for a greater dp_noise.work_mem.")));
}

/* Adds the delta of a threshold, which no rho covers. */
static void
add_delta(DpPrivacyCost *cost, DpAmount delta)
{
	cost->delta = dp_amount_add(cost->delta, delta);
	cost->pool = dp_amount_add(cost->pool, delta);
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

/* An epsilon is not charged below what was asked for. */
static void
raise_epsilon(DpPrivacyCost *cost, DpAmount asked)
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
	raise_epsilon(cost, description->asked);
}

void
dp_gate_describe(const DpReleaseState *state, const DpCall *call,
				 DpDescription *description)
{
	uint64 merged = dp_gate_merged(state->release);

	dp_describe_call(call, description);
	if (merged > 1 && description->mechanism == DP_GAUSSIAN &&
		!state->release->outline.choices.by_rho)
		refuse_merged_gaussian();
	price_merged(description, merged);
}

/*
 * Fills in the charge for one aggregate, without an answer, and its
 * parameters.
 */
static void
charge_alone(DpQuestion *question)
{
	DpReleaseState *state = question->state;
	DpCharge *charge = &question->charge;
	Aggref *aggref =
		list_nth(state->release->outline.aggregates, question->aggno);
	DpDescription description;
	DpCall call;

	charge->has_levels = dp_gate_read_call(state, aggref, &call);
	question->choice = call.choice;
	question->contribution = call.contribution;
	question->cap = call.cap;
	dp_gate_describe(state, &call, &description);
	check_samples(state, &call);
	charge->asked = description.asked;
	charge->cost = description.cost;
	dp_gate_question_fingerprint(state, question->aggno, charge->fingerprint);
	strlcpy(charge->aggregate, dp_aggregate_name(call.aggregate),
			sizeof(charge->aggregate));
	strlcpy(charge->mechanism, dp_mechanism_name(description.mechanism),
			sizeof(charge->mechanism));
	if (charge->has_levels)
		dp_gate_chain_charge(state, &call, charge);
	if (state->selection != NULL && state->selection->aggno == question->aggno)
		add_delta(&charge->cost, state->selection->delta);
}

/* What an aggregate asks for in all groupings together. */
static DpAmount
asked_together(DpReleaseState *state, int aggno)
{
	double share = state->share;
	DpAmount asked;
	DpCall call;

	state->share = 1;
	(void) dp_gate_read_call(
		state, list_nth(state->release->outline.aggregates, aggno), &call);
	state->share = share;
	if (!dp_amount_from_double(call.epsilon_asked, &asked))
		elog(ERROR, "epsilon out of range");
	return asked;
}

/*
 * The same where there may be groupings, all of which it is for: what they cost
 * together. Their epsilons add up to what was asked for or, where shares were
 * rounded, to a little less; that is charged as it was asked for.
 */
static void
charge_aggregate(DpQuestion *question)
{
	DpReleaseState *state = question->state;
	DpCharge *charge = &question->charge;
	ListCell *cell;

	charge_alone(question);
	if (state->share >= 1)
		return;
	for_each_from (cell, dp_gate_grouped(state), 1)
	{
		DpQuestion other = {.state = lfirst(cell), .aggno = question->aggno};

		charge_alone(&other);
		charge->cost = dp_cost_add(&charge->cost, &other.charge.cost);
	}
	charge->asked = asked_together(state, question->aggno);

	/* Where rho covers delta, all together have less epsilon than their sum. */
	if (charge->cost.delta.ticks > 0 && charge->cost.pool.ticks == 0)
		dp_report_status(dp_cost_limit_epsilon(&charge->cost, true));
	raise_epsilon(&charge->cost, charge->asked);
}

void
dp_gate_price_selection(const DpReleaseState *state, DpAmount *asked,
						DpPrivacyCost *cost)
{
	const DpGroupSelection *selection = state->selection;
	DpRho rho;

	*asked = selection->epsilon;
	*cost = dp_cost_none();
	add_delta(cost, selection->delta);
	if (selection->aggno >= 0)
		return;
	dp_report_status(dp_noise_rho(&selection->noise, 1,
								  state->release->outline.contribution, &rho));
	cost->rho.ticks = rho.ticks;
	if (selection->noise.mechanism == DP_GAUSSIAN && !selection->shares_delta)
		dp_cost_set_unbounded(cost);
	else
		cost->epsilon = selection->epsilon;
}

bool
dp_gate_is_selection(const DpQuestion *question)
{
	return question->aggno ==
		   list_length(question->state->release->outline.aggregates);
}

/*
 * The charge for selecting groups for some questions. It is no question that
 * others could have asked: where they asked all of these, they have its groups.
 */
static void
charge_selection(DpQuestion *question, const DpQuestion *questions, int count)
{
	DpReleaseState *state = question->state;
	DpCharge *charge = &question->charge;
	unsigned char *fingerprints = palloc(count * DP_FINGERPRINT_SIZE);
	int i;

	dp_gate_price_selection(state, &charge->asked, &charge->cost);
	for (i = 0; i < count; i++)
		memcpy(fingerprints + i * DP_FINGERPRINT_SIZE,
			   questions[i].charge.fingerprint, DP_FINGERPRINT_SIZE);
	dp_gate_fingerprint_selection(fingerprints, count, charge->fingerprint);
	strlcpy(charge->aggregate, "selection of groups",
			sizeof(charge->aggregate));
	strlcpy(charge->mechanism,
			dp_mechanism_name(state->selection->noise.mechanism),
			sizeof(charge->mechanism));
}

/*
 * The number of questions that are charged for: aggregates, and perhaps a
 * selection.
 */
static int
count_questions(const DpReleaseState *state)
{
	int count = list_length(state->release->outline.aggregates);

	if (dp_gate_is_asked_by_other(state))
		return 0;
	return state->selection != NULL && state->selection->aggno < 0 ? count + 1
																   : count;
}

int
dp_gate_count_charges(const DpReleaseState *state)
{
	return count_questions(state) *
		   list_length(state->release->outline.relations.populations);
}

/* The questions of a release, as of one population. */
static DpQuestion *
price_release(DpReleaseState *state, int count)
{
	DpQuestion *questions = palloc0(Max(count, 1) * sizeof(DpQuestion));
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		DpQuestion *question = &questions[aggno];

		question->state = state;
		question->aggno = aggno;
		question->same = -1;
		if (dp_gate_is_selection(question))
			charge_selection(question, questions, aggno);
		else
			charge_aggregate(question);
	}
	dp_gate_name_draws(questions, count);
	return questions;
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
add_relations(DpAsking *asked, const DpRelease *release, int32 population,
			  uint32 *count)
{
	const DpRelations *relations = &release->outline.relations;
	DpAskedRelation *added = &asked->relations[asked->relation_count];
	uint32 first;
	ListCell *cell;

	*count = 0;
	foreach (cell, dp_gate_all_read(relations))
	{
		const DpReliance *reliance =
			dp_gate_reliance_on(release->reliances, lfirst_oid(cell));
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
	for (first = 0; first + *count <= asked->relation_count; first++)
	{
		if (are_same(&asked->relations[first], added, *count))
			return first;
	}
	first = asked->relation_count;
	asked->relation_count += *count;
	return first;
}

/* Adds the questions of a release, each for all of its populations. */
static void
add_release(DpAsking *asked, DpReleaseState *state)
{
	List *populations = state->release->outline.relations.populations;
	int several = list_length(populations);
	int count = count_questions(state);
	DpQuestion *questions = price_release(state, count);
	ListCell *cell;
	int i;

	foreach (cell, populations)
	{
		uint32 relations;
		uint32 first =
			add_relations(asked, state->release, lfirst_int(cell), &relations);

		for (i = 0; i < count; i++)
		{
			DpQuestion *question =
				&asked->questions[asked->count + i * several +
								  foreach_current_index(cell)];

			*question = questions[i];
			question->charge.population_id = lfirst_int(cell);
			question->charge.first_relation = first;
			question->charge.relation_count = relations;
			question->charge.is_joint = foreach_current_index(cell) > 0;
		}
	}
	asked->count += count * several;
}

DpAsking
dp_gate_price_questions(List *states)
{
	DpAsking asked = {0};
	int count = 0;
	int relations = 0;
	ListCell *cell;

	foreach (cell, states)
	{
		const DpReleaseState *state = lfirst(cell);

		count += dp_gate_count_charges(state);
		relations +=
			list_length(dp_gate_all_read(&state->release->outline.relations));
	}
	asked.questions = palloc(Max(count, 1) * sizeof(DpQuestion));
	asked.relations = palloc0(Max(relations, 1) * sizeof(DpAskedRelation));
	foreach (cell, states)
		add_release(&asked, lfirst(cell));
	return asked;
}
