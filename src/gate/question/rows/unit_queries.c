/*
 * unit_queries.c
 *		Sub-queries in FROM that are made of each unit's rows.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/question/expressions/expression.h"
#include "gate/question/expressions/folding.h"
#include "gate/question/expressions/representatives.h"
#include "gate/question/expressions/totals.h"
#include "gate/question/relations/locations.h"
#include "gate/question/relations/protection.h"
#include "gate/question/relations/publics.h"
#include "gate/question/rows/conditions.h"
#include "gate/question/rows/protected_views.h"
#include "gate/question/relations/flatten.h"
#include "gate/question/rows/unit_keys.h"
#include "gate/question/rows/unit_queries.h"
#include "gate/question/rows/unit_rows.h"
#include "gate/question/rows/window_order.h"
#include "server/collations.h"
#include "server/compat.h"
#include "server/stack.h"

static const char *const unit_hint =
	"Name the column that is the privacy unit, or a key that tells it, among "
	"its keys; or ask about the rows themselves.";

/* Refuses clauses for which there is no rule. */
static void
check_query(const Query *query)
{
	int location = dp_gate_location_of_query(query);

	if (query->commandType != CMD_SELECT)
		dp_gate_refuse("this statement", "Write a plain SELECT.", location);
	if (query->hasRecursive || query->cteList != NIL)
		dp_gate_refuse(
			"a WITH query that is recursive or volatile",
			"Write its query as a sub-query, or store its rows in "
			"a table first.",
			query->cteList == NIL
				? location
				: linitial_node(CommonTableExpr, query->cteList)->location);
	if (query->limitCount != NULL || query->limitOffset != NULL)
		dp_gate_refuse("LIMIT or OFFSET in a sub-query",
					   "Which rows remain would depend on other privacy units: "
					   "apply it to the released answer.",
					   exprLocation(query->limitCount != NULL
										? query->limitCount
										: query->limitOffset));
	if (query->rowMarks != NIL)
		dp_gate_refuse("FOR UPDATE or FOR SHARE", "Leave it out.", location);
	if (query->groupingSets != NIL)
		dp_gate_refuse(
			"GROUPING SETS, ROLLUP or CUBE in a sub-query",
			"Write one sub-query for each grouping.",
			linitial_node(GroupingSet, query->groupingSets)->location);
	if (query->hasTargetSRFs)
		dp_gate_refuse("a function that returns a set",
					   "Join what it returns in FROM.", location);
	if (query->hasDistinctOn)
		dp_gate_refuse("DISTINCT ON",
					   "Write DISTINCT, or row_number() OVER (PARTITION BY "
					   "the privacy unit ORDER BY ...) in a sub-query.",
					   location);
}

/* Expressions of some clauses. */
static List *
expressions_of(List *clauses, List *targets)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, clauses)
		result =
			lappend(result, get_sortgroupclause_expr(lfirst(cell), targets));
	return result;
}

/* Groups, distinct rows and windows are compared byte by byte. */
static void
compare_bytes(Query *query)
{
	ListCell *cell;

	foreach (cell, query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (entry->ressortgroupref != 0 || query->distinctClause != NIL)
			entry->expr = dp_gate_byte_order(entry->expr);
	}
}

static void
refuse_other_units(const char *what, int location)
{
	dp_gate_refuse(psprintf("%s of several privacy units' rows", what),
				   unit_hint, location);
}

/* The first function over a window. */
static int
location_of_window(const Query *query, const WindowClause *window)
{
	ListCell *cell;

	foreach (cell,
			 pull_var_clause((Node *) query->targetList,
							 PVC_INCLUDE_AGGREGATES | PVC_INCLUDE_WINDOWFUNCS |
								 PVC_INCLUDE_PLACEHOLDERS))
	{
		const WindowFunc *function = lfirst(cell);

		if (IsA(function, WindowFunc) && function->winref == window->winref)
			return function->location;
	}
	return dp_gate_location_of_query(query);
}

/* Keys of each kind must determine the unit; it becomes one of them. */
static void
add_to_keys(DpScope *scope, List *entries)
{
	Query *query = scope->query;
	int location = dp_gate_location_of_query(query);
	ListCell *cell;
	ListCell *entry;

	if (query->hasAggs || query->groupClause != NIL ||
		query->havingQual != NULL)
	{
		if (!dp_gate_determines_unit(
				scope, expressions_of(query->groupClause, query->targetList)))
			refuse_other_units("GROUP BY or an aggregate in a sub-query",
							   location);
		foreach (entry, entries)
			query->groupClause =
				lappend(query->groupClause,
						dp_gate_clause_for(lfirst(entry), query->targetList));
	}
	if (query->distinctClause != NIL)
	{
		if (!dp_gate_determines_unit(
				scope,
				expressions_of(query->distinctClause, query->targetList)))
			refuse_other_units("DISTINCT", location);
		foreach (entry, entries)
			query->distinctClause =
				lappend(query->distinctClause,
						dp_gate_clause_for(lfirst(entry), query->targetList));
	}
	foreach (cell, query->windowClause)
	{
		WindowClause *window = lfirst_node(WindowClause, cell);

		if (!dp_gate_determines_unit(
				scope,
				expressions_of(window->partitionClause, query->targetList)))
			refuse_other_units("a window", location_of_window(query, window));
		foreach (entry, entries)
			window->partitionClause =
				lappend(window->partitionClause,
						dp_gate_clause_for(lfirst(entry), query->targetList));
		dp_gate_check_window(window, query->targetList);
	}
}

/* The unit as further columns of the result, before those that are not seen. */
static List *
add_unit(DpScope *scope)
{
	Query *query = scope->query;
	List *targets = NIL;
	List *unseen = NIL;
	List *entries = NIL;
	ListCell *cell;

	foreach (cell, query->targetList)
	{
		if (lfirst_node(TargetEntry, cell)->resjunk)
			unseen = lappend(unseen, lfirst(cell));
		else
			targets = lappend(targets, lfirst(cell));
	}
	foreach (cell, scope->unit)
		entries = lappend(
			entries,
			makeTargetEntry((Expr *) copyObject(lfirst(cell)), 0,
							psprintf("dp_unit%d", foreach_current_index(cell)),
							false));
	targets = list_concat(targets, entries);
	targets = list_concat(targets, unseen);
	foreach (cell, targets)
		lfirst_node(TargetEntry, cell)->resno =
			(AttrNumber) (foreach_current_index(cell) + 1);
	query->targetList = targets;
	return entries;
}

static bool
combines_rows(const Query *query)
{
	return query->hasAggs || query->groupClause != NIL ||
		   query->distinctClause != NIL || query->windowClause != NIL;
}

void
dp_gate_check_outputs(DpScope *scope)
{
	Query *query = scope->query;
	int depth = dp_gate_scope_depth(scope);

	query->targetList = (List *) dp_gate_own_conditions(
		scope, dp_gate_make_total(
				   dp_gate_fold((Node *) query->targetList, "a sub-query")));
	query->havingQual =
		query->havingQual == NULL
			? NULL
			: dp_gate_own_conditions(scope, dp_gate_make_total(dp_gate_fold(
												query->havingQual, "HAVING")));
	dp_gate_check_outputs_in_scope((Node *) query->targetList, scope->relations,
								   "a sub-query", depth);
	dp_gate_check_outputs_in_scope(query->havingQual, scope->relations,
								   "HAVING", depth);
	compare_bytes(query);
}

/* Columns of the result that are the unit, before that itself. */
static List *
columns_alike(const DpScope *scope)
{
	List *unit = scope->unit;
	List *result = NIL;
	ListCell *cell;

	if (list_length(unit) != 1)
		return NIL;
	foreach (cell, scope->query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);
		const Var *column = dp_gate_column_of((Node *) entry->expr);

		if (column != NULL && !entry->resjunk &&
			dp_gate_are_equal(scope->equal, linitial(unit), column))
			result = lappend_int(result, entry->resno);
	}
	return result;
}

/* Drops ORDER BY, which means nothing here, and columns that only serve it. */
static void
drop_order(Query *query)
{
	List *targets = NIL;
	List *clauses = list_concat_copy(query->groupClause, query->distinctClause);
	ListCell *cell;

	foreach (cell, query->windowClause)
	{
		clauses = list_concat(clauses,
							  lfirst_node(WindowClause, cell)->partitionClause);
		clauses =
			list_concat(clauses, lfirst_node(WindowClause, cell)->orderClause);
	}
	query->sortClause = NIL;
	foreach (cell, query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		if (entry->resjunk && get_sortgroupref_clause_noerr(
								  entry->ressortgroupref, clauses) == NULL)
			continue;
		targets = lappend(targets, entry);
	}
	query->targetList = targets;
}

/*
 * Owns the rows of a plain sub-query; the unit follows the columns that the
 * outer query sees.
 */
static DpOwned *
own_plain(DpScope *scope, int rtindex)
{
	Query *query = scope->query;
	DpOwned *owned = palloc0(sizeof(DpOwned));
	List *entries;
	ListCell *cell;

	dp_gate_own_rows(scope);
	if (scope->unit == NIL)
		dp_gate_refuse("a sub-query whose rows have no privacy unit",
					   "Read a protected relation in its FROM.",
					   dp_gate_location_of_query(query));
	if (scope->is_mixed && combines_rows(query))
		dp_gate_note_exchange(scope);
	dp_gate_check_outputs(scope);
	entries = add_unit(scope);
	add_to_keys(scope, entries);
	owned->rtindex = rtindex;
	owned->population = ((const DpOwned *) linitial(scope->owned))->population;
	owned->is_mixed = scope->is_mixed;
	owned->alike = columns_alike(scope);
	dp_gate_set_bearer(scope, owned);
	owned->row_keys = dp_gate_row_keys(scope);
	dp_gate_represent(query);
	dp_gate_order_windows(query);
	foreach (cell, entries)
	{
		TargetEntry *entry = lfirst(cell);
		Node *column = (Node *) entry->expr;

		owned->unit = lappend(
			owned->unit, makeVar(rtindex, entry->resno, exprType(column),
								 exprTypmod(column), exprCollation(column), 0));
	}
	return owned;
}

static int
location_of_part(Query *query, Node *part)
{
	while (IsA(part, SetOperationStmt))
		part = ((SetOperationStmt *) part)->larg;
	return dp_gate_location_of_entry(query, ((RangeTblRef *) part)->rtindex);
}

/*
 * Of UNION ALL every part has the same people, and the unit as its last
 * column.
 */
static void
add_unit_to_union(Query *query, Node *node, const DpOwned *part)
{
	SetOperationStmt *operation = (SetOperationStmt *) node;
	ListCell *cell;

	if (!IsA(node, SetOperationStmt))
		return;
	if (operation->op != SETOP_UNION || !operation->all)
		dp_gate_refuse("UNION, INTERSECT or EXCEPT",
					   "Write UNION ALL, over which count(DISTINCT the privacy "
					   "unit) counts each once; or IN, NOT IN or EXISTS for "
					   "INTERSECT and EXCEPT.",
					   location_of_part(query, operation->rarg));
	foreach (cell, part->unit)
	{
		const Var *unit = lfirst(cell);

		operation->colTypes = lappend_oid(operation->colTypes, unit->vartype);
		operation->colTypmods =
			lappend_int(operation->colTypmods, unit->vartypmod);
		operation->colCollations =
			lappend_oid(operation->colCollations, unit->varcollid);
	}
	add_unit_to_union(query, operation->larg, part);
	add_unit_to_union(query, operation->rarg, part);
}

static void
collect_parts(Node *node, List **rtindexes)
{
	if (IsA(node, RangeTblRef))
		*rtindexes = lappend_int(*rtindexes, ((RangeTblRef *) node)->rtindex);
	else
	{
		collect_parts(((SetOperationStmt *) node)->larg, rtindexes);
		collect_parts(((SetOperationStmt *) node)->rarg, rtindexes);
	}
}

/* Whether two parts have units, which are compared in the same way. */
static bool
same_types(const DpOwned *one, const DpOwned *other)
{
	ListCell *left;
	ListCell *right;

	if (one->unit == NIL || list_length(one->unit) != list_length(other->unit))
		return false;
	forboth (left, one->unit, right, other->unit)
	{
		const Var *first = lfirst(left);
		const Var *second = lfirst(right);

		if (first->vartype != second->vartype ||
			!dp_are_alike(first->varcollid, second->varcollid))
			return false;
	}
	return true;
}

static DpOwned *
own_union(DpScope *scope, int rtindex)
{
	Query *query = scope->query;
	DpOwned *first = NULL;
	DpOwned *owned = palloc0(sizeof(DpOwned));
	List *rtindexes = NIL;
	List *alike = NIL;
	ListCell *cell;

	collect_parts(query->setOperations, &rtindexes);
	foreach (cell, rtindexes)
	{
		DpOwned *part;

		if (dp_gate_is_public(rt_fetch(lfirst_int(cell), query->rtable)))
			dp_gate_refuse("UNION ALL of protected and other rows",
						   "The result would have rows without a privacy unit: "
						   "ask about the protected ones.",
						   dp_gate_location_of_entry(query, lfirst_int(cell)));
		part = dp_gate_own_query(scope, lfirst_int(cell));
		alike = first == NULL ? part->alike
							  : list_intersection_int(alike, part->alike);
		owned->is_mixed = owned->is_mixed || part->is_mixed;
		if (first == NULL)
			first = part;
		else if (!same_types(first, part) || !dp_gate_same_people(first, part))
			dp_gate_refuse("UNION ALL of protected relations whose privacy "
						   "units are different people",
						   "Ask about each of them by itself, and add the "
						   "answers.",
						   dp_gate_location_of_entry(query, lfirst_int(cell)));
	}
	if (first == NULL)
		elog(ERROR, "a UNION ALL of nothing");
	add_unit_to_union(query, query->setOperations, first);
	owned->rtindex = rtindex;
	owned->population = first->population;
	owned->bearer = first->bearer;
	owned->bearer_unit = first->bearer_unit;
	if (owned->is_mixed) /* one part's rows may go while another's stay */
		dp_gate_note_exchange(scope);
	owned->alike = alike;
	foreach (cell, first->unit)
	{
		Var *unit = copyObject(lfirst_node(Var, cell));
		int number = list_length(query->targetList) + 1;

		query->targetList = lappend(
			query->targetList,
			makeTargetEntry((Expr *) unit, number,
							psprintf("dp_unit%d", foreach_current_index(cell)),
							false));
		unit = copyObject(unit);
		unit->varno = rtindex;
		unit->varattno = number;
		owned->unit = lappend(owned->unit, unit);
	}
	return owned;
}

DpOwned *
dp_gate_own_query(DpScope *around, int rtindex)
{
	Oid view = dp_gate_protected_view(rt_fetch(rtindex, around->query->rtable));

	return OidIsValid(view) ? dp_gate_own_view(around, rtindex, view)
							: dp_gate_own_subquery(around, rtindex);
}

DpOwned *
dp_gate_own_subquery(DpScope *around, int rtindex)
{
	RangeTblEntry *rte = rt_fetch(rtindex, around->query->rtable);
	DpScope scope = {.outer = around, .relations = around->relations};
	DpOwned *owned;
	int i;

	dp_stack_enter();
	if (rte->rtekind != RTE_SUBQUERY || rte->lateral)
		dp_gate_refuse(
			"LATERAL, or a function over protected rows, in FROM",
			"Join it by conditions of the columns instead; or write a "
			"scalar sub-query over the unit's own rows.",
			dp_gate_location_of_entry(around->query, rtindex));
	dp_flatten_take_privileges(around->query, rte);
	scope.query = rte->subquery;
	check_query(scope.query);
	dp_compat_flatten_groups(scope.query);
	dp_flatten_subqueries(scope.query);
	drop_order(scope.query);
	owned = scope.query->setOperations != NULL ? own_union(&scope, rtindex)
											   : own_plain(&scope, rtindex);
	for (i = 0; i < list_length(owned->unit); i++)
		rte->eref->colnames =
			lappend(rte->eref->colnames, makeString(psprintf("dp_unit%d", i)));
	return owned;
}
