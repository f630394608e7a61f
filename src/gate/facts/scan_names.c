/*
 * scan_names.c
 *		The names of a protected relation's rows.
 *
 * Their columns are numbers of attributes, until they are found among those of a
 * scan.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/lsyscache.h"

#include "gate/facts/unique_keys.h"
#include "gate/facts/unit_names.h"
#include "gate/question/relations/protection.h"
#include "server/stack.h"

/* Steps of paths that are looked at for names; reading refuses as many. */
#define MOST_STEPS 100

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
		DpUnitName *name = dp_names_copy(lfirst(cell));
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
		name->steps++;
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
		DpUnitName *name = dp_names_copy(lfirst(cell));

		name->columns = columns_of_scan(scan, name->columns);
		if (name->columns != NIL)
			result = lappend(result, name);
	}
	return result;
}
