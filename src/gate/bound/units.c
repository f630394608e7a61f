/*
 * units.c
 *		Bounds what a privacy unit contributes, in the inner statement.
 *
 * The server does the work, in two aggregations, both of which it may hash,
 * the first in parallel:
 *
 *		SELECT key, sum_of_units(..., partial)
 *		FROM (SELECT unit, key, sum_state(value ...) FILTER (...) AS partial
 *			  FROM relation WHERE ... AND unit IS NOT NULL GROUP BY unit, key)
 *		GROUP BY key
 *
 * The first adds up the rows of each unit (in each group). The second bounds
 * each unit's partial result, adds these up (mechanisms/unit.h says how far
 * one unit may change the sum), and adds the noise in its final functions.
 * Where a unit may be in more groups than it may count in, the first keeps
 * some of its groups, chosen at random among those that can be released:
 *
 *		SELECT unit, key, ..., choose(groups) OVER (PARTITION BY unit)
 *
 * For that the server would sort by unit. In its place a node of our own has
 * groups, states and choice in one table (gate/run/unit_groups.h); the server's
 * way is taken where it cannot be used: where states grow, and so may not be in
 * a hash table, and in the library for recorded tests. Nothing is chosen where
 * keys have so few values that all groups count. The number of different values,
 * if it is the only aggregate, may take a single aggregation
 * (dp_unit_aggregates_of_pairs).
 *
 * The conditions and all other expressions over the relation's columns stay in
 * the first aggregation, under the owner's rights, as they were checked. The
 * only addition is the unit, which is compared for equality.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "gate/bound/key_condition.h"
#include "gate/bound/unit_aggregates.h"
#include "gate/bound/units.h"
#include "gate/read/contribution.h"
#include "gate/relations/private_aggregates.h"
#include "server/compat.h"
#include "server/queries.h"

/* Leaves out rows without a unit: AND unit IS NOT NULL, where it may be. */
static void
leave_out_nulls(Query *query, const DpRelations *relations)
{
	ListCell *cell;
	ListCell *certain;

	forboth (cell, relations->unit, certain, relations->certain)
	{
		const Var *unit = lfirst(cell);
		NullTest *test = makeNode(NullTest);

		if (unit->varattno < 0 || (!relations->several && lfirst_int(certain)))
			continue;
		test->arg = copyObject((Expr *) unit);
		test->nulltesttype = IS_NOT_NULL;
		test->location = -1;
		query->jointree->quals =
			make_and_qual(query->jointree->quals, (Node *) test);
	}
}

/* GROUP BY an expression. */
static SortGroupClause *
group_by_unit(const Var *unit, Index reference)
{
	SortGroupClause *clause = makeNode(SortGroupClause);
	Oid type = getBaseType(unit->vartype);

	clause->tleSortGroupRef = reference;
	get_sort_group_operators(type, false, false, false, &clause->sortop,
							 &clause->eqop, NULL, &clause->hashable);
	dp_contribution_check_type(unit->vartype);
	return clause;
}

/* A further column of a statement's result. */
static TargetEntry *
add_column(Query *query, Node *expression, const char *prefix)
{
	int number = list_length(query->targetList) + 1;

	return dp_query_add_target(query, expression,
							   psprintf("%s%d", prefix, number));
}

/* Texts are told apart byte by byte, as every deterministic collation does. */
static Node *
byte_order(Node *unit)
{
	Oid collation = exprCollation(unit);

	if (!OidIsValid(collation) || !get_collation_isdeterministic(collation))
		return unit;
	return (Node *) makeRelabelType((Expr *) unit, exprType(unit),
									exprTypmod(unit), C_COLLATION_OID,
									COERCE_IMPLICIT_CAST);
}

/* PARTITION BY a column that a statement groups by; texts in byte order. */
static SortGroupClause *
partition_by(Query *query, TargetEntry *entry)
{
	Node *order = byte_order((Node *) entry->expr);

	if (order != (Node *) entry->expr)
	{
		entry = add_column(query, copyObject(order), "s");
		entry->resjunk = true;
		entry->ressortgroupref = (Index) list_length(query->targetList) +
								 (Index) list_length(query->groupClause);
	}
	return dp_query_clause(entry, true);
}

/*
 * SELECT choose(groups) OVER (PARTITION BY unit), as a further column of a statement
 * whose first unit_columns columns are the unit, and the next ones the keys. Returns the
 * column.
 */
static TargetEntry *
mark_groups(Query *units, int unit_columns, int key_columns, uint32 groups)
{
	WindowFunc *mark = makeNode(WindowFunc);
	WindowClause *window = makeNode(WindowClause);
	Oid number = INT4OID;
	TargetEntry *entry;
	int i;

	mark->winfnoid =
		LookupFuncName(list_make2(makeString("dp_noise"), makeString("choose")),
					   1, &number, false);
	mark->wintype = BOOLOID;
	mark->args =
		list_make1(makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
							 Int32GetDatum((int32) groups), false, true));
	mark->winref = 1;
	mark->location = -1;
	entry = add_column(units, (Node *) mark, "m");
	for (i = 0; i < unit_columns; i++)
		window->partitionClause =
			lappend(window->partitionClause,
					partition_by(units, list_nth(units->targetList, i)));
#ifdef DP_RECORD
	/* The same groups whatever other units there are (random/record.h). */
	for (i = unit_columns; i < unit_columns + key_columns; i++)
		window->orderClause =
			lappend(window->orderClause,
					partition_by(units, list_nth(units->targetList, i)));
#else
	(void) key_columns;
#endif
	window->frameOptions = FRAMEOPTION_DEFAULTS;
	window->winref = 1;
	units->windowClause = list_make1(window);
	units->hasWindowFuncs = true;
	return entry;
}

/*
 * CASE WHEN condition THEN true END IS NOT NULL: the same for WHERE. The
 * planner knows nothing about computed values and would expect few rows to
 * pass the condition itself; but it expects most values not to be null.
 */
static Node *
expect_most(Node *condition)
{
	CaseWhen *when = makeNode(CaseWhen);
	CaseExpr *expression = makeNode(CaseExpr);
	NullTest *test = makeNode(NullTest);

	when->expr = (Expr *) condition;
	when->result = (Expr *) makeBoolConst(true, false);
	when->location = -1;
	expression->casetype = BOOLOID;
	expression->args = list_make1(when);
	expression->defresult = (Expr *) makeBoolConst(false, true);
	expression->location = -1;
	test->arg = (Expr *) expression;
	test->nulltesttype = IS_NOT_NULL;
	test->location = -1;
	return (Node *) test;
}

/*
 * Leaves out groups that are not in the domains of their keys. units: the statement
 * whose first unit_columns columns are the unit, and the next ones the keys; query: that
 * one, or what reads it. all: also where no row is known to be outside. Returns how
 * many groups there can then be, at most; 0: unknown.
 */
static uint64
leave_out_others(Query *query, Query *units, int unit_columns, List *keys,
				 List *clauses, bool all)
{
	ListCell *column = list_nth_cell(units->targetList, unit_columns);
	uint64 groups = 1;
	ListCell *cell;
	ListCell *clause;

	forboth (cell, keys, clause, clauses)
	{
		const DpKey *key = lfirst(cell);
		const TargetEntry *entry = lfirst(column);
		uint64 values;
		Node *condition =
			dp_key_condition(key,
							 query == units ? (Node *) entry->expr
											: (Node *) dp_query_column(entry),
							 lfirst(clause), &values);

		if (condition != NULL && (all || key->is_open))
		{
			query->hasSubLinks |= checkExprHasSubLink(condition);
			query->jointree->quals = make_and_qual(
				query->jointree->quals,
				IsA(strip_implicit_coercions((Node *) key->expression), Var)
					? condition
					: expect_most(condition));
		}
		groups = Min(groups, PG_UINT32_MAX) * Min(values, PG_UINT32_MAX);
		column = lnext(units->targetList, column);
	}
	return groups;
}

/*
 * Whether a choice costs nothing, since a node makes it together with the groups
 * (gate/run/unit_groups.h): states are in a hash table.
 */
static bool
is_choice_free(Query *units)
{
#ifdef DP_RECORD
	(void) units;
	return false;
#else

	foreach_ptr (TargetEntry, entry, units->targetList)
	{
		const Expr *column = entry->expr;

		if (IsA(column, Aggref) &&
			dp_unit_aggregates_hold_values((const Aggref *) column))
			return false;
	}
	return true;
#endif
}

/*
 * Keeps this many groups of a unit: WHERE mark. Where the keys' domains, to which
 * the statement itself keeps, have no more combinations, all of them; a choice
 * that leaves out nothing is written where it is free.
 */
static Query *
choose_groups(Query *units, int unit_columns, List *keys, List *clauses,
			  uint32 groups)
{
	Query *outer = dp_query_over(units, "dp_units");
	uint64 most =
		leave_out_others(outer, units, unit_columns, keys, clauses, true);
	TargetEntry *mark;

	if (most > 0 && most <= groups && !is_choice_free(units))
		return outer;
	(void) leave_out_others(units, units, unit_columns, keys, clauses, false);
	mark = mark_groups(units, unit_columns, list_length(clauses), groups);
	outer = dp_query_over(units, "dp_units");
	outer->jointree->quals = (Node *) dp_query_column(mark);
	return outer;
}

/* The first aggregation: one row for each unit in each group. */
static void
aggregate_units(Query *query, List *unit, DpContribution contribution)
{
	List *columns = query->targetList;
	int last = list_length(query->groupClause);
	ListCell *cell;

	query->targetList = NIL;
	foreach (cell, unit)
	{
		TargetEntry *entry = add_column(query, copyObject(lfirst(cell)), "u");

		entry->ressortgroupref = (Index) ++last;
		query->groupClause =
			lappend(query->groupClause,
					group_by_unit(lfirst(cell), entry->ressortgroupref));
	}
	foreach_node (TargetEntry, column, columns)
	{
		if (column->ressortgroupref > 0)
			add_column(query, (Node *) column->expr, "k")->ressortgroupref =
				column->ressortgroupref;
		else
			(void) add_column(query,
							  (Node *) dp_unit_aggregates_partial(
								  castNode(Aggref, column->expr), contribution),
							  "p");
	}
}

Query *
dp_units_group(Query *inner, const DpRelations *relations)
{
	leave_out_nulls(inner, relations);
	aggregate_units(inner, relations->unit,
					dp_contribution_of_row(DP_ADD_REMOVE));
	return inner;
}

/* Goes on to the next aggregate, which has parameters of its own. */
static void
next_aggregate(DpOpenChoices *choices)
{
	if (choices->parameter > 0)
		choices->parameter++;
	if (choices->mechanism > 0)
		choices->mechanism++;
	if (choices->cap > 0)
		choices->cap++;
}

/*
 * Replaces one aggregation by two, the second grouped by the first keys alone.
 */
static Query *
aggregate_twice(Query *inner, List *unit, List *keys, int shown,
				DpContribution contribution, DpOpenChoices choices)
{
	List *columns = inner->targetList;
	List *clauses = copyObject(inner->groupClause);
	Query *outer;
	ListCell *partial;

	aggregate_units(inner, unit, contribution);
	outer = choose_groups(inner, list_length(unit), keys, clauses,
						  clauses == NIL ? 1 : contribution.groups);
	outer->hasAggs = true;
	outer->groupClause = list_truncate(clauses, shown);
	partial = list_nth_cell(inner->targetList, list_length(unit));
	foreach_node (TargetEntry, column, columns)
	{
		Node *value = (Node *) dp_query_column(lfirst(partial));

		partial = lnext(inner->targetList, partial);
		if ((int) column->ressortgroupref > shown)
			continue;
		if (column->ressortgroupref > 0)
			add_column(outer, value, "k")->ressortgroupref =
				column->ressortgroupref;
		else
		{
			(void) add_column(outer,
							  (Node *) dp_unit_aggregates_of_units(
								  castNode(Aggref, column->expr), value,
								  contribution, choices),
							  "a");
			next_aggregate(&choices);
		}
	}
	return outer;
}

/*
 * One aggregation, where the only aggregate sorts units and values itself. With
 * keys there would be a sort for each group.
 */
static bool
aggregate_pairs(Query *inner, List *unit, DpContribution contribution,
				DpOpenChoices choices)
{
	TargetEntry *column = linitial_node(TargetEntry, inner->targetList);
	Aggref *pairs;

	if (inner->groupClause != NIL || list_length(unit) != 1 ||
		list_length(inner->targetList) != 1 || !IsA(column->expr, Aggref) ||
		!dp_private_aggregates_is_one(((Aggref *) column->expr)->aggfnoid))
		return false;
	pairs = dp_unit_aggregates_of_pairs((Aggref *) column->expr, linitial(unit),
										contribution, choices);
	if (pairs == NULL)
		return false;
	column->expr = (Expr *) pairs;
	return true;
}

/*
 * Whether an aggregate must be of the form for releases, also where units are
 * rows: its state would grow without bounds, or only that form gives its sums.
 */
static bool
needs_form(const Aggref *aggref)
{
	const DpAggregateTraits *traits = dp_private_aggregates_traits(aggref);

	return traits->sums > 0 || !traits->has_fixed_state;
}

Query *
dp_units_bound(Query *inner, const DpRelations *relations, List *keys,
			   int shown, DpContribution contribution, DpOpenChoices choices)
{
	leave_out_nulls(inner, relations);
	if (relations->several &&
		aggregate_pairs(inner, relations->unit, contribution, choices))
		return inner;
	if (relations->several)
		return aggregate_twice(inner, relations->unit, keys, shown,
							   contribution, choices);
	if (contribution.neighbours == DP_ADD_REMOVE)
		contribution = dp_contribution_of_row(DP_ADD_REMOVE);
	foreach_node (TargetEntry, column, inner->targetList)
	{
		if (IsA(column->expr, Aggref) &&
			dp_private_aggregates_is_one(
				castNode(Aggref, column->expr)->aggfnoid) &&
			(contribution.neighbours == DP_SUBSTITUTE || choices.by_rho ||
			 choices.epsilon > 0 || choices.parameter > 0 ||
			 needs_form((Aggref *) column->expr)))
		{
			column->expr = (Expr *) dp_unit_aggregates_of_rows(
				(Aggref *) column->expr, contribution, choices);
			next_aggregate(&choices);
		}
	}
	return inner;
}
