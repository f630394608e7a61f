/*
 * questions.c
 *		The questions of a statement, each once, and the draws that answer them.
 */
#include "postgres.h"

#include <openssl/sha.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "aggregates/sample_state.h"
#include "gate/bound/levels.h"
#include "gate/release/groupings.h"
#include "gate/release/questions.h"
#include "server/report.h"
#include "server/settings.h"

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
	ADD(to, call->contribution.rows);
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
	SHA256((unsigned char *) text.data, (size_t) text.len, name);
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
		SHA256(text, size, names[i]);
	}
	pfree(text);
}

/* The following functions find questions. */

/*
 * Refuses samples of units that might not fit into memory, or into a value of
 * the server's. This depends on the caps alone and comes before the charge, so
 * it does not reveal whether a unit has so many rows.
 */
static void
check_samples(const DpReleaseState *state, const DpCall *call)
{
	const DpOutline *outline = state->outline;

	if (!outline->relations.several ||
		!dp_aggregate_get(call->aggregate)->samples_units ||
		dp_sample_state_size(outline->contribution.rows) <=
			Min((Size) dp_setting_work_mem * 1024, MaxAllocSize))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("%s over \"%s\" may keep too many rows of a privacy unit",
					dp_aggregate_name(call->aggregate),
					dp_relations_names(&outline->relations)),
			 errdetail("It keeps up to %u, of %d bytes each, in at most 1 GB, "
					   "and dp_noise.work_mem is %d kB.",
					   outline->contribution.rows, (int) sizeof(int64),
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
		state->estate->es_query_cxt, sizeof(DpAskedQuestion));
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
		dp_levels_charge(state->outline->levels, call, charge);
	dp_questions_name_draw(state->outline, call, charge, question->name);
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

/* questions: those found so far, to which a release's are added. */
static void
find_of_release(DpReleaseState *state, List **questions)
{
	int count = list_length(state->outline->aggregates);
	DpAskedQuestion **own = palloc(count * sizeof(DpAskedQuestion *));
	int aggno;

	state->questions = MemoryContextAlloc(state->estate->es_query_cxt,
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
dp_questions_find(List *askers)
{
	List *questions = NIL;

	foreach_ptr (DpReleaseState, state, askers)
		find_of_release(state, &questions);
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

bool
dp_questions_prepare_selections(List *askers)
{
	bool any = false;

	foreach_ptr (DpReleaseState, state, askers)
	{
		if (!dp_groups_are_private(&state->groups) || is_replayed(state) ||
			are_repeated(state))
			continue;
		state->groups.selection = dp_group_selection_prepare(&state->terms);
		any = true;
	}
	return any;
}
