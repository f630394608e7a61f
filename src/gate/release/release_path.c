/*
 * release_path.c
 *		DP Release as a node: how it comes into a plan, and its execution.
 *
 * While a statement is planned, a block reads its rows from the function
 * dp_noise.release(number), which the path hook turns into a custom scan. The
 * numbers are drawn from the CSPRNG and known only while their statement is
 * being planned, so a call written by hand finds nothing.
 *
 * All releases of a statement are settled together, at the first fetch from
 * any of them: one request to the ledger, before the first value goes out. So
 * the releases in execution are kept in a list (release_state.h), which each
 * leaves with the memory of its statement, after errors too.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "catalog/namespace.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "gate/bound/key.h"
#include "gate/read/ends.h"
#include "gate/relations/publics.h"
#include "gate/relations/release_call.h"
#include "gate/relations/reliance.h"
#include "gate/release/answer_table.h"
#include "gate/release/explain.h"
#include "gate/release/release_path.h"
#include "gate/release/release_state.h"
#include "gate/release/settle.h"
#include "server/compat.h"

static set_rel_pathlist_hook_type prev_set_rel_pathlist = NULL;

PG_FUNCTION_INFO_V1(dp_release);

/* The following functions are its execution. */

/* Settles this release and all others of the statement. */
static void
settle(DpReleaseState *state)
{
	EState *estate = state->estate;
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
	while (state->answers.is_hidden != NULL &&
		   state->next < dp_row_table_count(rows) &&
		   state->answers.is_hidden[state->next])
		state->next++;
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

	(void) eflags;
	state->estate = estate;
	state->plan = linitial(scan->custom_private);
	state->outline = &state->plan->outline;
	dp_terms_init(&state->terms, state->plan, &node->ss.ps);
	dp_groups_init(&state->groups, state->plan, &node->ss.ps);
	dp_answer_table_init(&state->answers, state->plan, &state->terms,
						 &state->groups);
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

static Node *
create_state(CustomScan *scan)
{
	DpReleaseState *state =
		(DpReleaseState *) newNode(sizeof(DpReleaseState), T_CustomScanState);

	(void) scan;
	state->css.methods = &exec_methods;
	if (GetUserId() != GetSessionUserId())
		state->acting = GetUserId();
	return (Node *) state;
}

/* The following functions bring it into a plan. */

pg_noreturn static void
refuse_call(void)
{
	ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					errmsg("dp_noise.release cannot be called"),
					errhint("It stands for a query over a protected relation "
							"while that is being planned.")));
}

/* Reached by superusers only: planning replaces the call, or refuses it. */
Datum
dp_release(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	refuse_call();
}

static const CustomScanMethods scan_methods = {
	.CustomName = DP_RELEASE_NAME,
	.CreateCustomScanState = create_state,
};

static Plan *
plan_path(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
		  List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	DpReleasePlan *release = linitial(path->custom_private);
	AttrNumber number = 0;

	(void) root;
	(void) custom_plans;
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = NIL;
	foreach_ptr (RestrictInfo, info, clauses)
		scan->scan.plan.qual = lappend(scan->scan.plan.qual, info->clause);
	scan->scan.scanrelid = 0;
	foreach_ptr (Node, column, dp_answer_table_shown(release))
	{
		Var *var = makeVar(rel->relid, ++number, exprType(column),
						   exprTypmod(column), exprCollation(column), 0);

		scan->custom_scan_tlist =
			lappend(scan->custom_scan_tlist,
					makeTargetEntry((Expr *) var, number, NULL, false));
	}
	scan->custom_relids = bms_copy(rel->relids);
	scan->custom_private = path->custom_private;
	scan->methods = &scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = DP_RELEASE_NAME,
	.PlanCustomPath = plan_path,
};

/* The release that a range-table entry reads, or NULL for other entries. */
static DpReleasePlan *
find_release(RangeTblEntry *rte)
{
	RangeTblFunction *function;
	FuncExpr *call;
	Const *number;
	DpReleasePlan *result = NULL;

	if (rte->rtekind != RTE_FUNCTION || list_length(rte->functions) != 1)
		return NULL;
	function = linitial(rte->functions);
	if (!IsA(function->funcexpr, FuncExpr))
		return NULL;
	call = (FuncExpr *) function->funcexpr;
	if (call->funcid < FirstNormalObjectId || list_length(call->args) != 1)
		return NULL;
	if (get_func_namespace(call->funcid) !=
			get_namespace_oid("dp_noise", true) ||
		call->funcid != dp_release_call_function())
		return NULL;
	number = linitial(call->args);
	if (IsA(number, Const) && !number->constisnull)
		result = dp_release_plan_find(DatumGetInt64(number->constvalue));
	if (result == NULL)
		refuse_call();
	return result;
}

static void
set_release_path(PlannerInfo *root, RelOptInfo *rel, Index rti,
				 RangeTblEntry *rte)
{
	DpReleasePlan *release;
	CustomPath *path;

	if (prev_set_rel_pathlist != NULL)
		prev_set_rel_pathlist(root, rel, rti, rte);
	release = find_release(rte);
	if (release == NULL || IS_DUMMY_REL(rel))
		return;

	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.param_info =
		get_baserel_parampathinfo(root, rel, rel->lateral_relids);

	/* Constants, since an estimate from the table would depend on its rows. */
	path->path.rows = release->outline.keys == NIL ? 1 : 100;
	path->path.startup_cost = 1000;
	path->path.total_cost = 1000;
	path->custom_private = list_make1(release);
	path->methods = &path_methods;
	rel->rows = path->path.rows;
	rel->pathlist = list_make1(path);
	rel->partial_pathlist = NIL;
}

void
dp_release_path_init(void)
{
	dp_release_plan_init();
	dp_key_init();
	dp_ends_init();
	dp_reliance_init();
	dp_publics_init();
	RegisterCustomScanMethods(&scan_methods);
	prev_set_rel_pathlist = set_rel_pathlist_hook;
	set_rel_pathlist_hook = set_release_path;
}
