/*
 * private_groups.c
 *		Selects the groups of a release by a noisy count.
 */
#include "postgres.h"

#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/int128.h"
#include "gate/question/keys/key.h"
#include "gate/question/relations/silence.h"
#include "gate/release/execution.h"
#include "gate/release/one_form.h"
#include "gate/release/private_groups.h"
#include "gate/release/recorded_keys.h"
#include "random/record.h"
#include "server/report.h"

/*
 * Whether a group's deciding count, released or made for it, reaches the
 * threshold.
 */
static bool
passes(const DpGroupSelection *selection, int keys, const TupleTableSlot *slot)
{
	dp_int128 count;

	if (selection->aggno >= 0)
		count = DatumGetInt64(slot->tts_values[keys + selection->aggno]);
	else
		dp_report_status(dp_noise_add(
			dp_report_random(), &selection->noise,
			DatumGetInt64(
				slot->tts_values[slot->tts_tupleDescriptor->natts - 1]),
			&count));
	return count >= selection->threshold;
}

/* The context of a statement that counts units. */
typedef struct Run
{
	DpReleaseState *state;
	List *keys;			  /* of the statement, expressions */
	DpRowTable *found;	  /* those selected, in the order of the data */
	int columns;		  /* of the release */
	int64 combinations;	  /* of the public keys' values, for each found */
	Size size;			  /* of their keys, in bytes */
	MemoryContext memory; /* of one group */
} Run;

/*
 * Adds the size of some keys, in their one form. False when the rows are more
 * than can be released: many, or with keys that are very long.
 */
static bool
has_room(Run *run, const TupleTableSlot *slot)
{
	int64 count = dp_row_table_count(run->found);
	int i;

	for (i = 0; i < list_length(run->keys); i++)
	{
		int16 length;
		bool by_value;

		if (slot->tts_isnull[i])
			continue;
		get_typlenbyval(exprType(list_nth(run->keys, i)), &length, &by_value);
		run->size += datumGetSize(slot->tts_values[i], by_value, length);
	}
	return (count + 1) * run->columns * run->combinations <= DP_VALUES_MAX &&
		   run->size * run->combinations <= DP_KEYS_SIZE_MAX;
}

static bool
receive_group(TupleTableSlot *slot, void *context)
{
	Run *run = context;
	DpGroupSelection *selection = run->state->groups.selection;
	int keys = list_length(run->keys);
	MemoryContext old;
	bool passed;
	int64 row;
	int i;

	slot_getallattrs(slot);
	passed = passes(selection, keys, slot);
	DP_RECORD_ROW(dp_recorded_keys_text(
		dp_gate_keys_of(run->state->plan->outline.keys, false),
		slot->tts_values, slot->tts_isnull));
	if (!passed)
		return true;
	old = MemoryContextSwitchTo(run->memory);
	MemoryContextReset(run->memory);
	for (i = 0; i < keys; i++)
	{
		if (!slot->tts_isnull[i])
			slot->tts_values[i] =
				dp_one_form_of(list_nth(run->keys, i), slot->tts_values[i]);
	}
	if (!has_room(run, slot))
	{
		selection->is_exceeded = true;
		MemoryContextSwitchTo(old);
		return false;
	}
	row = dp_row_table_add(run->found, slot->tts_values, slot->tts_isnull);
	for (; i < dp_row_table_columns(run->found); i++)
		dp_row_table_set(run->found, row, i, slot->tts_values[i],
						 slot->tts_isnull[i]);
	MemoryContextSwitchTo(old);
	return true;
}

/* The groups found become the rows, in the order of their keys. */
static void
use_groups(DpReleaseState *state, DpRowTable *found)
{
	int64 *order = dp_row_table_order(found);
	int keys = list_length(state->plan->outline.keys);
	int64 number;

	for (number = 0; number < dp_row_table_count(found); number++)
	{
		const Datum *values = dp_row_table_values(found, order[number]);
		const bool *nulls = dp_row_table_nulls(found, order[number]);
		int64 row = dp_row_table_add(state->answers.rows, values, nulls);

		CHECK_FOR_INTERRUPTS();
		dp_answer_table_set(&state->answers, row, values + keys, nulls + keys);
	}
}

/*
 * Each of the private keys found, in their order, with every combination of
 * values of the public ones.
 */
static void
combine_groups(DpReleaseState *state, DpRowTable *found)
{
	const DpGroups *groups = dp_groups_find(&state->groups);
	DpRowTable *all = dp_row_table_make(
		dp_gate_release_columns(
			dp_gate_keys_of(state->plan->outline.keys, true), NIL),
		list_length(groups->values));
	int count = list_length(state->plan->outline.keys);
	Datum *keys = palloc(count * sizeof(Datum));
	bool *nulls = palloc(count * sizeof(bool));
	int64 *order = dp_row_table_order(found);
	int64 number;
	int64 combination;

	dp_groups_add_rows(groups, all);
	for (number = 0; number < dp_row_table_count(found); number++)
	{
		for (combination = 0; combination < groups->count; combination++)
		{
			int next[2] = {0, 0}; /* private, public */

			CHECK_FOR_INTERRUPTS();
			foreach_ptr (DpKey, key, state->plan->outline.keys)
			{
				int i = foreach_current_index(key);
				bool is_public = key->is_public;
				DpRowTable *from = is_public ? all : found;
				int64 row = is_public ? combination : order[number];
				int column = next[is_public]++;

				keys[i] = dp_row_table_values(from, row)[column];
				nulls[i] = dp_row_table_nulls(from, row)[column];
			}
			(void) dp_row_table_add(state->answers.rows, keys, nulls);
		}
	}
}

void
dp_private_groups_select(DpReleaseState *state)
{
	const DpReleasePlan *plan = state->plan;
	bool is_mixed = plan->unit_counts != NULL;
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "selection of groups", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	List *keys = dp_gate_keys_of(plan->outline.keys, false);
	Run run = {.state = state,
			   .keys = dp_gate_release_columns(keys, NIL),
			   .columns = dp_row_table_columns(state->answers.rows),
			   .combinations =
				   is_mixed ? dp_groups_find(&state->groups)->count : 1};
	List *columns = dp_answer_table_computed(
		keys, is_mixed ? NIL : plan->outline.aggregates);

	run.found = dp_row_table_make(columns, list_length(keys));
	run.memory = AllocSetContextCreate(context, "selected group",
									   ALLOCSET_DEFAULT_SIZES);
	DP_RECORD_RELEASE(psprintf(INT64_FORMAT " %d",
							   state->groups.selection->threshold,
							   state->groups.selection->aggno));
	dp_gate_keep_zone(is_mixed ? plan->unit_counts : plan->inner);
	dp_execution_run(is_mixed ? plan->unit_counts : plan->inner,
					 state->css.ss.ps.state, columns, receive_group, &run);
	if (!state->groups.selection->is_exceeded)
	{
		if (is_mixed)
			combine_groups(state, run.found);
		else
			use_groups(state, run.found);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
