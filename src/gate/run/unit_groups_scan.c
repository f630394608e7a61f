/*
 * unit_groups_scan.c
 *		DP Unit Groups: its execution.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "gate/run/unit_groups_parts.h"
#include "gate/run/unit_table_parts.h"
#include "samplers/sequential_choice.h"
#include "server/compat.h"
#include "server/report.h"

static DpUnitGroupsPlan
read_plan(List *list)
{
	return (DpUnitGroupsPlan){linitial(list), lsecond(list), lthird(list),
							  intVal(lfourth(list)), boolVal(llast(list))};
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	DpUnitGroupsState *state = (DpUnitGroupsState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	Plan *agg = linitial(scan->custom_plans);

	state->plan = read_plan(scan->custom_private);
	state->states = castNode(AggState, ExecInitNode(agg, estate, eflags));
	node->custom_ps = list_make1(state->states);
	state->input = outerPlanState(state->states);
	state->unfit = ExecInitExtraTupleSlot(
		estate, ExecGetResultType(state->input), &TTSOpsVirtual);
	dp_unit_spill_init(state, estate);
	dp_unit_table_init(&state->table, state->states, state->plan.are_units);
	dp_unit_batch_init(&state->table);
	dp_unit_record_init(&state->table);
}

/* Goes on to the next rows; false: there are none. */
static bool
go_on(DpUnitGroupsState *state)
{
	MemoryContext old =
		MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	bool result = true;

	if (state->sort != NULL)
		tuplesort_end(state->sort);
	state->sort = NULL;
	if (!state->is_begun)
	{
		state->is_begun = true;
		state->is_in_order = state->plan.is_sorted;
		if (!state->is_in_order)
			dp_unit_spill_begin(state);
	}
	else if (state->files != NIL)
	{
		DpUnitFile *file = linitial(state->files);

		state->files = list_delete_first(state->files);
		dp_unit_spill_read(state, file);
	}
	else
		result = false;
	MemoryContextSwitchTo(old);
	return result;
}

static void
begin_unit(DpUnitGroupsState *state, uint64 groups)
{
	state->left = groups;
	state->wanted = Min(groups, (uint64) state->plan.groups);
}

/* Whether the next group of the unit is chosen. */
static bool
choose(DpUnitGroupsState *state)
{
	bool chosen;

	dp_report_status(dp_sequential_choice(dp_report_random(), state->left,
										  state->wanted, &chosen));
	state->left--;
	state->wanted -= chosen ? 1 : 0;
	return chosen;
}

/* The groups of the next unit, or some of them; false: there is none. */
static bool
find_groups(DpUnitGroupsState *state)
{
	uint64 count;

	if (state->is_in_order)
	{
		if (dp_unit_in_order_read(state))
		{
			state->group = dp_unit_table_link(&state->table);
			begin_unit(state, state->table.group_count);
		}
	}
	else if (state->sort == NULL)
	{
		state->group = dp_unit_table_next(&state->table, &count);
		begin_unit(state, count);
	}
	else if (!TupIsNull(state->next))
	{
		if (state->left == 0)
			begin_unit(state, dp_unit_spill_count(state));
		dp_unit_spill_fill(state);
		state->group = dp_unit_table_link(&state->table);
	}
	return state->group != NULL;
}

/* The next group that is chosen; NULL: there is none. */
static DpUnitGroup *
next_group(DpUnitGroupsState *state)
{
	while (state->group != NULL || find_groups(state))
	{
		DpUnitGroup *group = state->group;

		state->group = dp_unit_group_next(group);
		if (choose(state))
			return group;
	}
	return NULL;
}

static TupleTableSlot *
execute(CustomScanState *node)
{
	DpUnitGroupsState *state = (DpUnitGroupsState *) node;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	int columns = slot->tts_tupleDescriptor->natts - 1;
	TupleTableSlot *projected;
	DpUnitGroup *group = NULL;

	CHECK_FOR_INTERRUPTS();
	while ((!state->is_begun || (group = next_group(state)) == NULL) &&
		   go_on(state))
		;
	ExecClearTuple(slot);
	if (group == NULL)
		return slot;
	projected = dp_unit_table_project(&state->table, group);
	slot_getallattrs(projected);
	memcpy(slot->tts_values, projected->tts_values, columns * sizeof(Datum));
	memcpy(slot->tts_isnull, projected->tts_isnull, columns * sizeof(bool));
	slot->tts_values[columns] = BoolGetDatum(true);
	slot->tts_isnull[columns] = false;
	ExecStoreVirtualTuple(slot);
	if (node->ss.ps.ps_ProjInfo == NULL)
		return slot;
	ResetExprContext(node->ss.ps.ps_ExprContext);
	node->ss.ps.ps_ExprContext->ecxt_scantuple = slot;
	return ExecProject(node->ss.ps.ps_ProjInfo);
}

/* Closes sorts and files, and makes the state that of a new execution. */
static void
clear(DpUnitGroupsState *state)
{
	if (state->sort != NULL)
		tuplesort_end(state->sort);
	state->sort = NULL;
	foreach_ptr (DpUnitFile, file, state->files)
		dp_unit_file_close(file);
	state->files = NIL;
	state->group = NULL;
	state->left = 0;
	state->ahead = NULL;
	state->is_at_end = false;
	state->is_begun = false;
}

static void
end(CustomScanState *node)
{
	DpUnitGroupsState *state = (DpUnitGroupsState *) node;

	clear(state);
	ExecEndNode(&state->states->ss.ps);
}

static void
rescan(CustomScanState *node)
{
	DpUnitGroupsState *state = (DpUnitGroupsState *) node;

	clear(state);
	dp_unit_table_reset(&state->table, false);
	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(state->input, node->ss.ps.chgParam);
	ExecReScan(state->input);
}

static void
explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	const DpUnitGroupsState *state = (DpUnitGroupsState *) node;

	(void) ancestors;
	ExplainPropertyText("Strategy", state->plan.is_sorted ? "Sorted" : "Hashed",
						es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = DP_UNIT_GROUPS_NAME,
	.BeginCustomScan = begin,
	.ExecCustomScan = execute,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
	.ExplainCustomScan = explain,
};

Node *
dp_unit_groups_create_state(CustomScan *scan)
{
	DpUnitGroupsState *state = (DpUnitGroupsState *) newNode(
		sizeof(DpUnitGroupsState), T_CustomScanState);

	(void) scan;
	state->css.methods = &exec_methods;
	return (Node *) state;
}
