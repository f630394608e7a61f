/*
 * chosen_caps.c
 *		Caps on the rows of a unit that are chosen together with answers.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"

#include "gate/read/rewrite_aggregate.h"
#include "gate/relations/silence.h"
#include "gate/release/chosen_caps.h"
#include "gate/release/execution.h"
#include "gate/release/sub_query_values.h"
#include "mechanisms/chosen_cap.h"
#include "random/record.h"
#include "server/report.h"

static bool
receive_sizes(TupleTableSlot *slot, void *context)
{
	uint64_t *exceeding = context;
	int i;

	slot_getallattrs(slot);
	for (i = 0; i < slot->tts_tupleDescriptor->natts; i++)
		exceeding[i] = (uint64_t) DatumGetInt64(slot->tts_values[i]);
	return true;
}

/* The cap for an aggregate, from true numbers. */
static uint32
draw_cap(DpReleaseState *state, int aggno, const uint64_t *exceeding)
{
	DpContribution contribution = state->outline->contribution;
	DpChosenShares shares = dp_terms_shares(&state->terms, aggno);
	DpAboveThreshold walk;
	DpEpsilon epsilon;
	uint32 cap;

	if (!dp_amount_epsilon_of(shares.choice, &epsilon))
		dp_report_status(DP_EPSILON_OUT_OF_RANGE);
	dp_chosen_cap_init(&walk, epsilon, shares.rest, contribution.neighbours);
	dp_report_status(dp_chosen_cap_draw(dp_report_random(), &walk, exceeding,
										contribution.rows, &cap));
	return cap;
}

/* The aggregate before that pays the same for its cap; -1: there is none. */
static int
find_same(DpReleaseState *state, int aggno)
{
	DpChosenShares shares = dp_terms_shares(&state->terms, aggno);
	int i;

	for (i = 0; i < aggno; i++)
	{
		DpChosenShares other;

		if (!dp_terms_cap_is_chosen(&state->terms, i))
			continue;
		other = dp_terms_shares(&state->terms, i);
		if (other.choice == shares.choice && other.rest == shares.rest)
			return i;
	}
	return -1;
}

static void
draw_caps(DpReleaseState *state, const uint64_t *exceeding)
{
	int count = list_length(state->outline->aggregates);
	ParamExternData *room =
		dp_sub_query_values_room(state, state->outline->choices.cap, count);
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		uint32 cap = state->outline->contribution.rows;

		if (dp_terms_cap_is_chosen(&state->terms, aggno))
		{
			int same = find_same(state, aggno);

			cap = same >= 0 ? state->terms.caps[same]
							: draw_cap(state, aggno, exceeding);
			dp_answer_table_set_cap(&state->answers, aggno, cap);
		}
		room[aggno] = (ParamExternData){.ptype = INT4OID,
										.value = Int32GetDatum((int32) cap)};
	}
}

#ifdef DP_RECORD
/* What all that follows depends on, for the records of a test (random/record.h). */
static char *
recorded_caps(const DpReleaseState *state)
{
	StringInfoData text;
	int count = list_length(state->outline->aggregates);
	int i;

	initStringInfo(&text);
	appendStringInfoString(&text, "caps ");
	for (i = 0; i < count; i++)
		appendStringInfo(&text, "%s%u", i == 0 ? "" : ",",
						 state->terms.caps[i]);
	return text.data;
}
#endif

void
dp_chosen_caps_find(void *context)
{
	DpReleaseState *state = context;
	uint64_t exceeding[DP_CHOSEN_CAP_MAX] = {0};
	MemoryContext old;

	DP_RECORD_RELEASE("");
	dp_silence_keep_zone(state->plan->sizes);
	dp_execution_run(state->plan->sizes, state->estate, NIL, receive_sizes,
					 exceeding);
	old = MemoryContextSwitchTo(state->estate->es_query_cxt);
	draw_caps(state, exceeding);
	MemoryContextSwitchTo(old);
	DP_RECORD_ROW(recorded_caps(state));
}

/* Whether an aggregate before has the same cap. */
static bool
is_told(const DpReleaseState *state, int aggno)
{
	int i;

	for (i = 0; i < aggno; i++)
	{
		if (state->terms.caps[i] == state->terms.caps[aggno])
			return true;
	}
	return false;
}

static void
tell(DpReleaseState *state, int aggno)
{
	const Aggref *aggref = list_nth(state->outline->aggregates, aggno);

	if (state->terms.caps[aggno] == 0 || is_told(state, aggno))
		return;
	ereport(NOTICE, (errmsg("cap of %s was chosen: %u rows of a unit",
							dp_rewrite_aggregate_name(aggref),
							state->terms.caps[aggno]),
					 errdetail("What units have beyond it is cut off.")));
}

void
dp_chosen_caps_tell(List *states)
{
	foreach_ptr (DpReleaseState, state, states)
	{
		int count = list_length(state->outline->aggregates);
		int aggno;

		for (aggno = 0; aggno < count; aggno++)
			tell(state, aggno);
	}
}
