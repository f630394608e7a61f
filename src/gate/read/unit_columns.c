/*
 * unit_columns.c
 *		The unit's columns among what a query puts out.
 */
#include "postgres.h"

#include "gate/facts/facts.h"
#include "gate/read/unit_columns.h"
#include "gate/relations/refusal.h"
#include "server/collations.h"

/* Adds columns of the rows to keys, unless they are among them. */
static List *
add_columns(List *keys, const DpNode *rows, const List *columns)
{
	ListCell *cell;

	foreach (cell, columns)
	{
		int number = lfirst_int(cell);
		const DpExpr *column = dp_node_column(rows, number);

		if (dp_expr_number(keys, column) < 0)
			keys = lappend(keys, (void *) column);
	}
	return keys;
}

/*
 * Keys are values that are compared byte by byte, as an expression drops the
 * collation that COLLATE gives a value.
 */
static void
check_collations(const List *keys, const char *what, int location)
{
	foreach_ptr (const DpExpr, key, keys)
	{
		if (dp_is_nondeterministic(key->type.collation))
			dp_refusal_raise(
				psprintf("a nondeterministic collation in %s", what),
				"Write COLLATE \"C\" after the column.",
				key->location >= 0 ? key->location : location);
	}
}

List *
dp_unit_columns_add(const DpNode *rows, DpUnitOutput unit, List *keys,
					const char *what, int location)
{
	const DpOwner *owner = &rows->facts->owner;
	const DpUnitName *name = dp_owner_value_name(owner);
	bool is_determined =
		dp_owner_is_determined(owner, rows->facts->equal, keys);

	if (!is_determined && unit != DP_UNIT_OUTSIDE)
		dp_refusal_raise(psprintf("%s of several privacy units' rows", what),
						 "Name the column that is the privacy unit, or a key "
						 "that tells it, among its keys; or ask about the rows "
						 "themselves, for a median or another percentile by "
						 "percentile_cont(0.5) WITHIN GROUP (ORDER BY x).",
						 location);
	check_collations(keys, what, location);
	if (!is_determined)
		return keys;
	return name == NULL || keys == NIL ? keys
									   : add_columns(keys, rows, name->columns);
}

List *
dp_unit_columns_hidden(const DpNode *rows, DpUnitOutput unit, List *seen)
{
	const DpOwner *owner = &rows->facts->owner;
	const DpUnitName *value = dp_owner_value_name(owner);
	List *before = unit == DP_UNIT_ALONG ? seen : NIL;
	List *columns = list_copy(before);

	if (unit == DP_UNIT_OUTSIDE)
		return NIL;
	foreach_ptr (const DpUnitName, name, owner->names)
	{
		if (name->depth == 0 && (value == NULL || name == value))
			columns = add_columns(columns, rows, name->columns);
	}
	return list_copy_tail(columns, list_length(before));
}
