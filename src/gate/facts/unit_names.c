/*
 * unit_names.c
 *		Columns that name the privacy unit of a row.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "server/collations.h"

/*
 * Names by other columns
 */

DpUnitName *
dp_names_move(const DpUnitName *name, DpNamePlace place, const void *context)
{
	DpUnitName *moved = palloc(sizeof(DpUnitName));
	ListCell *cell;

	*moved = *name;
	moved->columns = NIL;
	foreach (cell, name->columns)
	{
		int column = place(lfirst_int(cell), context);

		if (column < 0)
			return NULL;
		moved->columns = lappend_int(moved->columns, column);
	}
	return moved;
}

/* Those that can be moved; those by columns of rows around stay. */
static List *
move_all(const List *names, DpNamePlace place, const void *context)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, names)
	{
		DpUnitName *name = lfirst(cell);

		if (name->depth == 0)
			name = dp_names_move(name, place, context);
		if (name != NULL)
			result = lappend(result, name);
	}
	return result;
}

static int
place_in_scan(int attribute, const void *context)
{
	const DpScan *scan = context;

	return dp_node_place(scan->attributes, scan->node.ncolumns, attribute);
}

List *
dp_names_in_scan(const List *names, const DpScan *scan)
{
	return move_all(names, place_in_scan, scan);
}

static int
later(int column, const void *context)
{
	return column + *(const int *) context;
}

List *
dp_names_shift(const List *names, int columns)
{
	return move_all(names, later, &columns);
}

List *
dp_names_deepen(const List *names)
{
	const int none = 0;
	List *result = NIL;

	foreach_ptr (const DpUnitName, one, names)
	{
		DpUnitName *name = dp_names_move(one, later, &none);

		name->depth++;
		result = lappend(result, name);
	}
	return result;
}

/* Expressions over a row, or columns of a row around it. */
typedef struct Places
{
	const DpEqualities *equal;
	List *exprs;
	int depth;
} Places;

/* The first expression that equals a column. */
static int
place_among(int column, const void *context)
{
	const Places *places = context;

	foreach_ptr (const DpExpr, expr, places->exprs)
	{
		const DpExpr *same = dp_expr_column_of(expr);

		if (same != NULL && dp_equalities_has(places->equal, same->column,
											  (DpColumnName){0, column}))
			return foreach_current_index(expr);
	}
	return -1;
}

List *
dp_names_among(const List *names, const DpEqualities *equal, List *exprs)
{
	Places places = {equal, exprs, 0};

	return move_all(names, place_among, &places);
}

/* A column around that equals one of the row. */
static int
place_around(int column, const void *context)
{
	const Places *places = context;

	foreach_ptr (const DpExpr, expr,
				 dp_equalities_class(places->equal, (DpColumnName){0, column}))
	{
		DpColumnName name = expr->column;

		if (name.depth == places->depth)
			return name.number;
	}
	return -1;
}

static bool
has_same_sort(const DpUnitName *one, const DpUnitName *other)
{
	return !one->is_loose && !other->is_loose &&
		   (one->population == 0) == (other->population == 0) &&
		   one->relation == other->relation && equal(one->key, other->key);
}

/* Whether two names have equal values in a row. */
static bool
are_equal(const DpUnitName *one, const DpUnitName *other,
		  const DpEqualities *equal)
{
	ListCell *left;
	ListCell *right;

	if (!has_same_sort(one, other) ||
		list_length(one->columns) != list_length(other->columns))
		return false;
	forboth (left, one->columns, right, other->columns)
	{
		DpColumnName first = {one->depth, lfirst_int(left)};
		DpColumnName second = {other->depth, lfirst_int(right)};

		if (!dp_equalities_has(equal, first, second))
			return false;
	}
	return true;
}

/* The first of some names that a name equals, of the same population; or NULL. */
static const DpUnitName *
find_equal(const List *names, const DpUnitName *name, const DpEqualities *equal)
{
	foreach_ptr (const DpUnitName, other, names)
	{
		if (other->population == name->population &&
			other->depth == name->depth && are_equal(other, name, equal))
			return other;
	}
	return NULL;
}

List *
dp_names_add_around(List *names, const DpEqualities *equal)
{
	List *result = list_copy(names);
	ListCell *column;

	foreach_ptr (const DpUnitName, name, names)
	{
		DpColumnName first = {0, linitial_int(name->columns)};

		foreach (column,
				 name->depth > 0 ? NIL : dp_equalities_class(equal, first))
		{
			Places places = {equal, NIL,
							 ((const DpExpr *) lfirst(column))->column.depth};
			DpUnitName *around =
				places.depth == 0 ? NULL
								  : dp_names_move(name, place_around, &places);

			if (around == NULL)
				continue;
			around->depth = places.depth;
			around->is_open = false; /* what equals another is not null */
			if (find_equal(result, around, NIL) == NULL)
				result = lappend(result, around);
		}
	}
	return result;
}

/*
 * Unions
 */

/* Whether a name's columns are of one type, and told apart alike, in all inputs. */
static bool
is_alike(const DpNode *node, const DpUnitName *name)
{
	ListCell *cell;
	int i;

	foreach (cell, name->depth > 0 ? NIL : name->columns)
	{
		const DpType *first = &node->inputs[0]->columns[lfirst_int(cell)].type;

		for (i = 1; i < node->ninputs; i++)
		{
			const DpType *type =
				&node->inputs[i]->columns[lfirst_int(cell)].type;

			if (type->oid != first->oid ||
				!dp_are_alike(type->collation, first->collation))
				return false;
		}
	}
	return true;
}

/* Whether all inputs have a name in these columns; what it is worth in all. */
static bool
is_of_all(const DpNode *node, DpUnitName *name, int *without)
{
	int i;

	for (i = 0; i < node->ninputs; i++)
	{
		const DpFacts *facts = node->inputs[i]->facts;
		const DpUnitName *other =
			find_equal(facts->owner.names, name, facts->equal);

		if (other == NULL)
		{
			*without = Max(*without, i);
			return false;
		}
		name->is_open |= other->is_open;
	}
	return is_alike(node, name);
}

List *
dp_names_of_all(const DpNode *node, int *without)
{
	const DpFacts *first = node->inputs[0]->facts;
	List *result = NIL;

	*without = 0;
	foreach_ptr (const DpUnitName, name, first->owner.names)
	{
		int own = linitial_int(name->columns);
		Bitmapset *columns = name->depth > 0 || list_length(name->columns) > 1
								 ? bms_make_singleton(own)
								 : dp_equalities_of_column(first->equal, own);
		int column = -1;

		while ((column = bms_next_member(columns, column)) >= 0)
		{
			int by = column - own;
			DpUnitName *same = dp_names_move(name, later, &by);

			if (!is_of_all(node, same, without))
				continue;
			if (find_equal(result, same, NIL) == NULL)
				result = lappend(result, same);
			break;
		}
	}
	return result;
}

/*
 * Units
 */

bool
dp_names_are_one_unit(const List *names, const List *others,
					  const DpEqualities *equal, bool by_keys)
{
	foreach_ptr (const DpUnitName, name, names)
	{
		foreach_ptr (const DpUnitName, one,
					 name->population != 0 || by_keys ? others : NIL)
		{
			if (are_equal(name, one, equal))
				return true;
		}
	}
	return false;
}
