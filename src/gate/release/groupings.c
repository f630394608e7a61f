/*
 * groupings.c
 *		Groupings of one query as one question.
 */
#include "postgres.h"

#include <openssl/sha.h>

#include "lib/stringinfo.h"

#include "gate/question/fingerprint.h"
#include "gate/question/keys/key.h"
#include "gate/release/groupings.h"

/*
 * Precedes the fingerprints of groupings, so that they are no single
 * question's.
 */
#define TAG "groupings"

static void
fingerprint_by(DpReleaseState *state, int aggno, List *keys,
			   unsigned char fingerprint[32])
{
	dp_gate_fingerprint(
		&state->plan->outline.relations, state->plan->outline.quals, keys,
		dp_groups_are_private(&state->groups),
		list_nth(state->plan->outline.aggregates, aggno),
		state->css.ss.ps.state->es_param_list_info, fingerprint);
}

static void
own_fingerprint(DpReleaseState *state, int aggno, unsigned char fingerprint[32])
{
	fingerprint_by(state, aggno,
				   dp_gate_release_columns(state->plan->outline.keys, NIL),
				   fingerprint);
}

/* The fingerprint by all keys by which its units are bounded. */
static void
finest_fingerprint(DpReleaseState *state, int aggno,
				   unsigned char fingerprint[32])
{
	fingerprint_by(state, aggno,
				   dp_gate_release_columns(state->plan->outline.keys,
										   state->plan->other_keys),
				   fingerprint);
}

static int
compare_groupings(const void *a, const void *b)
{
	return memcmp(((const DpGrouping *) a)->fingerprint,
				  ((const DpGrouping *) b)->fingerprint, 32);
}

DpGrouping *
dp_groupings_in_order(DpReleaseState *state, int aggno, int *count)
{
	List *states = state->groupings->states;
	DpGrouping *result;
	ListCell *cell;

	*count = list_length(states);
	result = palloc(*count * sizeof(DpGrouping));
	foreach (cell, states)
	{
		DpGrouping *one = &result[foreach_current_index(cell)];

		one->state = lfirst(cell);
		own_fingerprint(one->state, aggno, one->fingerprint);
	}
	qsort(result, *count, sizeof(DpGrouping), compare_groupings);
	return result;
}

void
dp_groupings_fingerprint(DpReleaseState *state, int aggno,
						 unsigned char fingerprint[32])
{
	StringInfoData text;
	DpGrouping *all;
	int count;
	int i;

	if (list_length(state->groupings->states) == 1 &&
		state->plan->other_keys == NIL)
	{
		own_fingerprint(state, aggno, fingerprint);
		return;
	}
	all = dp_groupings_in_order(state, aggno, &count);
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

/* Whether releases are groupings of one question. */
static bool
are_groupings(List *states)
{
	const DpReleasePlan *first = ((DpReleaseState *) linitial(states))->plan;
	ListCell *cell;

	if (first->outline.aggregates == NIL)
		return false;
	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);

		if (state->plan->outline.choices.parameter == 0 ||
			state->plan->outline.levels != NIL ||
			dp_groups_are_private(&state->groups) ||
			!equal(state->plan->outline.aggregates, first->outline.aggregates))
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

DpGroupings *
dp_groupings_make(List *family)
{
	DpGroupings *result = NULL;

	if (list_length(family) > 1 && are_groupings(family))
		result = find_different(family);
	return result == NULL || list_length(result->states) == 1 ? NULL : result;
}
