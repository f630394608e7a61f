/*
 * unit_groups.c
 *		DP Unit Groups: how it comes into a plan.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/prep.h"
#include "parser/parse_func.h"
#include "utils/lsyscache.h"

#include "gate/run/unit_groups.h"
#include "gate/run/unit_table.h"
#include "server/compat.h"
#include "server/compat_planner.h"
#include "server/search.h"

/* As custom_private: unit_groups_scan.c reads it. */
static List *
list_of(const DpUnitGroupsPlan *plan)
{
	return list_make5(plan->are_units, plan->operators, plan->collations,
					  makeInteger(plan->groups), makeBoolean(plan->is_sorted));
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
	foreach_ptr (AggInfo, info, root->agginfos)
	{
		if (OidIsValid(info->finalfn_oid))
			return true;
	}
	return false;
}

/* By what the window tells units apart, as far as rows differ in it. */
static List *
units_of(PlannerInfo *root)
{
	return dp_compat_differing_clauses(
		root, linitial_node(WindowClause, root->parse->windowClause)
				  ->partitionClause);
}

static Node *
expression_of(Query *query, SortGroupClause *clause)
{
	return strip_implicit_coercions(
		get_sortgroupclause_expr(clause, query->targetList));
}

/* By what units are told apart; NULL: not by this expression. */
static SortGroupClause *
find_unit(Query *query, List *units, Node *expression)
{
	foreach_ptr (SortGroupClause, unit, units)
	{
		if (equal(expression, expression_of(query, unit)))
			return unit;
	}
	return NULL;
}

/*
 * How a node is to choose above an aggregation. False where the columns of the
 * unit are not all among those that are grouped by, since the planner knows better;
 * and where these are too many.
 */
static bool
make_plan(PlannerInfo *root, const AggPath *agg, WindowFunc *choice,
		  DpUnitGroupsPlan *plan)
{
	Query *query = root->parse;
	List *units = units_of(root);
	List *found = NIL;

	if (list_length(agg->groupClause) > DP_UNIT_COLUMNS_MAX)
		return false;
	*plan =
		(DpUnitGroupsPlan){.groups = DatumGetInt32(
							   linitial_node(Const, choice->args)->constvalue)};
	foreach_ptr (SortGroupClause, clause, agg->groupClause)
	{
		SortGroupClause *unit =
			find_unit(query, units, expression_of(query, clause));
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
	return list_length(found) == list_length(units);
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

/*
 * What the server's model leaves out of hash tables, this node's and those of the
 * workers whose results it gets: where they do not fit into the processor's cache,
 * a row's look-up takes about three times as long as its reading.
 */
static Cost
cost_of_lookups(const Path *path)
{
	const AggPath *agg = (const AggPath *) path;
	Cost cost = 0;

	if (IsA(path, GatherPath))
		return cost_of_lookups(((const GatherPath *) path)->subpath);
	if (IsA(path, AggPath) && agg->aggstrategy == AGG_HASHED)
		cost = 3 * cpu_tuple_cost * agg->subpath->rows +
			   cost_of_lookups(agg->subpath);
	return cost;
}

static Path *
make_path(PlannerInfo *root, RelOptInfo *output, Path *agg,
		  const DpUnitGroupsPlan *plan, WindowFunc *choice)
{
	CustomPath *path = makeNode(CustomPath);
	Cost cost = agg->total_cost + (plan->is_sorted ? 0 : cost_of_lookups(agg));

	path->path.pathtype = T_CustomScan;
	path->path.parent = output;
	path->path.pathtarget = root->upper_targets[UPPERREL_WINDOW];
	path->path.rows = agg->rows;
	path->path.startup_cost = plan->is_sorted ? agg->startup_cost : cost;
	path->path.total_cost =
		cost +
		agg->rows * (cpu_tuple_cost + path->path.pathtarget->cost.per_tuple);
	dp_compat_keep_disabled(&path->path, agg);
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(agg);
	path->custom_private = list_make2(list_of(plan), choice);
	path->methods = &path_methods;
	return &path->path;
}

static Oid
type_of(Query *query, SortGroupClause *clause)
{
	return getBaseType(
		exprType(get_sortgroupclause_expr(clause, query->targetList)));
}

/*
 * Whether another server may send rows: in its order, in which a unit may come twice
 * where its types are others than here.
 */
static bool
reads_foreign(PlannerInfo *root)
{
	int i;

	for (i = 1; i < root->simple_rel_array_size; i++)
	{
		const RelOptInfo *rel = root->simple_rel_array[i];

		if (rel != NULL &&
			(rel->fdwroutine != NULL ||
			 (rel->subroot != NULL && reads_foreign(rel->subroot))))
			return true;
	}
	return false;
}

/*
 * Whether units have an order, and it follows no library, of which an index may keep
 * what an earlier version said: a unit would then come twice, and count twice.
 */
static bool
are_ordered_by_server(Query *query, List *clauses)
{
	foreach_ptr (SortGroupClause, clause, clauses)
	{
		Oid collation =
			exprCollation(get_sortgroupclause_expr(clause, query->targetList));

		if (!OidIsValid(clause->sortop) ||
			(OidIsValid(collation) && collation != C_COLLATION_OID) ||
			type_of(query, clause) == JSONBOID) /* has strings */
			return false;
	}
	return true;
}

/*
 * The same aggregation of rows that come unit by unit; NULL where they do not, without a
 * sort. Each unit's rows are then one after the other, whatever the order of units is.
 */
static Path *
sorted_agg(PlannerInfo *root, AggPath *agg)
{
	/* as keys they may have no order */
	List *units = units_of(root);
	AggClauseCosts costs = {0};
	AggPath *result;
	Path *rows;

	if (agg->aggsplit != AGGSPLIT_SIMPLE || reads_foreign(root) ||
		!are_ordered_by_server(root->parse, units))
		return NULL;
	rows = get_cheapest_path_for_pathkeys(
		agg->subpath->parent->pathlist,
		make_pathkeys_for_sortclauses(root, units, root->parse->targetList),
		NULL, TOTAL_COST, false);
	if (rows == NULL)
		return NULL;
	get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	result = create_agg_path(root, agg->path.parent, rows, agg->path.pathtarget,
							 AGG_SORTED, AGGSPLIT_SIMPLE, agg->groupClause, NIL,
							 &costs, agg->numGroups);
	result->aggstrategy = AGG_HASHED; /* by which the node finds groups */
	return &result->path;
}

/* All ways to make the choice by this node. */
static List *
find_paths(PlannerInfo *root, const RelOptInfo *input, RelOptInfo *output,
		   WindowFunc *choice)
{
	List *paths = NIL;

	foreach_ptr (Path, path, input->pathlist)
	{
		DpUnitGroupsPlan plan;

		if (!is_hashed(path) ||
			!make_plan(root, (AggPath *) path, choice, &plan))
			continue;
		paths = lappend(paths, make_path(root, output, path, &plan, choice));
		path = sorted_agg(root, (AggPath *) path);
		plan.is_sorted = true;
		if (path != NULL)
			paths =
				lappend(paths, make_path(root, output, path, &plan, choice));
	}
	return paths;
}

void
dp_unit_groups_propose(PlannerInfo *root, UpperRelationKind stage,
					   RelOptInfo *input, RelOptInfo *output)
{
	WindowFunc *choice;
	List *paths;

#ifdef DP_RECORD
	/* There the groups of a unit are chosen in the order of their keys. */
	return;
#endif
	if (stage != UPPERREL_WINDOW || !enable_hashagg ||
		(choice = choice_of(root->parse)) == NULL || have_final_functions(root))
		return;
	paths = find_paths(root, input, output, choice);
	if (paths != NIL)
		output->pathlist = NIL; /* the server's, which do more */
	foreach_ptr (Path, path, paths)
		add_path(output, path);
}

void
dp_unit_groups_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
}
