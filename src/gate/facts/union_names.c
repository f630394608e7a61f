/*
 * union_names.c
 *		Names that all inputs of a union have in the same columns.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "server/collations.h"

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
	DpUnitName *result = dp_names_copy(name);
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

		if (name != NULL && !dp_names_has(result, name))
			result = lappend(result, name);
	}
	return result;
}
