/*
 * release_path.c
 *		How DP Release comes into a plan.
 *
 * While a statement is planned, a block reads its rows from the function
 * dp_noise.release(number), which the path hook turns into a custom scan. The
 * numbers are drawn from the CSPRNG and known only while their statement is
 * being planned, so a call written by hand finds nothing.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "utils/lsyscache.h"

#include "gate/bound/key.h"
#include "gate/read/ends.h"
#include "gate/relations/publics.h"
#include "gate/relations/release_call.h"
#include "gate/relations/reliance.h"
#include "gate/release/answer_table.h"
#include "gate/release/release_path.h"
#include "gate/release/release_scan.h"
#include "server/compat.h"

static set_rel_pathlist_hook_type prev_set_rel_pathlist = NULL;

PG_FUNCTION_INFO_V1(dp_release);

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
	.CreateCustomScanState = dp_release_scan_create,
};

static Plan *
plan_path(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
		  List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	DpReleasePlan *release = linitial(path->custom_private);
	ListCell *cell;
	AttrNumber number = 0;

	(void) root;
	(void) custom_plans;
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = NIL;
	foreach (cell, clauses)
		scan->scan.plan.qual = lappend(scan->scan.plan.qual,
									   lfirst_node(RestrictInfo, cell)->clause);
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
		call->funcid != dp_gate_release_function())
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
	dp_gate_key_init();
	dp_gate_ends_init();
	dp_gate_reliance_init();
	dp_gate_public_init();
	RegisterCustomScanMethods(&scan_methods);
	prev_set_rel_pathlist = set_rel_pathlist_hook;
	set_rel_pathlist_hook = set_release_path;
}
