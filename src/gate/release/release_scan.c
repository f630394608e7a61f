/*
 * release_scan.c
 *		The DP Release node in execution.
 *
 * All releases of a statement are settled together, at the first fetch from
 * any of them: one request to the ledger, before the first value goes out. So
 * the releases in execution are kept in a list (release_state.h), which each
 * leaves with the memory of its statement, after errors too.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "gate/release/explain.h"
#include "gate/release/release_scan.h"
#include "gate/release/release_state.h"
#include "gate/release/settle.h"

/* Settles this release and all others of the statement. */
static void
settle(DpReleaseState *state)
{
	EState *estate = state->css.ss.ps.state;
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	List *states = dp_release_states_of(estate);
	ListCell *cell;

	if (IsParallelWorker()) /* in a function that is wrongly marked as parallel safe */
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("protected relations cannot be read in a parallel "
						"worker"),
				 errhint("Declare functions that ask about them PARALLEL "
						 "UNSAFE.")));
	foreach (cell, states)
	{
		if (((DpReleaseState *) lfirst(cell))->is_done)
			states = foreach_delete_current (states, cell);
	}
	dp_settle(states);
	MemoryContextSwitchTo(old);
}

static TupleTableSlot *
next_row(ScanState *node)
{
	DpReleaseState *state = (DpReleaseState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	int columns = slot->tts_tupleDescriptor->natts;
	const DpRowTable *rows;

	if (!state->is_done)
		settle(state);
	rows = state->answers.rows;
	ExecClearTuple(slot);
	if (state->next == dp_row_table_count(rows))
		return slot;
	memcpy(slot->tts_values, dp_row_table_values(rows, state->next),
		   columns * sizeof(Datum));
	memcpy(slot->tts_isnull, dp_row_table_nulls(rows, state->next),
		   columns * sizeof(bool));
	state->next++;
	return ExecStoreVirtualTuple(slot);
}

static bool
recheck(ScanState *node, TupleTableSlot *slot)
{
	(void) node;
	(void) slot;
	elog(ERROR, "a DP Release cannot be rechecked");
	return false;
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	DpReleaseState *state = (DpReleaseState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;

	(void) estate;
	(void) eflags;
	state->plan = linitial(scan->custom_private);
	dp_terms_init(&state->terms, state->plan, &node->ss.ps);
	dp_groups_init(&state->groups, state->plan, &node->ss.ps);
	dp_answer_table_init(&state->answers, &state->terms, &state->groups);
	state->groupings = palloc0(sizeof(DpGroupings));
	state->groupings->states = list_make1(state);
	dp_release_state_keep(state);
}

static TupleTableSlot *
execute(CustomScanState *node)
{
	return ExecScan(&node->ss, next_row, recheck);
}

static void
end(CustomScanState *node)
{
	(void) node; /* all memory is the query's */
}

static void
rescan(CustomScanState *node)
{
	((DpReleaseState *) node)->next = 0;
	ExecScanReScan(&node->ss);
}

static const CustomExecMethods exec_methods = {
	.CustomName = DP_RELEASE_NAME,
	.BeginCustomScan = begin,
	.ExecCustomScan = execute,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
	.ExplainCustomScan = dp_explain_release,
};

Node *
dp_release_scan_create(CustomScan *scan)
{
	DpReleaseState *state =
		(DpReleaseState *) newNode(sizeof(DpReleaseState), T_CustomScanState);

	(void) scan;
	state->css.methods = &exec_methods;
	if (GetUserId() != GetSessionUserId())
		state->acting = GetUserId();
	return (Node *) state;
}
