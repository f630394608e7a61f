/*
 * unit_keys.c
 *		Which rows are of one unit, by units and by keys that tell it.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/rel.h"

#include "gate/question/expressions/expression.h"
#include "gate/question/relations/protection.h"
#include "gate/question/rows/unit_keys.h"
#include "server/collations.h"
#include "server/unique_index.h"

/* The entry of FROM that a column is of, and its query. */
static const DpOwned *
owned_at(const DpScope *scope, const Var *column)
{
	ListCell *cell;

	if (column->varlevelsup == 1 && scope->outer != NULL)
		scope = scope->outer;
	else if (column->varlevelsup != 0)
		return NULL;
	foreach (cell, scope->owned)
	{
		const DpOwned *owned = lfirst(cell);

		if (owned->rtindex == column->varno)
			return owned;
	}
	return NULL;
}

/* The column that stands beside another one in two lists; 0: none. */
static AttrNumber
beside(const List *columns, const List *others, AttrNumber column)
{
	ListCell *one;
	ListCell *other;

	forboth (one, columns, other, others)
	{
		if (lfirst_int(one) == column)
			return (AttrNumber) lfirst_int(other);
	}
	return 0;
}

/* A column of a bearer as one of the FROM item; NULL where it is not known. */
static Var *
column_of_bearer(const DpOwned *owned, const Var *like, AttrNumber column)
{
	Var *result;

	if (!owned->is_bearer)
		column = beside(owned->known, owned->known_as, column);
	if (column == 0)
		return NULL;
	result = copyObject((Var *) like);
	result->varattno = column;
	return result;
}

bool
dp_gate_is_key(Oid relation, const List *columns)
{
	Relation rel = table_open(relation, AccessShareLock);
	bool found = false;
	ListCell *cell;

	foreach (cell, dp_gate_has_heirs(rel) ? NIL : RelationGetIndexList(rel))
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);
		bool is_key = dp_is_unique_index(index->rd_indextuple) &&
					  index->rd_index->indnkeyatts == list_length(columns);
		int i;

		for (i = 0; is_key && i < index->rd_index->indnkeyatts; i++)
			is_key =
				list_member_int(columns, index->rd_index->indkey.values[i]);
		found = found || is_key;
		index_close(index, NoLock);
	}
	table_close(rel, NoLock);
	return found;
}

List *
dp_gate_unique_keys(Oid relation)
{
	Relation rel = table_open(relation, NoLock);
	List *keys = NIL;
	ListCell *cell;

	foreach (cell, dp_gate_has_heirs(rel) ? NIL : RelationGetIndexList(rel))
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);
		List *columns = NIL;
		bool is_key = dp_is_unique_index(index->rd_indextuple);
		int i;

		for (i = 0; is_key && i < index->rd_index->indnkeyatts; i++)
		{
			AttrNumber column = index->rd_index->indkey.values[i];

			columns = lappend_int(columns, column);
			is_key = dp_gate_is_not_null(relation, column);
		}
		if (is_key)
			keys = lappend(keys, columns);
		index_close(index, NoLock);
	}
	table_close(rel, NoLock);
	return keys;
}

static bool
is_unit_of(const DpOwned *owned, const Var *column)
{
	return owned != NULL && list_length(owned->unit) == 1 &&
		   linitial_node(Var, owned->unit)->varattno == column->varattno;
}

/*
 * Two rows with one key of the relation that bears their units are one unit's.
 */
static bool
meet_one_row(const DpScope *scope, const DpEqualities *known, const Var *one,
			 const Var *other)
{
	const DpOwned *first = owned_at(scope, one);
	const DpOwned *second = owned_at(scope, other);
	ListCell *key;
	ListCell *column;

	if (!is_unit_of(first, one) || !is_unit_of(second, other) ||
		!OidIsValid(first->bearer) || first->bearer != second->bearer ||
		first->bearer_unit != second->bearer_unit)
		return false;
	foreach (key, dp_gate_unique_keys(first->bearer))
	{
		bool all = true;

		foreach (column, (List *) lfirst(key))
		{
			Var *left = column_of_bearer(first, one, lfirst_int(column));
			Var *right = column_of_bearer(second, other, lfirst_int(column));

			all = all && left != NULL && right != NULL &&
				  dp_gate_are_equal(known, left, right);
		}
		if (all)
			return true;
	}
	return false;
}

/* The same, of any of the relations whose units these are. */
static bool
have_one_key(const DpScope *scope, const DpEqualities *known, Var *one,
			 Var *other)
{
	ListCell *left;
	ListCell *right;

	foreach (left, dp_gate_equal_to(known, one))
	{
		foreach (right, dp_gate_equal_to(known, other))
		{
			if (meet_one_row(scope, known, lfirst(left), lfirst(right)))
				return true;
		}
	}
	return false;
}

void
dp_gate_check_unit_collation(const List *unit, const char *what, int location)
{
	ListCell *cell;

	foreach (cell, unit)
	{
		if (dp_is_nondeterministic(lfirst_node(Var, cell)->varcollid))
			dp_gate_refuse(what,
						   "Ask the owner for a column of another collation.",
						   location);
	}
}

bool
dp_gate_same_unit(const DpScope *scope, const DpEqualities *known, List *one,
				  List *other)
{
	ListCell *left;
	ListCell *right;

	if (one == NIL || list_length(one) != list_length(other))
		return false;
	forboth (left, one, right, other)
	{
		if (!dp_gate_are_equal(known, lfirst(left), lfirst(right)))
			return have_one_key(scope, known, linitial(one), linitial(other));
	}
	return true;
}

/* Whether a column is of a key of the relation that another one is of. */
static bool
is_of_key(const DpScope *scope, const Var *column, const Var *of)
{
	const DpOwned *owned = owned_at(scope, of);
	ListCell *key;
	ListCell *cell;

	if (owned == NULL || !OidIsValid(owned->bearer))
		return false;
	foreach (key, dp_gate_unique_keys(owned->bearer))
	{
		foreach (cell, (List *) lfirst(key))
		{
			Var *of_key = column_of_bearer(owned, of, lfirst_int(cell));

			if (of_key != NULL && dp_gate_same_column(of_key, column))
				return true;
		}
	}
	return false;
}

bool
dp_gate_is_certain(const DpScope *scope, const DpEqualities *known, Var *column,
				   List *unit)
{
	ListCell *one;
	ListCell *other;

	foreach (other, dp_gate_equal_to(known, column))
	{
		if (dp_gate_has_column(unit, lfirst(other)))
			return true;

		/* What equals the unit comes from a row that matched. */
		foreach (one, dp_gate_equal_to(known, linitial(unit)))
		{
			if (is_of_key(scope, lfirst(other), lfirst(one)))
				return true;
		}
	}
	return false;
}

bool
dp_gate_determines_unit(const DpScope *scope, List *expressions)
{
	const DpOwned *owned = owned_at(scope, linitial(scope->unit));
	List *columns = NIL;
	bool all = true;
	ListCell *key;
	ListCell *cell;

	foreach (cell, expressions)
	{
		Var *column = dp_gate_column_of(lfirst(cell));

		if (column != NULL && column->varlevelsup == 0)
			columns =
				list_concat(columns, dp_gate_equal_to(scope->equal, column));
	}
	foreach (cell, scope->unit)
		all = all && dp_gate_has_column(columns, lfirst(cell));
	if (all)
		return true;
	foreach (key, owned == NULL || !OidIsValid(owned->bearer)
					  ? NIL
					  : dp_gate_unique_keys(owned->bearer))
	{
		all = true;
		foreach (cell, (List *) lfirst(key))
		{
			Var *column = column_of_bearer(owned, linitial(scope->unit),
										   lfirst_int(cell));

			all = all && column != NULL && dp_gate_has_column(columns, column);
		}
		if (all)
			return true;
	}
	return false;
}

void
dp_gate_set_bearer(const DpScope *scope, DpOwned *owned)
{
	const Var *unit = linitial(scope->unit);
	const DpOwned *of = NULL;
	ListCell *cell;
	ListCell *other;

	foreach (cell, scope->owned)
	{
		if (((const DpOwned *) lfirst(cell))->rtindex == unit->varno)
			of = lfirst(cell);
	}
	if (of == NULL || unit->varlevelsup != 0)
		return;
	owned->bearer = of->bearer;
	owned->bearer_unit = of->bearer_unit;
	foreach (cell, scope->query->targetList)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);
		Var *column = dp_gate_column_of((Node *) entry->expr);

		if (column == NULL || column->varlevelsup != 0 || entry->resjunk)
			continue;
		foreach (other, dp_gate_equal_to(scope->equal, column))
		{
			const Var *alike = lfirst(other);
			AttrNumber column_there = alike->varattno;

			if (alike->varlevelsup != 0 || alike->varno != of->rtindex)
				continue;
			if (!of->is_bearer)
				column_there = beside(of->known_as, of->known, alike->varattno);
			if (column_there <= 0)
				continue;
			owned->known = lappend_int(owned->known, column_there);
			owned->known_as = lappend_int(owned->known_as, entry->resno);
		}
	}
}
