/*
 * unit_names.c
 *		Columns that name the privacy unit of a row.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/lsyscache.h"

#include "gate/facts/facts.h"
#include "gate/facts/unique_keys.h"
#include "gate/facts/unit_names.h"
#include "gate/question/relations/protection.h"
#include "server/collations.h"
#include "server/stack.h"

/* Steps of paths that are looked at for names; reading refuses as many. */
#define MOST_STEPS 100

static DpUnitName *
copy_name(const DpUnitName *name)
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

/*
 * Names of relations. Their columns are numbers of attributes, until they are
 * found among those of a scan.
 */

static DpUnitName *
make_name(Oid relation, List *key, List *columns)
{
	DpUnitName *name = palloc0(sizeof(DpUnitName));

	name->relation = relation;
	name->key = key;
	name->columns = columns;
	return name;
}

static DpUnitName *
value_of(const DpProtection *protection)
{
	DpUnitName *name =
		make_name(InvalidOid, NIL, list_make1_int(protection->unit));

	name->population = protection->population;
	return name;
}

/* What identifies a row: where it is, in which of several tables. */
static DpUnitName *
row_of(const DpProtection *protection)
{
	Oid relation = protection->relation;
	List *columns = list_make1_int(SelfItemPointerAttributeNumber);
	DpUnitName *name;

	if (get_rel_relkind(relation) != RELKIND_RELATION || has_subclass(relation))
		columns = lcons_int(TableOidAttributeNumber, columns);
	name = make_name(relation, NIL, columns);
	name->population = protection->population;
	return name;
}

/* The names of what a relation refers to, by the columns that refer. */
static List *
translate(List *names, const List *keys, const List *columns)
{
	List *result = NIL;
	ListCell *cell;
	ListCell *column;

	foreach (cell, names)
	{
		DpUnitName *name = copy_name(lfirst(cell));
		List *referring = NIL;

		foreach (column, name->columns)
		{
			int i = list_length(keys);

			while (--i >= 0 && list_nth_int(keys, i) != lfirst_int(column))
				;
			if (i < 0)
				break;
			referring = lappend_int(referring, list_nth_int(columns, i));
		}
		if (list_length(referring) < list_length(name->columns))
			continue;
		name->columns = referring;
		name->is_open = false; /* a null refers to nothing */
		name->is_referring = name->population != 0;
		result = lappend(result, name);
	}
	return result;
}

static List *
names_of(Oid relation, int steps)
{
	const DpProtection *protection = dp_gate_protection(relation);
	List *names = NIL;
	ListCell *cell;

	dp_stack_enter();
	if (!protection->is_protected || steps > MOST_STEPS)
		return NIL;
	if (protection->unit > 0)
		names = list_make1(value_of(protection));
	else if (protection->unit == 0 &&
			 get_rel_relkind(relation) != RELKIND_FOREIGN_TABLE)
		names = list_make1(row_of(protection));
	else if (protection->unit == DP_UNIT_BY_PATH &&
			 OidIsValid(protection->path_relation))
		names = translate(names_of(protection->path_relation, steps + 1),
						  protection->path_keys, protection->path_columns);
	foreach (cell, dp_unique_keys_of(relation))
	{
		const DpUniqueKey *key = lfirst(cell);
		DpUnitName *name = make_name(relation, key->columns, key->columns);

		name->is_open = !key->is_not_null;
		names = lappend(names, name);
	}
	return names;
}

/* Where a scan has some attributes; NIL where it lacks one. */
static List *
columns_of_scan(const DpScan *scan, const List *attributes)
{
	List *columns = NIL;
	ListCell *cell;
	int i;

	foreach (cell, attributes)
	{
		for (i = 0; i < scan->node.ncolumns; i++)
		{
			if (scan->attributes[i] == lfirst_int(cell))
				break;
		}
		if (i == scan->node.ncolumns)
			return NIL;
		columns = lappend_int(columns, i);
	}
	return columns;
}

List *
dp_names_of_scan(const DpScan *scan)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, names_of(scan->relation, 0))
	{
		DpUnitName *name = copy_name(lfirst(cell));

		name->columns = columns_of_scan(scan, name->columns);
		if (name->columns != NIL)
			result = lappend(result, name);
	}
	return result;
}

/*
 * Names in rows
 */

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
		DpUnitName *name = copy_name(lfirst(cell));
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
		DpUnitName *name = copy_name(lfirst(cell));

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
	DpUnitName *around = copy_name(name);
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

static bool
has_name(const List *names, const DpUnitName *name)
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

			if (around != NULL && !has_name(result, around))
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
		DpUnitName *name = copy_name(lfirst(cell));
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
 * Unions
 */

/* The columns in which two names may be one; NULL where there are none. */
static Bitmapset **
common_columns(Bitmapset **columns, const DpUnitName *name, const DpNode *input)
{
	int count = list_length(name->columns);
	Bitmapset **result = palloc(count * sizeof(Bitmapset *));
	int i;

	for (i = 0; i < count; i++)
	{
		result[i] = bms_intersect(
			columns[i],
			dp_equalities_of_column(input->facts->equal,
									list_nth_int(name->columns, i)));
		if (bms_is_empty(result[i]))
			return NULL;
	}
	return result;
}

/* The same columns in an input of a union, if it has such a name. */
static Bitmapset **
find_in_input(DpUnitName *name, Bitmapset **columns, const DpNode *input)
{
	ListCell *cell;

	foreach (cell, input->facts->owner.names)
	{
		const DpUnitName *other = lfirst(cell);
		Bitmapset **common = columns;

		if (!dp_names_same_sort(name, other) ||
			name->population != other->population ||
			name->depth != other->depth ||
			list_length(name->columns) != list_length(other->columns))
			continue;
		if (name->depth == 0)
			common = common_columns(columns, other, input);
		else if (!equal(name->columns, other->columns))
			continue;
		if (common == NULL)
			continue;
		name->is_referring = name->is_referring || other->is_referring;
		name->is_open = name->is_open || other->is_open;
		return common;
	}
	return NULL;
}

/* Columns in which no input has another type, or other equal values. */
static Bitmapset *
alike_columns(const DpNode *node)
{
	Bitmapset *columns = NULL;
	int column;
	int i;

	for (column = 0; column < node->ncolumns; column++)
	{
		DpType type = node->inputs[0]->columns[column].type;
		bool all = true;

		for (i = 1; i < node->ninputs; i++)
		{
			DpType other = node->inputs[i]->columns[column].type;

			all = all && other.oid == type.oid &&
				  dp_are_alike(other.collation, type.collation);
		}
		if (all)
			columns = bms_add_member(columns, column);
	}
	return columns;
}

/* A name of the first input, in columns in which all inputs have it. */
static DpUnitName *
name_of_all(const DpNode *node, const DpUnitName *name, int *without)
{
	int count = list_length(name->columns);
	Bitmapset **columns = palloc(count * sizeof(Bitmapset *));
	DpUnitName *result = copy_name(name);
	int i;

	for (i = 0; i < count; i++)
		columns[i] = alike_columns(node);
	for (i = 0; i < node->ninputs; i++)
	{
		columns = find_in_input(result, columns, node->inputs[i]);
		if (columns != NULL)
			continue;
		*without = Max(*without, i);
		return NULL;
	}
	result->columns = name->depth > 0 ? name->columns : NIL;
	for (i = 0; i < count && name->depth == 0; i++)
		result->columns =
			lappend_int(result->columns, bms_next_member(columns[i], -1));
	return result;
}

List *
dp_names_of_all(const DpNode *node, int *without)
{
	List *result = NIL;
	ListCell *cell;

	*without = 0;
	foreach (cell, node->inputs[0]->facts->owner.names)
	{
		DpUnitName *name = name_of_all(node, lfirst(cell), without);

		if (name != NULL && !has_name(result, name))
			result = lappend(result, name);
	}
	return result;
}
