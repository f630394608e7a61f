/*
 * questions.c
 *		The questions of a statement, each once, and the draws that answer them.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "gate/bound/levels.h"
#include "gate/release/deciding_count.h"
#include "gate/release/disjoint.h"
#include "gate/release/groupings.h"
#include "gate/release/premises.h"
#include "gate/release/questions.h"
#include "server/report.h"
#include "server/sha256.h"

/* The following functions name draws. */

static void
add_bytes(StringInfo to, const void *bytes, Size size)
{
	appendBinaryStringInfo(to, bytes, (int) size);
}

/* Not whole structures, which have gaps. */
#define ADD(to, value) add_bytes(to, &(value), sizeof(value))

static void
add_text(StringInfo to, const char *text)
{
	add_bytes(to, text, strlen(text) + 1);
}

static void
add_price(StringInfo to, const DpCharge *charge)
{
	ADD(to, charge->asked.ticks);
	ADD(to, charge->cost.epsilon.ticks);
	ADD(to, charge->cost.delta.ticks);
	ADD(to, charge->cost.unbounded.ticks);
	ADD(to, charge->cost.rho.ticks);
	ADD(to, charge->cost.pool.ticks);
}

/* The law of an answer, as far as price and mechanism do not say it. */
static void
add_law(StringInfo to, const DpCall *call)
{
	const DpMechanismChoice *choice = &call->choice;

	ADD(to, choice->truncated);
	ADD(to, choice->cost);
	ADD(to, choice->gamma);
	ADD(to, choice->first_step);
	ADD(to, choice->delta);
	ADD(to, choice->rank);
	ADD(to, choice->quantum);
	ADD(to, choice->levels);
	ADD(to, choice->constants);
	ADD(to, call->contribution.neighbours);
	ADD(to,
		*(call->most_rows > 0 ? &call->most_rows : &call->contribution.rows));
	ADD(to, call->contribution.groups);
	ADD(to, call->cap);
}

void
dp_questions_name_draw(const DpOutline *outline, const DpCall *call,
					   const DpCharge *charge,
					   unsigned char name[DP_FINGERPRINT_SIZE])
{
	static const DpCall none = {0};
	/* Policies and functions can tell both of them. */
	Oid acting = outline->is_of_role ? GetUserId() : InvalidOid;
	Oid session = outline->is_of_role ? GetSessionUserId() : InvalidOid;
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	add_bytes(&text, charge->fingerprint, DP_FINGERPRINT_SIZE);
	add_text(&text, charge->mechanism);
	if (charge->has_levels) /* the chain is of all of them */
		add_text(&text, dp_levels_text(outline->levels));
	else
		add_price(&text, charge);
	add_law(&text, call == NULL ? &none : call);
	foreach (cell, outline->relations.populations)
		ADD(&text, lfirst_int(cell));
	ADD(&text, acting);
	ADD(&text, session);
	dp_sha256(text.data, text.len, name);
	pfree(text.data);
}

static int
compare_names(const void *a, const void *b)
{
	return memcmp(a, b, DP_FINGERPRINT_SIZE);
}

void
dp_questions_name_together(unsigned char (*names)[DP_FINGERPRINT_SIZE],
						   int count)
{
	Size size = (Size) (count + 1) * DP_FINGERPRINT_SIZE;
	unsigned char *text = palloc(size);
	int i;

	memcpy(text + DP_FINGERPRINT_SIZE, names,
		   (Size) count * DP_FINGERPRINT_SIZE);
	qsort(text + DP_FINGERPRINT_SIZE, (size_t) count, DP_FINGERPRINT_SIZE,
		  compare_names);
	for (i = 0; i < count; i++)
	{
		memcpy(text, names[i], DP_FINGERPRINT_SIZE);
		dp_sha256(text, size, names[i]);
	}
	pfree(text);
}

/* The following functions find questions. */

/* Adds what it costs to choose bounds or a cap first, once for all groupings. */
static void
add_choice(DpReleaseState *state, int aggno, DpCharge *charge)
{
	const DpCall choice = {.aggregate = DP_AGGREGATE_BOUNDS};
	DpDescription description;

	if (dp_terms_bounds_are_chosen(&state->terms, aggno))
		dp_premises_check_samples(state, &choice);
	dp_terms_describe_choice(&state->terms, aggno, &description);
	charge->cost = dp_cost_add(&charge->cost, &description.cost);
}

/* The epsilon that was asked for, of which all parts are parts. */
static double
whole_epsilon(DpReleaseState *state, int aggno)
{
	return dp_terms_chooses(&state->terms, aggno)
			   ? dp_terms_shares(&state->terms, aggno).asked
			   : dp_terms_asked(&state->terms, aggno)->epsilon_asked;
}

/*
 * What some aggregates ask for and cost in a grouping, each about other rows where
 * they are several; their mechanism, if that is one.
 */
static void
price_in_grouping(DpReleaseState *grouping, const DpAskedQuestion *question,
				  DpCharge *charge)
{
	DpPrivacyCost *costs = palloc(question->count * sizeof(DpPrivacyCost));
	DpPrivacyCost together;
	int i;

	for (i = 0; i < question->count; i++)
	{
		DpDescription description;
		const char *mechanism;

		dp_terms_describe(&grouping->terms, question->aggnos[i], &description);
		dp_premises_check_samples(
			grouping, dp_terms_asked(&grouping->terms, question->aggnos[i]));
		costs[i] = description.cost;
		if (grouping != question->state)
			continue;
		mechanism = dp_terms_mechanism(&grouping->terms, question->aggnos[i],
									   &description);
		if (i == 0)
			strlcpy(charge->mechanism, mechanism, sizeof(charge->mechanism));
		else if (strcmp(charge->mechanism, mechanism) != 0)
			strlcpy(charge->mechanism, "several", sizeof(charge->mechanism));
	}
	together =
		dp_disjoint_cost(costs, question->count, dp_disjoint_touched(grouping));
	charge->cost = dp_cost_add(&charge->cost, &together);
	pfree(costs);
}

/* The epsilons that its aggregates ask for, as they are charged. */
static void
find_asked(DpReleaseState *state, const DpAskedQuestion *question,
		   DpCharge *charge)
{
	DpPrivacyCost *asked = palloc(question->count * sizeof(DpPrivacyCost));
	int i;

	charge->least_asked = dp_amount_greatest();
	for (i = 0; i < question->count; i++)
	{
		int aggno = question->aggnos[i];
		DpDescription description;

		/*
		 * The epsilons of shares add up to what was asked for or, where shares were
		 * rounded, to a little less; that is charged as it was asked for.
		 */
		asked[i] = dp_cost_none();
		if (state->terms.share >= 1 && !dp_terms_chooses(&state->terms, aggno))
		{
			dp_terms_describe(&state->terms, aggno, &description);
			asked[i].epsilon = description.asked;
		}
		else if (!dp_amount_from_double(whole_epsilon(state, aggno),
										&asked[i].epsilon))
			elog(ERROR, "epsilon out of range");
		if (dp_amount_compare(asked[i].epsilon, charge->least_asked) < 0)
			charge->least_asked = asked[i].epsilon;
	}
	charge->asked =
		dp_disjoint_cost(asked, question->count, dp_disjoint_touched(state))
			.epsilon;
	if (question->count == 1)
		charge->least_asked = (DpAmount){0};
	pfree(asked);
}

/*
 * What a question asks for and costs, in all groupings. One for which bounds or a
 * cap are chosen is about one aggregate (gate/release/disjoint.h).
 */
static void
price(DpReleaseState *state, DpAskedQuestion *question)
{
	DpCharge *charge = &question->charge;

	find_asked(state, question, charge);
	foreach_ptr (DpReleaseState, grouping, state->groupings->states)
		price_in_grouping(grouping, question, charge);
	if (dp_terms_chooses(&state->terms, question->aggno))
		add_choice(state, question->aggno, charge);
	else if (state->terms.share >= 1)
		return;

	/* Where rho covers delta, all together have less epsilon than their sum. */
	if (charge->cost.delta.ticks > 0 && charge->cost.pool.ticks == 0)
		dp_report_status(dp_cost_limit_epsilon(&charge->cost, true));
	dp_terms_raise_epsilon(&charge->cost, charge->asked);
}

/* A question about so many aggregates of a release, all else zero. */
static DpAskedQuestion *
new_question(DpReleaseState *state, int count)
{
	MemoryContext context = state->estate->es_query_cxt;
	DpAskedQuestion *question =
		MemoryContextAllocZero(context, sizeof(DpAskedQuestion));

	question->state = state;
	question->count = count;
	question->aggnos = MemoryContextAlloc(context, count * sizeof(int));
	return question;
}

/* The question of an aggregate, as if nobody else had asked it. */
static DpAskedQuestion *
make_question(DpReleaseState *state, int aggno)
{
	DpAskedQuestion *question = new_question(state, 1);
	DpCharge *charge = &question->charge;
	const DpCall *call = dp_terms_call(&state->terms, aggno);

	question->aggno = question->aggnos[0] = aggno;
	price(state, question);
	dp_groupings_fingerprint(state, aggno, charge->fingerprint);
	strlcpy(charge->aggregate, dp_aggregate_name(call->aggregate),
			sizeof(charge->aggregate));
	charge->has_levels = dp_terms_have_levels(&state->terms, aggno);
	if (charge->has_levels)
		dp_levels_charge(state->outline->levels, call, charge);
	dp_questions_name_draw(state->outline, call, charge, question->name);
	return question;
}

/*
 * Hashes the fingerprints of several questions, and their names, in their order:
 * to what no single question has.
 */
static void
hash_parts(DpAskedQuestion **parts, DpAskedQuestion *question)
{
	static const char tag[] = "disjoint";
	StringInfoData fingerprints;
	StringInfoData names;
	int i;

	initStringInfo(&fingerprints);
	initStringInfo(&names);
	add_text(&fingerprints, tag);
	add_text(&names, tag);
	for (i = 0; i < question->count; i++)
	{
		add_bytes(&fingerprints, parts[i]->charge.fingerprint,
				  DP_FINGERPRINT_SIZE);
		add_bytes(&names, parts[i]->name, DP_FINGERPRINT_SIZE);
	}
	dp_sha256(fingerprints.data, fingerprints.len,
			  question->charge.fingerprint);
	dp_sha256(names.data, names.len, question->name);
	pfree(fingerprints.data);
	pfree(names.data);
}

/* Adds a name to a list of them, if it is not there and has room. */
static void
add_name(char names[DP_CHARGE_NAME], const char *name)
{
	if (names[0] == '\0')
		strlcpy(names, name, DP_CHARGE_NAME);
	else if (strstr(names, name) == NULL &&
			 strlen(names) + strlen(name) + 3 < DP_CHARGE_NAME)
	{
		strlcat(names, ", ", DP_CHARGE_NAME);
		strlcat(names, name, DP_CHARGE_NAME);
	}
}

/* Several aggregates as one question, in the order of their fingerprints. */
static DpAskedQuestion *
join_questions(DpReleaseState *state, DpAskedQuestion **parts, int count)
{
	DpAskedQuestion *question = new_question(state, count);
	DpCharge *charge = &question->charge;
	int i;

	question->aggno = parts[0]->aggno;
	for (i = 0; i < count; i++)
	{
		question->aggnos[i] = parts[i]->aggno;
		question->aggno = Min(question->aggno, parts[i]->aggno);
		add_name(charge->aggregate, parts[i]->charge.aggregate);
	}
	price(state, question);
	hash_parts(parts, question);
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
	int count = list_length(state->outline->aggregates);
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		if (!dp_release_state_repeats(state, aggno))
			return false;
	}
	return count > 0;
}

/* A release's questions, each as an equal one among some, to which it is added. */
static void
find_each(DpReleaseState *state, DpAskedQuestion **own, List **questions)
{
	int aggno;

	for (aggno = 0; aggno < list_length(state->outline->aggregates); aggno++)
		state->questions[aggno] = find_same(questions, own[aggno]);
}

/* questions: those found so far, to which a release's are added. */
static void
find_of_release(DpReleaseState *state, List **questions)
{
	int count = list_length(state->outline->aggregates);
	DpAskedQuestion **own = palloc(count * sizeof(DpAskedQuestion *));
	List *none = NIL;
	int aggno;

	state->questions = MemoryContextAlloc(state->estate->es_query_cxt,
										  count * sizeof(DpAskedQuestion *));
	state->places = MemoryContextAllocZero(state->estate->es_query_cxt,
										   count * sizeof(int));
	for (aggno = 0; aggno < count; aggno++)
		own[aggno] = make_question(state, aggno);
	dp_disjoint_join(state, own, join_questions);
	find_each(state, own, questions);
	/* Only aggregates of the same groups are one. */
	if (dp_groups_are_private(&state->groups) && !are_repeated(state))
		find_each(state, own, &none);
	pfree(own);
}

void
dp_questions_find(List *askers)
{
	List *questions = NIL;

	foreach_ptr (DpReleaseState, state, askers)
		find_of_release(state, &questions);
}

/* Prices a question again, of which the mechanism is another now. */
static void
make_again(DpReleaseState *state, int aggno)
{
	const DpAskedQuestion *again = make_question(state, aggno);
	DpAskedQuestion *question = state->questions[aggno];

	question->charge = again->charge;
	memcpy(question->name, again->name, sizeof(question->name));
	dp_answer_table_forget_law(&state->answers, aggno);
}

/* Whether some of a release's answers, and so its groups, are there already. */
static bool
is_replayed(const DpReleaseState *state)
{
	int count = list_length(state->outline->aggregates);
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		if (state->questions[aggno]->told.outcome == DP_OUTCOME_REPLAYED)
			return true;
	}
	return false;
}

/* What repeats questions is answered as they are. */
static void
repeat_mechanisms(DpReleaseState *state)
{
	int count = list_length(state->outline->aggregates);
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		const DpAskedQuestion *question = state->questions[aggno];
		const char *mechanism =
			question->state->terms.mechanisms[question->aggno];

		if (mechanism == NULL)
			continue;
		dp_terms_set_mechanism(&state->terms, aggno, mechanism);
		dp_answer_table_forget_law(&state->answers, aggno);
	}
}

/* Chooses the noise of the count that decides, and by what groups are selected. */
static void
prepare_selection(DpReleaseState *state)
{
	int aggno = dp_deciding_count_choose(state);

	if (aggno >= 0)
	{
		make_again(state, aggno);
		repeat_mechanisms(state);
	}
	state->groups.selection = dp_group_selection_prepare(&state->terms);
}

bool
dp_questions_prepare_selections(List *askers)
{
	bool any = false;

	foreach_ptr (DpReleaseState, state, askers)
	{
		if (!dp_groups_are_private(&state->groups) || is_replayed(state))
			continue;
		if (are_repeated(state))
		{
			repeat_mechanisms(state);
			continue;
		}
		prepare_selection(state);
		any = true;
	}
	return any;
}
