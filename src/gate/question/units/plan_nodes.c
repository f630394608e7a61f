/*
 * plan_nodes.c
 *		The nodes of finished plans, and what sub-plans read.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "gate/question/units/plan_nodes.h"
#include "server/stack.h"

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
	dp_stack_enter();
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

/* Copies by name. */
typedef struct Copies
{
	List *names;		/* of String */
	const List *rtable; /* of the query or plan that is visited */
	bool is_within;		/* a sub-query that may be hashed */
} Copies;

static void
add_copy(Copies *copies, const char *name)
{
	copies->names =
		list_append_unique(copies->names, makeString(pstrdup(name)));
}

static bool
written_walker(Node *node, void *context)
{
	Copies *copies = context;
	bool was_within = copies->is_within;
	bool result;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *rte = (const RangeTblEntry *) node;

		if (rte->rtekind == RTE_NAMEDTUPLESTORE && copies->is_within)
			add_copy(copies, rte->enrname);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, written_walker, context,
								 QTW_EXAMINE_RTES_BEFORE);
	if (IsA(node, SubLink))
	{
		SubLinkType type = ((SubLink *) node)->subLinkType;

		/* The operands are read by the query around. */
		if (written_walker(((SubLink *) node)->testexpr, context))
			return true;
		copies->is_within = type == ANY_SUBLINK || type == EXISTS_SUBLINK;
		result = written_walker(((SubLink *) node)->subselect, context);
		copies->is_within = was_within;
		return result;
	}
	return expression_tree_walker(node, written_walker, context);
}

List *
dp_gate_copies_in_sublinks(Query *query)
{
	Copies copies = {NIL, NIL, false};

	(void) written_walker((Node *) query, &copies);
	return copies.names;
}

static bool
report_scan(const Plan *node, void *context)
{
	Copies *copies = context;

	if (IsA(node, NamedTuplestoreScan))
		add_copy(copies,
				 rt_fetch(((const Scan *) node)->scanrelid, copies->rtable)
					 ->enrname);
	return false;
}

List *
dp_gate_copies_in_subplans(const PlannedStmt *plan)
{
	Copies copies = {NIL, plan->rtable, false};
	Visit visit = {report_scan, &copies};

	(void) visit_list(plan->subplans, &visit);
	return copies.names;
}
