/*
 * groupings.c
 *		Groupings of one query as one question.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "miscadmin.h"

#include "gate/release/answer_bytes.h"
#include "gate/release/groupings.h"
#include "gate/release/identity.h"
#include "server/sha256.h"

/*
 * Precedes the fingerprints of groupings, so that they are no single
 * question's.
 */
#define TAG "groupings"

/* A grouping, and its fingerprint if it were a question of its own. */
typedef struct Grouping
{
	DpReleaseState *state;
	unsigned char fingerprint[32];
} Grouping;

static ParamListInfo
params_of(const DpReleaseState *state)
{
	return state->estate->es_param_list_info;
}

static void
own_fingerprint(DpReleaseState *state, int aggno, unsigned char fingerprint[32])
{
	dp_identity_fingerprint(state->outline, aggno, false, params_of(state),
							fingerprint);
}

/* The fingerprint by all keys by which its units are bounded. */
static void
finest_fingerprint(DpReleaseState *state, int aggno,
				   unsigned char fingerprint[32])
{
	dp_identity_fingerprint(state->outline, aggno, true, params_of(state),
							fingerprint);
}

static int
compare_groupings(const void *a, const void *b)
{
	return memcmp(((const Grouping *) a)->fingerprint,
				  ((const Grouping *) b)->fingerprint, 32);
}

/* All groupings of a release in the order of their fingerprints, palloc'd. */
static Grouping *
in_order(DpReleaseState *state, int aggno, int *count)
{
	List *states = state->groupings->states;
	Grouping *result;

	*count = list_length(states);
	result = palloc(*count * sizeof(Grouping));
	foreach_ptr (DpReleaseState, grouping, states)
	{
		Grouping *one = &result[foreach_current_index(grouping)];

		one->state = grouping;
		own_fingerprint(grouping, aggno, one->fingerprint);
	}
	qsort(result, *count, sizeof(Grouping), compare_groupings);
	return result;
}

void
dp_groupings_fingerprint(DpReleaseState *state, int aggno,
						 unsigned char fingerprint[32])
{
	StringInfoData text;
	Grouping *all;
	int count;
	int i;

	if (list_length(state->groupings->states) == 1 &&
		state->plan->outline.other_key_numbers == NIL)
	{
		own_fingerprint(state, aggno, fingerprint);
		return;
	}
	all = in_order(state, aggno, &count);
	initStringInfo(&text);
	appendStringInfoString(&text, TAG);
	for (i = 0; i < count; i++)
	{
		appendBinaryStringInfo(&text, (char *) all[i].fingerprint, 32);
		finest_fingerprint(all[i].state, aggno, fingerprint);
		appendBinaryStringInfo(&text, (char *) fingerprint, 32);
	}
	dp_sha256(text.data, text.len, fingerprint);
	pfree(text.data);
	pfree(all);
}

/* Whether releases are groupings of one question. */
static bool
are_groupings(List *states)
{
	const DpReleasePlan *first = ((DpReleaseState *) linitial(states))->plan;

	if (first->outline.aggregates == NIL)
		return false;
	foreach_ptr (DpReleaseState, state, states)
	{
		if (state->outline->choices.parameter == 0 ||
			state->outline->levels != NIL ||
			dp_groups_are_private(&state->groups) ||
			!equal(state->outline->aggregates, first->outline.aggregates))
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

	foreach_ptr (DpReleaseState, state, family)
	{
		unsigned char *own = palloc(32);
		ListCell *other;
		DpReleaseState *same = NULL;

		own_fingerprint(state, 0, own);
		foreach (other, fingerprints)
		{
			if (memcmp(own, lfirst(other), 32) == 0)
				same = list_nth(result->states, foreach_current_index(other));
		}
		if (same != NULL)
		{
			result->repeated = lappend(result->repeated, state);
			state->original = same;
			continue;
		}
		fingerprints = lappend(fingerprints, own);
		result->states = lappend(result->states, state);
	}
	return result;
}

DpGroupings *
dp_groupings_make(List *family)
{
	DpGroupings *result = NULL;

	if (list_length(family) > 1 && are_groupings(family))
		result = find_different(family);
	if (result != NULL && list_length(result->states) > 1)
		return result;
	foreach_ptr (DpReleaseState, state, family)
		state->original = NULL;
	return NULL;
}

/* The following functions write and read answers. */

StringInfo
dp_groupings_write(DpReleaseState *state, int aggno)
{
	StringInfo bytes;
	Grouping *all;
	int count;
	int i;

	if (list_length(state->groupings->states) == 1)
		return dp_answer_bytes_write(&state->answers, aggno);
	all = in_order(state, aggno, &count);
	bytes = makeStringInfo();
	for (i = 0; i < count; i++)
	{
		if (!dp_answer_bytes_add(
				bytes, dp_answer_bytes_write(&all[i].state->answers, aggno)))
			return NULL;
	}
	return bytes;
}

void
dp_groupings_read(DpReleaseState *state, int aggno, const char *bytes,
				  Size size)
{
	StringInfoData message = {(char *) bytes, (int) size, (int) size, 0};
	Grouping *all;
	int count;
	int i;

	if (list_length(state->groupings->states) == 1)
	{
		dp_answer_bytes_read(&state->answers, aggno, bytes, size);
		return;
	}
	all = in_order(state, aggno, &count);
	for (i = 0; i < count; i++)
	{
		int length = (int) pq_getmsgint(&message, 4);

		dp_answer_bytes_read(&all[i].state->answers, aggno,
							 pq_getmsgbytes(&message, length), length);
	}
}

void
dp_groupings_copy(DpReleaseState *from, int from_aggno, DpReleaseState *to,
				  int aggno)
{
	int from_count;
	int count;
	Grouping *sources = in_order(from, from_aggno, &from_count);
	Grouping *targets = in_order(to, aggno, &count);
	int i;

	if (count != from_count)
		elog(ERROR, "groupings of one question differ");
	for (i = 0; i < count; i++)
		dp_answer_bytes_copy(&sources[i].state->answers, from_aggno,
							 &targets[i].state->answers, aggno);
}

/*
 * Copies all that is shown of a grouping to one that repeats it, whose keys may be
 * written in another way and in another order: so the rows are made as those of a
 * stored answer, and then are in the order of the others.
 */
static void
repeat_grouping(DpAnswerTable *from, DpAnswerTable *to)
{
	const DpEnds *ends = from->outline->ends;
	const DpEnds *repeated = to->outline->ends;
	int columns = list_length(dp_answer_table_shown(to->plan));
	int64 row;

	dp_answer_table_begin(to);
	dp_answer_bytes_copy(from, 0, to, 0);
	to->is_hidden = from->is_hidden;
	if (!equal(ends->aggnos, repeated->aggnos) ||
		!equal(ends->sides, repeated->sides) ||
		!equal(ends->levels, repeated->levels) ||
		dp_row_table_count(from->rows) != dp_row_table_count(to->rows))
		elog(ERROR, "groupings of one question differ");
	for (row = 0; row < dp_row_table_count(to->rows); row++)
	{
		const Datum *values = dp_row_table_values(from->rows, row);
		const bool *nulls = dp_row_table_nulls(from->rows, row);
		int i;

		CHECK_FOR_INTERRUPTS();
		for (i = dp_answer_table_column(to, 0); i < columns; i++)
			dp_row_table_set(to->rows, row, i, values[i], nulls[i]);
	}
}

void
dp_groupings_repeat(DpReleaseState *state)
{
	foreach_ptr (DpReleaseState, repeated, state->groupings->repeated)
		repeat_grouping(&repeated->original->answers, &repeated->answers);
}
