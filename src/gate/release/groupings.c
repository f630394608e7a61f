/*
 * groupings.c
 *		Groupings of one query as one question.
 */
#include "postgres.h"

#include <openssl/sha.h>

#include "catalog/pg_type.h"
#include "libpq/pqformat.h"

#include "accounting/epsilon_share.h"
#include "aggregates/describe.h"
#include "core/marginal_shares.h"
#include "gate/question/keys/key.h"
#include "gate/release/answer.h"
#include "gate/release/charges.h"
#include "gate/release/constants.h"
#include "gate/release/group_selection.h"
#include "gate/release/groupings.h"
#include "gate/release/identity.h"
#include "server/report.h"
#include "utils/lsyscache.h"

/*
 * Precedes the fingerprints of groupings, so that they are no single
 * question's.
 */
#define TAG "groupings"

List *
dp_gate_grouped(DpReleaseState *state)
{
	return state->groupings == NULL ? list_make1(state)
									: state->groupings->states;
}

DpReleaseState *
dp_gate_asker_of(DpReleaseState *state)
{
	return state->groupings == NULL ? state
									: linitial(state->groupings->states);
}

bool
dp_gate_is_asked_by_other(const DpReleaseState *state)
{
	return state->groupings != NULL &&
		   linitial(state->groupings->states) != state;
}

bool
dp_gate_are_of_one(const DpGroupings *groupings)
{
	ListCell *cell;

	foreach (cell, groupings->states)
	{
		if (!((DpReleaseState *) lfirst(cell))->release->outline.are_of_one)
			return false;
	}
	return !groupings->choose;
}

/* The following functions make fingerprints. */

static void
own_fingerprint(DpReleaseState *state, int aggno, unsigned char fingerprint[32])
{
	dp_identity_fingerprint(state, aggno, false, fingerprint);
}

/* The fingerprint by all keys by which its units are bounded. */
static void
finest_fingerprint(DpReleaseState *state, int aggno,
				   unsigned char fingerprint[32])
{
	dp_identity_fingerprint(state, aggno, true, fingerprint);
}

/*
 * A grouping and the fingerprint that it would have as a question of its own.
 */
typedef struct Numbered
{
	DpReleaseState *state;
	unsigned char fingerprint[32];
} Numbered;

static int
compare_numbered(const void *a, const void *b)
{
	return memcmp(((const Numbered *) a)->fingerprint,
				  ((const Numbered *) b)->fingerprint, 32);
}

/* All groupings of a release in the order of their fingerprints. */
static Numbered *
numbered_groupings(DpReleaseState *state, int aggno, int *count)
{
	List *states = dp_gate_grouped(state);
	Numbered *result;
	ListCell *cell;

	*count = list_length(states);
	result = palloc(*count * sizeof(Numbered));
	foreach (cell, states)
	{
		Numbered *one = &result[foreach_current_index(cell)];

		one->state = lfirst(cell);
		own_fingerprint(one->state, aggno, one->fingerprint);
	}
	qsort(result, *count, sizeof(Numbered), compare_numbered);
	return result;
}

void
dp_gate_question_fingerprint(DpReleaseState *state, int aggno,
							 unsigned char fingerprint[32])
{
	StringInfoData text;
	Numbered *all;
	int count;
	int i;

	if (state->groupings == NULL && state->release->other_keys == NIL)
	{
		own_fingerprint(state, aggno, fingerprint);
		return;
	}
	all = numbered_groupings(state, aggno, &count);
	initStringInfo(&text);
	appendStringInfoString(&text, TAG);
	for (i = 0; i < count; i++)
		appendBinaryStringInfo(&text, (char *) all[i].fingerprint, 32);
	finest_fingerprint(all[0].state, aggno, fingerprint);
	appendBinaryStringInfo(&text, (char *) fingerprint, 32);
	SHA256((unsigned char *) text.data, text.len, fingerprint);
	pfree(text.data);
	pfree(all);
}

uint64
dp_gate_merged(const DpRelease *release)
{
	return release->other_keys == NIL
			   ? 1
			   : dp_contribution_parts(release->outline.contribution);
}

/* The following functions write and read answers. */

StringInfo
dp_gate_write_grouped(DpReleaseState *state, int aggno)
{
	StringInfo bytes;
	Numbered *all;
	int count;
	int i;

	if (state->groupings == NULL)
		return dp_gate_write_answer(state, aggno);
	all = numbered_groupings(state, aggno, &count);
	bytes = makeStringInfo();
	for (i = 0; i < count; i++)
	{
		StringInfo one = dp_gate_write_answer(all[i].state, aggno);

		if (one == NULL || bytes->len + one->len > DP_ANSWER_MAX)
			return NULL;
		pq_sendint32(bytes, (uint32) one->len);
		appendBinaryStringInfo(bytes, one->data, one->len);
		pfree(one->data);
	}
	return bytes;
}

void
dp_gate_read_grouped(DpReleaseState *state, int aggno, const char *bytes,
					 Size size)
{
	StringInfoData message = {(char *) bytes, (int) size, (int) size, 0};
	Numbered *all;
	int count;
	int i;

	if (state->groupings == NULL)
	{
		dp_gate_read_answer(state, aggno, bytes, size);
		return;
	}
	all = numbered_groupings(state, aggno, &count);
	for (i = 0; i < count; i++)
	{
		int length = (int) pq_getmsgint(&message, 4);

		dp_gate_read_answer(all[i].state, aggno,
							pq_getmsgbytes(&message, length), length);
	}
}

void
dp_gate_copy_grouped(DpReleaseState *from, int from_aggno, DpReleaseState *to,
					 int aggno)
{
	int from_count;
	int count;
	Numbered *sources = numbered_groupings(from, from_aggno, &from_count);
	Numbered *targets = numbered_groupings(to, aggno, &count);
	int i;

	if (count != from_count)
		elog(ERROR, "groupings of one question differ");
	for (i = 0; i < count; i++)
		dp_gate_copy_answer(sources[i].state, from_aggno, targets[i].state,
							aggno);
}

/* The following functions find groupings. */

/* Whether releases are groupings of one question. */
static bool
are_groupings(List *states)
{
	const DpRelease *first = ((DpReleaseState *) linitial(states))->release;
	ListCell *cell;

	if (first->outline.aggregates == NIL)
		return false;
	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);

		if (state->release->outline.choices.parameter == 0 ||
			state->release->outline.levels != NIL ||
			dp_gate_has_private_keys(state) ||
			!equal(state->release->outline.aggregates,
				   first->outline.aggregates))
			return false;
	}
	return list_length(states) <= DP_MARGINALS_MAX;
}

/* Separates groupings that are repeated from the first of each. */
static DpGroupings *
find_different(List *family)
{
	DpGroupings *result = palloc0(sizeof(DpGroupings));
	List *fingerprints = NIL;
	ListCell *cell;

	foreach (cell, family)
	{
		unsigned char *own = palloc(32);
		ListCell *other;
		DpReleaseState *same = NULL;

		own_fingerprint(lfirst(cell), 0, own);
		foreach (other, fingerprints)
		{
			if (memcmp(own, lfirst(other), 32) == 0)
				same = list_nth(result->states, foreach_current_index(other));
		}
		if (same != NULL)
		{
			result->repeated = lappend(result->repeated, lfirst(cell));
			result->originals = lappend(result->originals, same);
			continue;
		}
		fingerprints = lappend(fingerprints, own);
		result->states = lappend(result->states, lfirst(cell));
	}
	return result;
}

/* The index of an expression in a list; it is added if need be. */
static int
number_of(Node *expression, List **expressions)
{
	ListCell *cell;

	foreach (cell, *expressions)
	{
		if (equal(lfirst(cell), expression))
			return foreach_current_index(cell);
	}
	*expressions = lappend(*expressions, expression);
	return list_length(*expressions) - 1;
}

/*
 * Sets which keys the groupings' tables have, and their sizes; false where
 * these are not known.
 */
static bool
find_tables(DpGroupings *groupings)
{
	DpMarginals *tables = &groupings->tables;
	List *expressions = NIL;
	ListCell *cell;
	ListCell *key;

	tables->tables = list_length(groupings->states);
	foreach (cell, groupings->states)
	{
		DpReleaseState *state = lfirst(cell);
		const DpGroups *groups = dp_gate_release_groups(state);

		foreach (key, state->release->outline.keys)
		{
			int number =
				number_of(((DpKey *) lfirst(key))->expression, &expressions);
			int64 size = dp_gate_rows_count(
				list_nth(groups->values, foreach_current_index(key)));

			if (number >= DP_MARGINAL_KEYS_MAX || size == 0)
				return false;
			tables->sizes[number] = size;
			tables->members[foreach_current_index(cell)] |= UINT64CONST(1)
															<< number;
		}
	}
	tables->keys = list_length(expressions);
	return true;
}

/*
 * Whether a unit may be in more groups, by the keys of all groupings, than may
 * count of it.
 */
static bool
may_choose(const DpGroupings *groupings)
{
	const DpRelease *release =
		((DpReleaseState *) linitial(groupings->states))->release;
	const DpMarginals *tables = &groupings->tables;
	double cells = 1;
	int i;

	if (!release->outline.relations.several ||
		release->outline.relations.one_group)
		return false;
	if (tables->keys <
		list_length(release->outline.keys) + list_length(release->other_keys))
		return true; /* keys of a grouping that is not asked */
	for (i = 0; i < tables->keys; i++)
		cells *= (double) tables->sizes[i];
	return cells > release->outline.contribution.groups;
}

/* The following functions find shares. */

/*
 * Whether all aggregates are counts and sums. asked: the least epsilon of
 * theirs; epsilon: the same over what a unit changes.
 */
static bool
are_sums(DpReleaseState *state, double *asked, double *epsilon)
{
	ListCell *cell;

	*asked = *epsilon = 0;
	foreach (cell, state->release->outline.aggregates)
	{
		DpCall call;
		double changed;

		(void) dp_gate_read_call(state, lfirst(cell), &call);
		if (!dp_aggregate_get(call.aggregate)->adds_up || call.choice.truncated)
			return false;
		changed =
			(double) dp_contribution_parts(call.contribution) *
			(call.aggregate == DP_AGGREGATE_COUNT ? call.contribution.rows
												  : 1000); /* fine steps */
		if (*asked == 0 || call.epsilon_asked < *asked)
			*asked = call.epsilon_asked;
		if (*epsilon == 0 || call.epsilon_asked / changed < *epsilon)
			*epsilon = call.epsilon_asked / changed;
	}
	return true;
}

/* The least epsilon of which the least share is enough. */
#define SHARED_LEAST 0.01

static void
find_shares(DpGroupings *groupings, double *shares)
{
	DpReleaseState *first = linitial(groupings->states);
	const DpRelease *release = first->release;
	int count = list_length(groupings->states);
	double asked;
	double epsilon;
	int i;

	groupings->have_sizes = find_tables(groupings);
	groupings->choose = groupings->have_sizes && may_choose(groupings);
	if (groupings->have_sizes && dp_gate_are_of_one(groupings) &&
		are_sums(first, &asked, &epsilon) && asked >= SHARED_LEAST)
	{
		dp_marginals_share(&groupings->tables, epsilon,
						   release->outline.choices.by_rho, shares);
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
	int parameter = state->release->outline.choices.parameter;
	ListCell *cell;

	state->share_given = share;
	if (state->release->outline.choices.by_rho)
		share /= (double) dp_gate_merged(state->release);
	state->share = share;
	if (parameter == 0) /* privacy levels have epsilons */
		return;
	foreach (cell, state->release->outline.aggregates)
	{
		DpCall call;

		(void) dp_gate_read_call(state, lfirst(cell), &call);
		dp_gate_add_parameter(state, parameter + foreach_current_index(cell),
							  FLOAT8OID, Float8GetDatum(call.epsilon_asked));
	}
}

/* Sets the shares of the groupings of one query. */
static void
share_out(List *family)
{
	DpGroupings *groupings = NULL;
	double shares[DP_MARGINALS_MAX];
	ListCell *cell;

	if (list_length(family) > 1 && are_groupings(family))
		groupings = find_different(family);
	if (groupings == NULL || list_length(groupings->states) == 1)
	{
		foreach (cell, family)
			set_share(lfirst(cell), 1);
		return;
	}
	find_shares(groupings, shares);
	foreach (cell, groupings->states)
		set_share(lfirst(cell), shares[foreach_current_index(cell)]);
	foreach (cell, groupings->repeated)
	{
		DpReleaseState *original =
			list_nth(groupings->originals, foreach_current_index(cell));

		set_share(lfirst(cell), original->share_given);
	}
	foreach (cell, family)
		((DpReleaseState *) lfirst(cell))->groupings = groupings;
}

void
dp_gate_find_groupings(List *states)
{
	ListCell *cell;
	ListCell *other;

	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);
		List *family = NIL;
		MemoryContext old;

		if (state->release->outline.family == 0 || state->share_given > 0)
			continue;
		old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
		foreach (other, states)
		{
			if (((DpReleaseState *) lfirst(other))->release->outline.family ==
				state->release->outline.family)
				family = lappend(family, lfirst(other));
		}
		share_out(family);
		MemoryContextSwitchTo(old);
	}
}

void
dp_gate_repeat_groupings(List *states)
{
	ListCell *cell;
	ListCell *repeated;
	ListCell *original;

	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);

		if (state->groupings == NULL || dp_gate_is_asked_by_other(state))
			continue;
		forboth (repeated, state->groupings->repeated, original,
				 state->groupings->originals)
		{
			int count = list_length(state->release->outline.aggregates);
			int aggno;

			for (aggno = 0; aggno < count; aggno++)
				dp_gate_copy_answer(lfirst(original), aggno, lfirst(repeated),
									aggno);
		}
	}
}
