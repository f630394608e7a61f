/*
 * bounded_plan.c
 *		Finds what would grow, and plans without it.
 *
 * Samples of a privacy unit's values grow up to the cap on its rows: where there
 * are any, groups are sorted, so that there is one at a time. A hash join is
 * taken where the rows in the hash table are those of looked-up tables, whose
 * keys are unique; else the statement is planned anew without hash joins.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "gate/question/bounded_plan.h"
#include "gate/question/publics.h"

static void
turn_off(const char *setting)
{
	(void) set_config_option(setting, "off", PGC_SUSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

/* Partial results of units whose size is that of the cap. */
static bool
has_samples_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
	{
		const char *name = get_func_name(((Aggref *) node)->aggfnoid);

		return name != NULL && strncmp(name, "sample_", 7) == 0;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, has_samples_walker, context,
								 0);
	return expression_tree_walker(node, has_samples_walker, context);
}

static bool
has_joins_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, JoinExpr))
		return true;
	if (IsA(node, FromExpr) && list_length(((FromExpr *) node)->fromlist) > 1)
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, has_joins_walker, context, 0);
	return expression_tree_walker(node, has_joins_walker, context);
}

/* True unless all rows of a plan are of looked-up tables or constants. */
static bool
reads_others(const Plan *plan, const List *rtable)
{
	if (plan == NULL)
		return false;
	switch (nodeTag(plan))
	{
		case T_NamedTuplestoreScan:
			return !dp_gate_is_public_name(
				rt_fetch(((const Scan *) plan)->scanrelid, rtable)->enrname);
		case T_ValuesScan:
		case T_FunctionScan:
		case T_Result:
		case T_Hash:
		case T_Sort:
		case T_Material:
			return reads_others(plan->lefttree, rtable) ||
				   reads_others(plan->righttree, rtable);
		default:
			return true;
	}
}

static bool list_may_grow(const List *plans, const List *rtable);

/* A hash join anywhere in a plan whose table may grow by the rows of a key. */
static bool
may_grow(const Plan *plan, const List *rtable)
{
	if (plan == NULL)
		return false;
	if (IsA(plan, HashJoin) && reads_others(plan->righttree, rtable))
		return true;
	if (IsA(plan, SubqueryScan) &&
		may_grow(((const SubqueryScan *) plan)->subplan, rtable))
		return true;
	if (IsA(plan, Append) &&
		list_may_grow(((const Append *) plan)->appendplans, rtable))
		return true;
	if (IsA(plan, MergeAppend) &&
		list_may_grow(((const MergeAppend *) plan)->mergeplans, rtable))
		return true;
	return may_grow(plan->lefttree, rtable) ||
		   may_grow(plan->righttree, rtable);
}

static bool
list_may_grow(const List *plans, const List *rtable)
{
	ListCell *cell;

	foreach (cell, plans)
	{
		if (may_grow(lfirst(cell), rtable))
			return true;
	}
	return false;
}

PlannedStmt *
dp_gate_plan_bounded(Query *query,
					 PlannedStmt *(*plan)(Query *query, void *context),
					 void *context)
{
	/* The planner changes what it plans. */
	Query *again =
		has_joins_walker((Node *) query, NULL) ? copyObject(query) : NULL;
	PlannedStmt *result;

	if (has_samples_walker((Node *) query, NULL))
		turn_off("enable_hashagg");
	result = plan(query, context);
	if (again == NULL || !(may_grow(result->planTree, result->rtable) ||
						   list_may_grow(result->subplans, result->rtable)))
		return result;
	turn_off("enable_hashjoin");
	return plan(again, context);
}
