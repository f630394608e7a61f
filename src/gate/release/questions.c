/*
 * questions.c
 *		The questions of a statement, each once.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "aggregates/sample_state.h"
#include "gate/bound/levels.h"
#include "gate/release/draw.h"
#include "gate/release/groupings.h"
#include "gate/release/questions.h"
#include "server/report.h"
#include "server/settings.h"

/*
 * Refuses samples of units that might not fit into memory, or into a value of
 * the server's. This depends on the caps alone and comes before the charge, so
 * it does not reveal whether a unit has so many rows.
 */
static void
check_samples(const DpReleaseState *state, const DpCall *call)
{
	const DpReleasePlan *plan = state->plan;

	if (!plan->outline.relations.several ||
		!dp_aggregate_get(call->aggregate)->samples_units ||
		dp_sample_state_size(plan->outline.contribution.rows) <=
			Min((Size) dp_setting_work_mem * 1024, MaxAllocSize))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("%s over \"%s\" may keep too many rows of a privacy unit",
					dp_aggregate_name(call->aggregate),
					dp_gate_relation_names(&plan->outline.relations)),
			 errdetail("It keeps up to %u, of %d bytes each, in at most 1 GB, "
					   "and dp_noise.work_mem is %d kB.",
					   plan->outline.contribution.rows, (int) sizeof(int64),
					   dp_setting_work_mem),
			 errhint("Ask the owner for a smaller max_rows_per_unit, or the "
					 "administrator for a greater dp_noise.work_mem.")));
}

/* What the question of an aggregate asks for and costs, in all groupings. */
static void
price(DpReleaseState *state, int aggno, DpCharge *charge)
{
	const DpCall *asked = dp_terms_asked(&state->terms, aggno);

	foreach_ptr (DpReleaseState, grouping, state->groupings->states)
	{
		DpDescription description;

		dp_terms_describe(&grouping->terms, aggno, &description);
		check_samples(state, asked);
		charge->cost = dp_cost_add(&charge->cost, &description.cost);
		if (grouping != state)
			continue;
		charge->asked = description.asked;
		strlcpy(charge->mechanism, dp_mechanism_name(description.mechanism),
				sizeof(charge->mechanism));
	}
	if (state->terms.share >= 1)
		return;

	/*
	 * The epsilons of shares add up to what was asked for or, where shares were
	 * rounded, to a little less; that is charged as it was asked for.
	 */
	if (!dp_amount_from_double(asked->epsilon_asked, &charge->asked))
		elog(ERROR, "epsilon out of range");

	/* Where rho covers delta, all together have less epsilon than their sum. */
	if (charge->cost.delta.ticks > 0 && charge->cost.pool.ticks == 0)
		dp_report_status(dp_cost_limit_epsilon(&charge->cost, true));
	dp_terms_raise_epsilon(&charge->cost, charge->asked);
}

/* The question of an aggregate, as if nobody else had asked it. */
static DpAskedQuestion *
make_question(DpReleaseState *state, int aggno)
{
	DpAskedQuestion *question = MemoryContextAllocZero(
		state->css.ss.ps.state->es_query_cxt, sizeof(DpAskedQuestion));
	DpCharge *charge = &question->charge;
	const DpCall *call = dp_terms_call(&state->terms, aggno);

	question->state = state;
	question->aggno = aggno;
	price(state, aggno, charge);
	dp_groupings_fingerprint(state, aggno, charge->fingerprint);
	strlcpy(charge->aggregate, dp_aggregate_name(call->aggregate),
			sizeof(charge->aggregate));
	charge->has_levels = dp_terms_have_levels(&state->terms, aggno);
	if (charge->has_levels)
		dp_levels_charge(state->plan->outline.levels, call, charge);
	dp_draw_name(state->plan, call, charge, question->name);
	return question;
}

/* The same law, of the same rows; and the same level of it. */
static bool
is_same(const DpAskedQuestion *one, const DpAskedQuestion *other)
{
	return memcmp(one->name, other->name, sizeof(one->name)) == 0 &&
		   one->charge.level == other->charge.level;
}

/* The question itself, or an equal one among some; it is added if need be. */
static DpAskedQuestion *
find_same(List **questions, DpAskedQuestion *question)
{
	foreach_ptr (DpAskedQuestion, other, *questions)
	{
		if (is_same(other, question))
			return other;
	}
	*questions = lappend(*questions, question);
	return question;
}

/* True for a release all of whose questions are equal to others'. */
static bool
are_repeated(const DpReleaseState *state)
{
	int count = list_length(state->plan->outline.aggregates);
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		if (!dp_release_state_repeats(state, aggno))
			return false;
	}
	return count > 0;
}

/* questions: those found so far, to which a release's are added. */
static void
find_of_release(DpReleaseState *state, List **questions)
{
	int count = list_length(state->plan->outline.aggregates);
	DpAskedQuestion **own = palloc(count * sizeof(DpAskedQuestion *));
	int aggno;

	state->questions = MemoryContextAlloc(state->css.ss.ps.state->es_query_cxt,
										  count * sizeof(DpAskedQuestion *));
	for (aggno = 0; aggno < count; aggno++)
	{
		own[aggno] = make_question(state, aggno);
		state->questions[aggno] = find_same(questions, own[aggno]);
	}
	if (dp_groups_are_private(&state->groups) && !are_repeated(state))
		memcpy(state->questions, own, count * sizeof(DpAskedQuestion *));
	pfree(own);
}

void
dp_questions_find(List *states)
{
	List *questions = NIL;

	foreach_ptr (DpReleaseState, state, states)
	{
		if (dp_release_state_asker(state) == state)
			find_of_release(state, &questions);
	}
}

/* Whether some of a release's answers, and so its groups, are there already. */
static bool
is_replayed(const DpReleaseState *state)
{
	int count = list_length(state->plan->outline.aggregates);
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		if (state->questions[aggno]->told.outcome == DP_OUTCOME_REPLAYED)
			return true;
	}
	return false;
}

bool
dp_questions_prepare_selections(List *states)
{
	bool any = false;

	foreach_ptr (DpReleaseState, state, states)
	{
		if (!dp_groups_are_private(&state->groups) || is_replayed(state) ||
			are_repeated(state))
			continue;
		state->groups.selection = dp_group_selection_prepare(&state->terms);
		any = true;
	}
	return any;
}
