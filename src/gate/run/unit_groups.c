/*
 * unit_groups.c
 *		DP Unit Groups: how it comes into a plan.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "parser/parse_func.h"
#include "utils/lsyscache.h"

#include "gate/run/unit_groups.h"
#include "server/compat.h"
#include "server/search.h"

/* As custom_private: unit_groups_scan.c reads it. */
static List *
list_of(const DpUnitGroupsPlan *plan)
{
	return list_make4(plan->are_units, plan->operators, plan->collations,
					  makeInteger(plan->groups));
}

/* Finds choose(number), which only gate/bound/units.c writes. */
static bool
find_choice(Node *node, void *choice)
{
	if (!IsA(node, WindowFunc))
		return false;
	*(WindowFunc **) choice = (WindowFunc *) node;
	return true;
}

/* The choice that a statement makes among its groups; NULL: it makes none. */
static WindowFunc *
choice_of(Query *query)
{
	Oid number = INT4OID;
	WindowFunc *choice = NULL;

	if (query->groupClause == NIL || query->groupingSets != NIL ||
		query->havingQual != NULL || list_length(query->windowClause) != 1 ||
		linitial_node(WindowClause, query->windowClause)->orderClause != NIL ||
		!dp_search_within((Node *) query->targetList, find_choice, &choice))
		return NULL;
	if (choice->winfnoid != LookupFuncName(list_make2(makeString("dp_noise"),
													  makeString("choose")),
										   1, &number, false) ||
		!IsA(linitial(choice->args), Const))
		return NULL;
	return choice;
}

/* Whether a path for the groups is the server's hash aggregation of rows. */
static bool
is_hashed(const Path *path)
{
	const AggPath *agg = (const AggPath *) path;

	return IsA(path, AggPath) && agg->aggstrategy == AGG_HASHED &&
		   (agg->aggsplit == AGGSPLIT_SIMPLE ||
			agg->aggsplit == AGGSPLIT_FINAL_DESERIAL) &&
		   agg->qual == NIL;
}

/* States are the partial results of units. */
static bool
have_final_functions(PlannerInfo *root)
{
	ListCell *cell;

	foreach (cell, root->agginfos)
	{
		if (OidIsValid(((AggInfo *) lfirst(cell))->finalfn_oid))
			return true;
	}
	return false;
}

static Node *
expression_of(Query *query, SortGroupClause *clause)
{
	return strip_implicit_coercions(
		get_sortgroupclause_expr(clause, query->targetList));
}

/* By what units are told apart in a window; NULL: not by this expression. */
static SortGroupClause *
find_unit(Query *query, const WindowClause *window, Node *expression)
{
	foreach_ptr (SortGroupClause, unit, window->partitionClause)
	{
		if (equal(expression, expression_of(query, unit)))
			return unit;
	}
	return NULL;
}

/*
 * How a node is to choose above an aggregation. False where the columns of the
 * unit are not all among those that are grouped by, since the planner knows better.
 */
static bool
make_plan(Query *query, const AggPath *agg, WindowFunc *choice,
		  DpUnitGroupsPlan *plan)
{
	const WindowClause *window = linitial(query->windowClause);
	List *found = NIL;

	*plan =
		(DpUnitGroupsPlan){.groups = DatumGetInt32(
							   linitial_node(Const, choice->args)->constvalue)};
	foreach_ptr (SortGroupClause, clause, agg->groupClause)
	{
		SortGroupClause *unit =
			find_unit(query, window, expression_of(query, clause));
		Node *sorted = unit == NULL
						   ? NULL
						   : get_sortgroupclause_expr(unit, query->targetList);

		plan->are_units = lappend_int(plan->are_units, unit != NULL);
		plan->operators = lappend_oid(plan->operators,
									  unit == NULL ? InvalidOid : unit->sortop);
		plan->collations =
			lappend_oid(plan->collations,
						unit == NULL ? InvalidOid : exprCollation(sorted));
		if (unit != NULL)
			found = list_append_unique_ptr(found, unit);
	}
	return list_length(found) == list_length(window->partitionClause);
}

static const CustomScanMethods scan_methods = {
	.CustomName = DP_UNIT_GROUPS_NAME,
	.CreateCustomScanState = dp_unit_groups_create_state,
};

/* The node has the columns of the aggregation, and at last the choice. */
static Plan *
plan_path(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
		  List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	Agg *agg = linitial_node(Agg, custom_plans);
	AttrNumber number = 0;

	(void) root;
	(void) rel;
	(void) clauses;
	foreach_ptr (TargetEntry, entry, agg->plan.targetlist)
		scan->custom_scan_tlist = lappend(
			scan->custom_scan_tlist,
			makeTargetEntry(copyObject(entry->expr), ++number, NULL, false));
	scan->custom_scan_tlist =
		lappend(scan->custom_scan_tlist,
				makeTargetEntry(copyObject(llast(path->custom_private)),
								++number, NULL, false));
	agg->numGroups = 1; /* for the table that is not used */
	scan->scan.plan.targetlist = tlist;
	scan->scan.scanrelid = 0;
	scan->custom_plans = custom_plans;
	scan->custom_private = linitial(path->custom_private);
	scan->flags = path->flags;
	scan->methods = &scan_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = DP_UNIT_GROUPS_NAME,
	.PlanCustomPath = plan_path,
};

static CustomPath *
make_path(PlannerInfo *root, RelOptInfo *output, Path *agg,
		  const DpUnitGroupsPlan *plan, WindowFunc *choice)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = output;
	path->path.pathtarget = root->upper_targets[UPPERREL_WINDOW];
	path->path.rows = agg->rows;
	path->path.startup_cost = agg->total_cost;
	path->path.total_cost =
		agg->total_cost +
		agg->rows * (cpu_tuple_cost + path->path.pathtarget->cost.per_tuple);
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(agg);
	path->custom_private = list_make2(list_of(plan), choice);
	path->methods = &path_methods;
	return path;
}

void
dp_unit_groups_propose(PlannerInfo *root, UpperRelationKind stage,
					   RelOptInfo *input, RelOptInfo *output)
{
	WindowFunc *choice;

#ifdef DP_RECORD
	/* There the groups of a unit are chosen in the order of their keys. */
	return;
#endif
	if (stage != UPPERREL_WINDOW || !enable_hashagg ||
		(choice = choice_of(root->parse)) == NULL || have_final_functions(root))
		return;
	foreach_ptr (Path, path, input->pathlist)
	{
		DpUnitGroupsPlan plan;

		if (is_hashed(path) &&
			make_plan(root->parse, (AggPath *) path, choice, &plan))
			add_path(output,
					 &make_path(root, output, path, &plan, choice)->path);
	}
}

void
dp_unit_groups_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
}
