/*
 * plan_nodes.c
 *		The nodes of finished plans, and what their sub-plans read.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "gate/question/units/plan_nodes.h"

/* The function that is called for nodes. */
typedef struct Visit
{
	bool (*function)(const Plan *node, void *context);
	void *context;
} Visit;

static bool visit_list(const List *plans, const Visit *visit);

static bool
visit_plan(const Plan *plan, const Visit *visit)
{
	if (plan == NULL)
		return false;
	check_stack_depth();
	if (visit->function(plan, visit->context))
		return true;
	if (IsA(plan, SubqueryScan) &&
		visit_plan(((const SubqueryScan *) plan)->subplan, visit))
		return true;
	if (IsA(plan, Append) &&
		visit_list(((const Append *) plan)->appendplans, visit))
		return true;
	if (IsA(plan, MergeAppend) &&
		visit_list(((const MergeAppend *) plan)->mergeplans, visit))
		return true;
	return visit_plan(plan->lefttree, visit) ||
		   visit_plan(plan->righttree, visit);
}

static bool
visit_list(const List *plans, const Visit *visit)
{
	ListCell *cell;

	foreach (cell, plans)
	{
		if (visit_plan(lfirst(cell), visit))
			return true;
	}
	return false;
}

bool
dp_gate_any_plan(const PlannedStmt *plan,
				 bool (*function)(const Plan *node, void *context),
				 void *context)
{
	Visit visit = {function, context};

	return visit_plan(plan->planTree, &visit) ||
		   visit_list(plan->subplans, &visit);
}

/* The function that is called for copies. */
typedef struct Copies
{
	const PlannedStmt *plan;
	void (*function)(const char *name, void *context);
	void *context;
} Copies;

static bool
report_scan(const Plan *node, void *context)
{
	const Copies *copies = context;

	if (IsA(node, NamedTuplestoreScan))
		copies->function(
			rt_fetch(((const Scan *) node)->scanrelid, copies->plan->rtable)
				->enrname,
			copies->context);
	return false;
}

static bool
expression_walker(Node *node, void *context)
{
	Copies *copies = context;

	if (node == NULL)
		return false;
	if (IsA(node, SubPlan) &&
		(((SubPlan *) node)->subLinkType == ANY_SUBLINK ||
		 ((SubPlan *) node)->subLinkType == EXISTS_SUBLINK))
	{
		Visit visit = {report_scan, copies};

		(void) visit_plan(
			list_nth(copies->plan->subplans, ((SubPlan *) node)->plan_id - 1),
			&visit);
	}
	return expression_tree_walker(node, expression_walker, context);
}

/* The conditions of a node besides plan->qual. */
static List *
conditions_of(const Plan *node)
{
	switch (nodeTag(node))
	{
		case T_HashJoin:
			return list_concat_copy(((const Join *) node)->joinqual,
									((const HashJoin *) node)->hashclauses);
		case T_MergeJoin:
			return list_concat_copy(((const Join *) node)->joinqual,
									((const MergeJoin *) node)->mergeclauses);
		case T_NestLoop:
			return ((const Join *) node)->joinqual;
		case T_Result:
			return (List *) ((const Result *) node)->resconstantqual;
		case T_IndexScan:
			return ((const IndexScan *) node)->indexqualorig;
		case T_IndexOnlyScan:
			return ((const IndexOnlyScan *) node)->indexqual;
		case T_BitmapHeapScan:
			return ((const BitmapHeapScan *) node)->bitmapqualorig;
		case T_Memoize:
			return ((const Memoize *) node)->param_exprs;
		default:
			return NIL;
	}
}

/* All expressions of a node in which sub-plans may be. */
static bool
report_node(const Plan *node, void *context)
{
	(void) expression_walker((Node *) node->targetlist, context);
	(void) expression_walker((Node *) node->qual, context);
	(void) expression_walker((Node *) conditions_of(node), context);
	return false;
}

void
dp_gate_each_subplan_copy(const PlannedStmt *plan,
						  void (*function)(const char *name, void *context),
						  void *context)
{
	Copies copies = {plan, function, context};

	(void) dp_gate_any_plan(plan, report_node, &copies);
}
