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
#include "gate/relations/protection.h"
#include "server/citus.h"
#include "server/collations.h"
#include "server/stack.h"

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

static DpType
attribute_type(Oid relation, int column)
{
	DpType type;

	get_atttypetypmodcoll(relation, (AttrNumber) column, &type.oid,
						  &type.typmod, &type.collation);
	return type;
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

/* The column that refers to a key's. */
static int
place_referring(int column, const void *context)
{
	const DpProtection *protection = context;
	ListCell *key;
	ListCell *referring;

	forboth (key, protection->path_keys, referring, protection->path_columns)
	{
		if (lfirst_int(key) == column)
			return lfirst_int(referring);
	}
	return -1;
}

/* Whether some columns are compared otherwise than what they refer to. */
static bool
is_loose(const DpProtection *protection)
{
	ListCell *key;
	ListCell *referring;

	forboth (key, protection->path_keys, referring, protection->path_columns)
	{
		DpType one = attribute_type(protection->path_relation, lfirst_int(key));
		DpType other =
			attribute_type(protection->relation, lfirst_int(referring));

		if (!dp_are_alike(one.collation, other.collation))
			return true;
	}
	return false;
}

/* The names of what a relation refers to, by the columns that refer. */
static List *
names_referred(const DpProtection *protection, List *names)
{
	List *result = NIL;

	foreach_ptr (const DpUnitName, one, names)
	{
		DpUnitName *name = dp_names_move(one, place_referring, protection);

		if (name == NULL)
			continue;
		name->is_loose |= is_loose(protection);
		name->is_open = name->is_loose; /* a null refers to nothing */
		name->steps++;
		result = lappend(result, name);
	}
	return result;
}

static List *
names_of(Oid relation, int steps)
{
	const DpProtection *protection = dp_protection_of(relation);
	List *names = NIL;

	dp_stack_enter();
	if (!protection->is_protected || steps > DP_PATH_STEPS_MAX)
		return NIL;
	if (protection->unit > 0)
		names = list_make1(value_of(protection));
	else if (protection->unit == 0 &&
			 get_rel_relkind(relation) != RELKIND_FOREIGN_TABLE &&
			 !dp_citus_distributes(relation))
		names = list_make1(row_of(protection));
	else if (protection->unit == DP_UNIT_BY_PATH &&
			 OidIsValid(protection->path_relation))
		names = names_referred(protection,
							   names_of(protection->path_relation, steps + 1));
	foreach_ptr (const DpUniqueKey, key, dp_unique_keys_of(relation))
	{
		DpUnitName *name = make_name(relation, key->columns, key->columns);

		name->is_open = !key->is_not_null;
		names = lappend(names, name);
	}
	return names;
}

static bool
is_reference_to_value(const DpUnitName *name)
{
	return name->population != 0 && name->steps > 0;
}

bool
dp_scan_names_refer_to_unit(Oid relation)
{
	foreach_ptr (const DpUnitName, name, names_of(relation, 0))
	{
		if (is_reference_to_value(name))
			return true;
	}
	return false;
}

/* What refers to a value names nobody where nothing has that. */
List *
dp_scan_names(const DpScan *scan)
{
	List *names = NIL;

	foreach_ptr (DpUnitName, name, names_of(scan->relation, 0))
	{
		if (!is_reference_to_value(name))
			names = lappend(names, name);
	}
	return dp_names_in_scan(names, scan);
}
