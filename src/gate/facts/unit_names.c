/*
 * unit_names.c
 *		Columns that name the privacy unit of a row.
 */
#include "postgres.h"

#include "gate/facts/unit_names.h"

DpUnitName *
dp_names_copy(const DpUnitName *name)
{
	DpUnitName *copy = palloc(sizeof(DpUnitName));

	*copy = *name;
	return copy;
}

bool
dp_names_same_sort(const DpUnitName *one, const DpUnitName *other)
{
	return (one->population == 0) == (other->population == 0) &&
		   one->relation == other->relation && equal(one->key, other->key);
}

bool
dp_names_are_equal(const DpUnitName *one, const DpUnitName *other,
				   const DpEqualities *equal)
{
	ListCell *left;
	ListCell *right;

	if (!dp_names_same_sort(one, other) ||
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

List *
dp_names_shift(const List *names, int columns)
{
	List *result = NIL;
	ListCell *cell;
	ListCell *column;

	foreach (cell, names)
	{
		DpUnitName *name = dp_names_copy(lfirst(cell));
		List *shifted = NIL;

		foreach (column, name->columns)
			shifted = lappend_int(shifted, lfirst_int(column) + columns);
		if (name->depth == 0)
			name->columns = shifted;
		result = lappend(result, name);
	}
	return result;
}

List *
dp_names_deepen(const List *names)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, names)
	{
		DpUnitName *name = dp_names_copy(lfirst(cell));

		name->depth++;
		result = lappend(result, name);
	}
	return result;
}

/* A column of this depth that equals one of the row; -1: none. */
static int
column_around(const DpEqualities *equal, int number, int depth)
{
	ListCell *cell;

	foreach (cell, dp_equalities_class(equal, (DpColumnName){0, number}))
	{
		const DpExpr *column = lfirst(cell);

		if (column->column.depth == depth)
			return column->column.number;
	}
	return -1;
}

/* A name by columns of this depth; NULL: not all of its columns equal one. */
static DpUnitName *
name_around(const DpUnitName *name, const DpEqualities *equal, int depth)
{
	DpUnitName *around = dp_names_copy(name);
	ListCell *cell;

	around->depth = depth;
	around->columns = NIL;
	around->is_open = false; /* what equals another column is not null */
	foreach (cell, name->columns)
	{
		int number = column_around(equal, lfirst_int(cell), depth);

		if (number < 0)
			return NULL;
		around->columns = lappend_int(around->columns, number);
	}
	return around;
}

bool
dp_names_has(const List *names, const DpUnitName *name)
{
	ListCell *cell;

	foreach (cell, names)
	{
		const DpUnitName *other = lfirst(cell);

		if (other->population == name->population &&
			other->depth == name->depth && dp_names_are_equal(other, name, NIL))
			return true;
	}
	return false;
}

List *
dp_names_add_around(List *names, const DpEqualities *equal)
{
	List *result = list_copy(names);
	ListCell *cell;
	ListCell *column;

	foreach (cell, names)
	{
		const DpUnitName *name = lfirst(cell);
		DpColumnName first = {0, linitial_int(name->columns)};

		foreach (column,
				 name->depth > 0 ? NIL : dp_equalities_class(equal, first))
		{
			int depth = ((const DpExpr *) lfirst(column))->column.depth;
			DpUnitName *around =
				depth == 0 ? NULL : name_around(name, equal, depth);

			if (around != NULL && !dp_names_has(result, around))
				result = lappend(result, around);
		}
	}
	return result;
}

/* The first of some expressions that equals a column of their row; -1: none. */
static int
number_among(int column, const DpEqualities *equal, List *exprs)
{
	ListCell *cell;

	foreach (cell, exprs)
	{
		const DpExpr *same = dp_expr_column_of(lfirst(cell));

		if (same != NULL &&
			dp_equalities_has(equal, same->column, (DpColumnName){0, column}))
			return foreach_current_index(cell);
	}
	return -1;
}

bool
dp_names_is_among(const DpUnitName *name, const DpEqualities *equal,
				  List *exprs)
{
	ListCell *cell;

	foreach (cell, name->depth > 0 ? NIL : name->columns)
	{
		if (number_among(lfirst_int(cell), equal, exprs) < 0)
			return false;
	}
	return true;
}

List *
dp_names_among(const List *names, const DpEqualities *equal, List *exprs)
{
	List *result = NIL;
	ListCell *cell;
	ListCell *column;

	foreach (cell, names)
	{
		DpUnitName *name = dp_names_copy(lfirst(cell));
		List *numbers = NIL;

		if (!dp_names_is_among(name, equal, exprs))
			continue;
		foreach (column, name->depth > 0 ? NIL : name->columns)
			numbers = lappend_int(
				numbers, number_among(lfirst_int(column), equal, exprs));
		if (name->depth == 0)
			name->columns = numbers;
		result = lappend(result, name);
	}
	return result;
}

/*
 * Units
 */

const DpUnitName *
dp_names_find_value(const List *names, bool is_referring)
{
	ListCell *cell;

	foreach (cell, names)
	{
		const DpUnitName *name = lfirst(cell);

		if (name->population != 0 && name->depth == 0 &&
			name->is_referring == is_referring)
			return name;
	}
	return NULL;
}

bool
dp_names_have_value(const List *names)
{
	ListCell *cell;

	foreach (cell, names)
	{
		if (((const DpUnitName *) lfirst(cell))->population != 0)
			return true;
	}
	return false;
}

bool
dp_names_are_of_rows(const List *names)
{
	ListCell *cell;

	foreach (cell, names)
	{
		const DpUnitName *name = lfirst(cell);

		if (name->population != 0 && OidIsValid(name->relation))
			return true;
	}
	return false;
}

bool
dp_names_are_one_unit(const List *names, const List *others,
					  const DpEqualities *equal, bool is_mixed)
{
	bool by_key = false;
	ListCell *one;
	ListCell *other;

	foreach (one, names)
	{
		foreach (other, others)
		{
			if (!dp_names_are_equal(lfirst(one), lfirst(other), equal))
				continue;
			if (((const DpUnitName *) lfirst(one))->population != 0)
				return true;
			by_key = true;
		}
	}
	if (dp_names_are_of_rows(names) && dp_names_are_of_rows(others))
		return false;
	return by_key && (!is_mixed || !dp_names_have_value(names) ||
					  !dp_names_have_value(others));
}
