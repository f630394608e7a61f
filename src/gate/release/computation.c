/*
 * computation.c
 *		Runs the inner statements of releases, which draw all noise.
 */
#include "postgres.h"

#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "aggregates/aggregate.h"
#include "core/int128.h"
#include "gate/bound/key.h"
#include "gate/relations/reliance.h"
#include "gate/relations/role_rights.h"
#include "gate/relations/silence.h"
#include "gate/release/chosen_bounds.h"
#include "gate/release/chosen_caps.h"
#include "gate/release/computation.h"
#include "gate/release/deciding_count.h"
#include "gate/release/execution.h"
#include "gate/release/layout.h"
#include "gate/release/one_form.h"
#include "gate/release/silent_run.h"
#include "mechanisms/group_people.h"
#include "mechanisms/truncated_count.h"
#include "random/record.h"
#include "server/report.h"

#ifdef DP_RECORD
/* The keys of a row as text, for the records of a test (random/record.h). */
static char *
recorded_keys(List *keys, const Datum *values, const bool *nulls)
{
	StringInfoData text;

	initStringInfo(&text);
	foreach_ptr (DpKey, one, keys)
	{
		int i = foreach_current_index(one);
		Oid output;
		bool varlena;

		getTypeOutputInfo(exprType(one->expression), &output, &varlena);
		appendStringInfo(&text, "%s%s", i == 0 ? "" : ",",
						 nulls[i] ? "null"
								  : OidOutputFunctionCall(output, values[i]));
	}
	return text.data;
}
#endif

/* The following functions select groups whose keys are private. */

/* The true number of a group's units, its last column. */
static int64
units_of(const TupleTableSlot *slot)
{
	return DatumGetInt64(
		slot->tts_values[slot->tts_tupleDescriptor->natts - 1]);
}

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
	else if (selection->reach > 0)
		dp_report_status(
			dp_truncated_count_add(dp_report_random(), &selection->noise,
								   selection->reach, units_of(slot), &count));
	else
		dp_report_status(dp_noise_add(dp_report_random(), &selection->noise,
									  units_of(slot), &count));
	return count >= selection->threshold;
}

/* The context of a statement that counts units. */
typedef struct Selecting
{
	DpReleaseState *state;
	List *keys;			  /* of the statement, expressions */
	DpRowTable *found;	  /* those selected, in the order of the data */
	int columns;		  /* of the release */
	int64 combinations;	  /* of the public keys' values, for each found */
	Size size;			  /* of their keys, in bytes */
	MemoryContext memory; /* of one group */
} Selecting;

/*
 * Adds the size of a group's keys, in their one form. False if the groups are then
 * more than can be released, or their keys longer.
 */
static bool
add_keys(Selecting *run, const TupleTableSlot *slot)
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
receive_selected(TupleTableSlot *slot, void *context)
{
	Selecting *run = context;
	DpGroupSelection *selection = run->state->groups.selection;
	int keys = list_length(run->keys);
	MemoryContext old;
	bool passed;
	int64 row;
	int i;

	slot_getallattrs(slot);
	passed = passes(selection, keys, slot);
	if (!dp_group_people_suffice(units_of(slot), selection->people))
	{
		DP_RECORD_SMALL(
			recorded_keys(dp_key_those(run->state->outline->keys, false),
						  slot->tts_values, slot->tts_isnull));
		return true;
	}
	DP_RECORD_ROW(recorded_keys(dp_key_those(run->state->outline->keys, false),
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
	if (!add_keys(run, slot))
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

/*
 * The groups found become the rows, in the order of their keys: with the answers
 * that were computed for them or, where some keys are public, each with every
 * combination of their values.
 */
static void
add_found(DpReleaseState *state, DpRowTable *found, int64 combinations)
{
	List *keys = state->outline->keys;
	int count = list_length(keys);
	bool is_mixed = state->plan->unit_counts != NULL;
	DpRowTable *all = NULL;
	Datum *values = palloc(count * sizeof(Datum));
	bool *nulls = palloc(count * sizeof(bool));
	int64 *order = dp_row_table_order(found);
	int64 number;

	if (is_mixed)
	{
		List *public = dp_key_those(keys, true);

		all = dp_row_table_make(dp_key_release_columns(public, NIL),
								list_length(public));
		dp_groups_add_rows(&state->groups, all);
	}
	for (number = 0; number < dp_row_table_count(found) * combinations;
		 number++)
	{
		int64 selected = order[number / combinations];
		int next[2] = {0, 0}; /* private, public */
		int64 row;

		CHECK_FOR_INTERRUPTS();
		foreach_ptr (DpKey, key, keys)
		{
			int i = foreach_current_index(key);
			DpRowTable *from = key->is_public ? all : found;
			int64 at = key->is_public ? number % combinations : selected;
			int column = next[key->is_public]++;

			values[i] = dp_row_table_values(from, at)[column];
			nulls[i] = dp_row_table_nulls(from, at)[column];
		}
		row = dp_row_table_add(state->answers.rows, values, nulls);
		if (!is_mixed)
			dp_answer_table_set(&state->answers, row,
								dp_row_table_values(found, selected) + count,
								dp_row_table_nulls(found, selected) + count);
	}
}

/*
 * The number of the mechanism's call that decides on a group, among those of its row:
 * a mean is made of two, quantiles are of one for each. -1: the last one.
 */
static pg_attribute_unused() int deciding_call(DpReleaseState *state)
{
	const DpGroupSelection *selection = state->groups.selection;
	int number = 0;
	int aggno;

	for (aggno = 0; aggno < selection->aggno; aggno++)
	{
		const DpCall *call = dp_terms_call(&state->terms, aggno);
		int sums = dp_aggregate_get(call->aggregate)->sums;

		number += sums > 0 ? sums : (int) Max(call->fraction_count, 1);
	}
	return selection->aggno < 0 ? -1 : number;
}

/*
 * Computes the groups of a release, selects from them and makes its rows, in
 * the order of their keys; or, where there are public keys, makes the rows for
 * the groups to be computed.
 */
static void
select_groups(void *context)
{
	DpReleaseState *state = context;
	const DpReleasePlan *plan = state->plan;
	DpGroupSelection *selection = state->groups.selection;
	bool is_mixed = plan->unit_counts != NULL;
	PlannedStmt *statement = is_mixed ? plan->unit_counts : plan->inner;
	MemoryContext memory = AllocSetContextCreate(
		CurrentMemoryContext, "selection of groups", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	List *keys = dp_key_those(state->outline->keys, false);
	Selecting run = {.state = state,
					 .keys = dp_key_release_columns(keys, NIL),
					 .columns = dp_row_table_columns(state->answers.rows),
					 .combinations =
						 is_mixed ? dp_groups_find(&state->groups)->count : 1};
	List *columns = dp_answer_table_computed(
		keys, is_mixed ? NIL : state->outline->aggregates);

	run.found = dp_row_table_make(columns, list_length(keys));
	run.memory =
		AllocSetContextCreate(memory, "selected group", ALLOCSET_DEFAULT_SIZES);
	DP_RECORD_RELEASE(psprintf(INT64_FORMAT " %d", selection->threshold,
							   deciding_call(state)));
	dp_silence_keep_zone(statement);
	dp_execution_run(statement, state->estate, columns, receive_selected, &run);
	if (!selection->is_exceeded)
		add_found(state, run.found, run.combinations);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(memory);
}

/* The following functions compute groups that are known. */

/* A run of the aggregates of a release. */
typedef struct Run
{
	DpReleaseState *state;
	bool *has_rows; /* by row of the release */
} Run;

/* Receives a group; one whose keys are outside the domain is skipped. */
static bool
receive_group(TupleTableSlot *slot, void *context)
{
	Run *run = context;
	DpRowTable *rows = run->state->answers.rows;
	int keys = list_length(run->state->outline->keys);
	int64 row;

	slot_getallattrs(slot);
	row = dp_row_table_find(rows, slot->tts_values, slot->tts_isnull);
	if (row < 0)
	{
		DP_RECORD_UNSEEN();
		return true;
	}
	DP_RECORD_ROW(recorded_keys(run->state->outline->keys, slot->tts_values,
								slot->tts_isnull));
	dp_answer_table_set(&run->state->answers, row, slot->tts_values + keys,
						slot->tts_isnull + keys);
	run->has_rows[row] = true;
	return true;
}

/*
 * Fills groups without rows: the same aggregates over no rows, drawn anew for
 * each.
 */
static void
fill_groups(Run *run)
{
	DpReleaseState *state = run->state;
	QueryDesc *query = dp_execution_start_repeated(
		state->plan->empty, state->estate,
		dp_answer_table_computed(NIL, state->outline->aggregates));
	int64 row;

	for (row = 0; row < dp_row_table_count(state->answers.rows); row++)
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		if (run->has_rows[row])
			continue;
		slot = dp_execution_repeat(query);
		slot_getallattrs(slot);
		DP_RECORD_ROW(recorded_keys(
			state->outline->keys, dp_row_table_values(state->answers.rows, row),
			dp_row_table_nulls(state->answers.rows, row)));
		dp_answer_table_set(&state->answers, row, slot->tts_values,
							slot->tts_isnull);
	}
	dp_execution_end(query);
}

/*
 * Runs the aggregates once, with noise, and fills in the rows that are there;
 * groups that they do not have are left out.
 */
static void
run_inner(void *context)
{
	DpReleaseState *state = context;
	Run run = {state,
			   palloc0(dp_row_table_count(state->answers.rows) * sizeof(bool))};

	DP_RECORD_RELEASE("");
	dp_silence_keep_zone(state->plan->inner);
	dp_execution_run(state->plan->inner, state->estate,
					 dp_answer_table_computed(state->outline->keys,
											  state->outline->aggregates),
					 receive_group, &run);
	if (state->outline->keys != NIL)
		fill_groups(&run);
	pfree(run.has_rows);
}

static void
open_copies(void *context)
{
	DpReleaseState *state = context;
	dp_table_copies_open_protected(state->outline->copies,
								   &state->outline->relations, &state->copies,
								   state->estate);
}

static void
run_silently(DpReleaseState *state, void (*function)(void *))
{
	dp_reliance_check_definitions(state->plan->reliances);
	dp_silent_run(dp_role_rights_reader(&state->outline->relations,
										state->outline->copies),
				  true, function, state);
}

/* Computes a release: copies, bounds and caps that are chosen, groups, then answers. */
static void
compute_release(DpReleaseState *state)
{
	const DpGroupSelection *selection = state->groups.selection;
	bool selects = selection != NULL && !selection->is_shared;

	dp_table_copies_use(&state->copies, state->estate);
	dp_deciding_count_hand_over(state);
	if (state->outline->copies != NIL)
		run_silently(state, open_copies);
	if (state->plan->choice != NULL)
		run_silently(state, dp_chosen_bounds_find);
	if (state->plan->sizes != NULL)
		run_silently(state, dp_chosen_caps_find);
	if (selects)
		run_silently(state, select_groups);
	if (!selects ||
		(state->plan->unit_counts != NULL && !selection->is_exceeded))
		run_silently(state, run_inner);
	dp_layout_close_copies(state);
	state->answers.is_computed = true;
}

static void
compute_grouped(DpReleaseState *state)
{
	foreach_ptr (DpReleaseState, grouping, state->groupings->states)
	{
		if (!grouping->answers.is_computed)
			compute_release(grouping);
	}
}

static void
check_shapes(DpReleaseState *state)
{
	foreach_ptr (DpReleaseState, grouping, state->groupings->states)
		dp_shapes_check(&grouping->plan->shapes);
}

void
dp_computation_run(const DpPrice *price)
{
	int i;

	for (i = 0; i < price->count; i++)
	{
		if (dp_price_is_fresh(&price->charges[i]))
			dp_layout_read(price->charges[i].state, true);
	}
	for (i = 0; i < price->count; i++)
		check_shapes(price->charges[i].state);
	for (i = 0; i < price->count; i++)
	{
		if (dp_price_is_fresh(&price->charges[i]))
			compute_grouped(price->charges[i].state);
	}
}
