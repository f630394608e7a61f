/*
 * unit_rows.c
 *		Whether a privacy unit has one row, or is in one group.
 *
 * In a row of the group, the unit and the group's keys are fixed. A relation
 * with a unique key among the fixed columns has only one row there, so all its
 * columns are fixed, and what equals them, and so on. An outer joined relation
 * has that row or none; which of the two is fixed only if its join condition
 * is.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "gate/question/rows/join_conditions.h"
#include "gate/question/rows/lookup_keys.h"
#include "gate/question/rows/unit_rows.h"

static bool
is_known_column(const Var *column, const DpKnown *known)
{
	return column->varlevelsup == 0 &&
		   (bms_is_member(column->varno, known->rtindexes) ||
			dp_gate_has_column(known->columns, column));
}

static void
add_column(DpKnown *known, Var *column)
{
	if (!dp_gate_has_column(known->columns, column))
		known->columns = lappend(known->columns, column);
}

/* What equals something known is known. */
static void
add_equal(const DpScope *scope, DpKnown *known)
{
	ListCell *class;
	ListCell *cell;

	foreach (class, scope->equal)
	{
		bool is_known = false;

		foreach (cell, (List *) lfirst(class))
			is_known = is_known || is_known_column(lfirst(cell), known);
		foreach (cell, is_known ? (List *) lfirst(class) : NIL)
			add_column(known, lfirst(cell));
	}
}

/* The same for conditions that compare a column with an expression. */
static void
add_compared(const DpScope *scope, DpKnown *known)
{
	ListCell *cell;

	foreach (cell, make_ands_implicit(
					   (Expr *) dp_gate_inner_conditions(scope->query)))
	{
		OpExpr *op = lfirst(cell);
		int side;

		if (!IsA(op, OpExpr) || list_length(op->args) != 2)
			continue;
		for (side = 0; side < 2; side++)
		{
			Var *column = dp_gate_column_of(list_nth(op->args, side));

			if (column != NULL && column->varlevelsup == 0 &&
				dp_gate_equates((Node *) op, column) &&
				dp_gate_is_known(list_nth(op->args, 1 - side), known))
				add_column(known, column);
		}
	}
}

static bool
has_known_key(const DpOwned *owned, const List *key, const DpKnown *known)
{
	ListCell *cell;

	foreach (cell, key)
	{
		if (!is_known_column(makeVar(owned->rtindex, lfirst_int(cell), INT4OID,
									 -1, InvalidOid, 0),
							 known))
			return false;
	}
	return true;
}

static bool
has_one_row(const DpOwned *owned, const DpKnown *known)
{
	ListCell *cell;

	foreach (cell, owned->row_keys)
	{
		if (has_known_key(owned, lfirst(cell), known))
			return true;
	}
	return false;
}

static DpPublic *
public_at(const DpScope *scope, const DpPublicJoin *join)
{
	return dp_gate_public_of(scope->relations,
							 rt_fetch(join->rtindex, scope->query->rtable));
}

/* Whether an entry is on the nullable side of a join, and of which. */
static bool
find_nullable(Node *node, int rtindex, const JoinExpr **join, bool *is_below)
{
	ListCell *cell;

	if (IsA(node, RangeTblRef))
		return ((RangeTblRef *) node)->rtindex == rtindex;
	if (IsA(node, FromExpr))
	{
		foreach (cell, ((FromExpr *) node)->fromlist)
		{
			if (find_nullable(lfirst(cell), rtindex, join, is_below))
				return true;
		}
		return false;
	}
	if (find_nullable(((JoinExpr *) node)->larg, rtindex, join, is_below))
		return true;
	if (!find_nullable(((JoinExpr *) node)->rarg, rtindex, join, is_below))
		return false;
	if (((JoinExpr *) node)->jointype == JOIN_LEFT)
	{
		*is_below =
			*join != NULL || !IsA(((JoinExpr *) node)->rarg, RangeTblRef);
		*join = (const JoinExpr *) node;
	}
	return true;
}

/*
 * An entry that has at most one row. All of it is known, unless it is joined
 * outer by a condition that is not.
 */
static void
add_single(const DpScope *scope, int rtindex, DpKnown *known)
{
	const JoinExpr *join = NULL;
	bool is_below = false;
	DpKnown with_it = *known;

	(void) find_nullable((Node *) scope->query->jointree, rtindex, &join,
						 &is_below);
	if (join != NULL)
	{
		with_it.rtindexes = bms_add_member(bms_copy(known->rtindexes), rtindex);
		if (is_below || !dp_gate_is_known(join->quals, &with_it))
			return;
	}
	known->rtindexes = bms_add_member(known->rtindexes, rtindex);
}

/* What is known of an entry where it is met: its unit, too. */
static DpKnown
known_where_met(const DpOwned *owned, const DpKnown *known)
{
	DpKnown result = {known->rtindexes, list_copy(known->columns)};
	ListCell *cell;

	foreach (cell, owned->unit)
		add_column(&result, lfirst(cell));
	return result;
}

/* The entries of FROM that have at most one row, by what is known. */
static int
count_single(const DpScope *scope, DpKnown *known)
{
	int count = 0;
	ListCell *cell;

	foreach (cell, scope->owned)
	{
		const DpOwned *owned = lfirst(cell);
		DpKnown there = known_where_met(owned, known);

		if (!has_one_row(owned, &there))
			continue;
		add_single(scope, owned->rtindex, known);
		count++;
	}
	foreach (cell, scope->publics)
	{
		const DpPublicJoin *join = lfirst(cell);

		if (!bms_is_member(join->rtindex, known->rtindexes))
		{
			if (dp_gate_find_key(join, public_at(scope, join), known) == NIL)
				continue;
			add_single(scope, join->rtindex, known);
		}
		count++;
	}
	return count;
}

/*
 * Adds all that follows from what is known. True if every entry of FROM has
 * one row.
 */
static bool
spread(const DpScope *scope, DpKnown *known)
{
	int all = list_length(scope->owned) + list_length(scope->publics);
	int count = 0;
	int before;
	ListCell *cell;

	foreach (cell, scope->unit)
		add_column(known, lfirst(cell));
	do
	{
		before = count + bms_num_members(known->rtindexes);
		add_equal(scope, known);
		add_compared(scope, known);
		count = count_single(scope, known);
	} while (count + bms_num_members(known->rtindexes) > before);
	return count == all;
}

/* The following functions are for sub-queries. */

/* The keys of groups or distinct rows that the unit does not tell. */
static void
add_clauses(List *clauses, const Query *query, const DpKnown *known,
			List **keys)
{
	List *columns = NIL;
	ListCell *cell;

	if (clauses == NIL)
		return;
	foreach (cell, clauses)
	{
		const TargetEntry *entry =
			get_sortgroupclause_tle(lfirst(cell), query->targetList);

		if (dp_gate_is_known((Node *) entry->expr, known))
			continue;
		if (entry->resjunk)
			return;
		columns = lappend_int(columns, entry->resno);
	}
	*keys = lappend(*keys, columns);
}

/* A column of the result that equals one of an entry; 0: none. */
static int
result_column(const DpScope *scope, Var *column)
{
	ListCell *cell;

	foreach (cell, scope->query->targetList)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, cell);
		const Var *result = dp_gate_column_of((Node *) entry->expr);

		if (result != NULL && !entry->resjunk &&
			dp_gate_are_equal(scope->equal, column, result))
			return entry->resno;
	}
	return 0;
}

/* Makes one more entry known, by a key whose columns are in the result. */
static bool
add_entry(const DpScope *scope, const DpOwned *owned, DpKnown *known,
		  List **columns)
{
	ListCell *key;
	ListCell *cell;

	foreach (key, owned->row_keys)
	{
		List *found = NIL;
		bool all = true;

		foreach (cell, (List *) lfirst(key))
		{
			Var *column = makeVar(owned->rtindex, lfirst_int(cell), INT4OID, -1,
								  InvalidOid, 0);
			int result;

			if (is_known_column(column, known))
				continue;
			result = result_column(scope, column);
			all = all && result > 0;
			found = lappend_int(found, result);
		}
		if (!all)
			continue;
		*columns = list_concat_unique_int(*columns, found);
		foreach (cell, (List *) lfirst(key))
			add_column(known, makeVar(owned->rtindex, lfirst_int(cell), INT4OID,
									  -1, InvalidOid, 0));
		return true;
	}
	return false;
}

/* A key of rows that are made of several entries, one of them first. */
static void
add_joined(const DpScope *scope, int first, List **keys)
{
	DpKnown known = {NULL, NIL};
	List *columns = NIL;
	bool all = spread(scope, &known);
	int count = list_length(scope->owned);
	int i;

	for (i = 0; i < count && !all; i++)
	{
		const DpOwned *owned = list_nth(scope->owned, (first + i) % count);

		if (bms_is_member(owned->rtindex, known.rtindexes))
			continue;
		if (!add_entry(scope, owned, &known, &columns))
			return;
		all = spread(scope, &known);
	}
	if (all)
		*keys = lappend(*keys, columns);
}

List *
dp_gate_row_keys(const DpScope *scope)
{
	const Query *query = scope->query;
	DpKnown known = {NULL, NIL};
	List *keys = NIL;
	int i;

	(void) spread(scope, &known);
	add_clauses(query->distinctClause, query, &known, &keys);
	if (query->groupClause != NIL || query->hasAggs)
		add_clauses(query->groupClause, query, &known, &keys);
	else
	{
		for (i = 0; i < list_length(scope->owned); i++)
			add_joined(scope, i, &keys);
	}
	return keys;
}

/* The following functions are for the block. */

void
dp_gate_derive_rows(const DpScope *scope)
{
	dp_gate_derive_grouped_rows(
		scope,
		get_sortgrouplist_exprs(scope->query->groupClause,
								scope->query->targetList),
		&scope->relations->one_row, &scope->relations->one_group);
}

void
dp_gate_derive_grouped_rows(const DpScope *scope, List *keys, bool *one_row,
							bool *one_group)
{
	DpKnown by_unit = {NULL, NIL};
	DpKnown by_group = {NULL, NIL};
	ListCell *cell;

	(void) spread(scope, &by_unit);
	*one_group = keys != NIL;
	foreach (cell, keys)
	{
		Node *key = lfirst(cell);
		Var *column = dp_gate_column_of(key);

		if (!dp_gate_is_known(key, &by_unit))
			*one_group = false;
		if (column != NULL && column->varlevelsup == 0)
			add_column(&by_group, column);
	}
	*one_row = spread(scope, &by_group);
}
