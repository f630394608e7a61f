/*
 * text_columns.c
 *		The canonical form of columns: by all names that stand for each other.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"

#include "gate/facts/order.h"
#include "gate/facts/text_forms.h"

/* The row so many sub-queries around. */
static const DpTextScope *
scope_at(const DpTextScope *scope, int depth)
{
	if (depth == DP_TEXT_COMPARED)
		return scope->compared;
	for (; depth > 0; depth--)
		scope = scope->around;
	return scope;
}

/* A column of a row by its item and its number there, added to a form. */
static List *
add_name(const DpTextScope *scope, int depth, int number, List *form)
{
	const DpTextScope *row = scope_at(scope, depth);
	int item = 0;

	number += row->base;
	while (item + 1 < list_length(row->starts) &&
		   list_nth_int(row->starts, item + 1) <= number)
		item++;
	form = lappend(form, makeInteger(depth));
	form = lappend(form, makeInteger(item));
	return lappend(form, makeInteger(number - list_nth_int(row->starts, item)));
}

static bool
is_integer(Oid type)
{
	type = getBaseType(type);
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/*
 * Where equal values are the same, and say the same: integers of all widths,
 * else columns of one type, with its length or scale.
 */
static bool
may_stand_for(const DpExpr *one, const DpExpr *other)
{
	if (!dp_order_has_one_form(one) || !dp_order_has_one_form(other))
		return false;
	if (one->type.oid == other->type.oid)
		return one->type.typmod == other->type.typmod;
	return is_integer(one->type.oid) && is_integer(other->type.oid);
}

/* Whether a class of a row so many levels around has a column; its type. */
static const DpExpr *
find_member(const DpTextScope *scope, int level, const List *members, int depth,
			int number)
{
	ListCell *cell;

	foreach (cell, members)
	{
		const DpExpr *member = lfirst(cell);
		DpColumnName name = member->column;

		if (level + name.depth != depth)
			continue;
		if (name.depth > 0) /* by the row that the expressions see */
			name.number += scope_at(scope, depth)->base;
		if (name.number == number + scope_at(scope, depth)->base)
			return member;
	}
	return NULL;
}

/* The columns that equal one by a class in which it is. */
static List *
add_equal(const DpTextScope *scope, int level, const List *members,
		  const DpExpr *column, List *form)
{
	ListCell *cell;

	foreach (cell, members)
	{
		const DpExpr *member = lfirst(cell);
		int number = member->column.number;

		if (member == column || !may_stand_for(column, member))
			continue;
		if (member->column.depth == 0) /* add_name adds it */
			number -= scope_at(scope, level)->base;
		form = add_name(scope, level + member->column.depth, number, form);
	}
	return form;
}

List *
dp_text_column(const DpTextScope *scope, int depth, int number)
{
	List *form = add_name(scope, depth, number, list_make1(makeString("@")));
	int level;
	ListCell *cell;

	for (level = 0; level <= depth; level++)
	{
		const DpTextScope *row = scope_at(scope, level);

		if (row->is_apart)
			continue;
		foreach (cell, (const List *) row->equal)
		{
			const DpExpr *column =
				find_member(scope, level, lfirst(cell), depth, number);

			if (column != NULL)
				form = add_equal(scope, level, lfirst(cell), column, form);
		}
	}
	return form;
}
