/*
 * scan.c
 *		The DP Release node in execution.
 *
 * All releases of a statement are settled together, at the first fetch from
 * any of them: one request to the ledger, before the first value goes out. So
 * the releases in execution are kept in a list, which each leaves with the
 * memory of its statement, after errors too.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "gate/release/explain.h"
#include "gate/release/scan.h"
#include "gate/release/settle.h"

/* Releases of all statements being executed in this process. */
static List *in_execution = NIL;

/* Removes a release from the list when the memory of its statement is freed. */
static void
forget(void *state)
{
	in_execution = list_delete_ptr(in_execution, state);
}

static void
remember(DpReleaseState *state)
{
	MemoryContext context = state->css.ss.ps.state->es_query_cxt;
	MemoryContextCallback *callback =
		MemoryContextAlloc(context, sizeof(MemoryContextCallback));
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

	in_execution = lappend(in_execution, state);
	MemoryContextSwitchTo(old);
	callback->func = forget;
	callback->arg = state;
	MemoryContextRegisterResetCallback(context, callback);
}

List *
dp_gate_releases_of(EState *estate)
{
	List *states = NIL;
	ListCell *cell;

	foreach (cell, in_execution)
	{
		DpReleaseState *state = lfirst(cell);

		if (state->css.ss.ps.state == estate)
			states = lappend(states, state);
	}
	return states;
}

/* Settles this release and all others of the statement. */
static void
settle(DpReleaseState *state)
{
	EState *estate = state->css.ss.ps.state;
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	List *states = dp_gate_releases_of(estate);
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
		if (((DpReleaseState *) lfirst(cell))->done)
			states = foreach_delete_current (states, cell);
	}
	dp_gate_settle(states);
	MemoryContextSwitchTo(old);
}

static TupleTableSlot *
next_row(ScanState *node)
{
	DpReleaseState *state = (DpReleaseState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	int columns = slot->tts_tupleDescriptor->natts;

	if (!state->done)
		settle(state);
	ExecClearTuple(slot);
	if (state->next == dp_gate_rows_count(state->rows))
		return slot;
	memcpy(slot->tts_values, dp_gate_rows_values(state->rows, state->next),
		   columns * sizeof(Datum));
	memcpy(slot->tts_isnull, dp_gate_rows_nulls(state->rows, state->next),
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
	state->release = linitial(scan->custom_private);
	state->share = 1;
	state->told = palloc0(list_length(state->release->outline.aggregates) *
						  sizeof(DpChargePreview));
	state->laws = palloc0(list_length(state->release->outline.aggregates) *
						  sizeof(DpLaw *));
	state->splits = palloc0(list_length(state->release->outline.aggregates) *
							sizeof(struct DpSplit *));
	state->sums_columns = dp_gate_sums_columns(state->release);
	state->same =
		palloc0(list_length(state->release->outline.aggregates) * sizeof(bool));
	remember(state);
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
	.ExplainCustomScan = dp_gate_release_explain,
};

Node *
dp_gate_release_create(CustomScan *scan)
{
	DpReleaseState *state =
		(DpReleaseState *) newNode(sizeof(DpReleaseState), T_CustomScanState);

	(void) scan;
	state->css.methods = &exec_methods;
	if (GetUserId() != GetSessionUserId())
		state->acting = GetUserId();
	return (Node *) state;
}
