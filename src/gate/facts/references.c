/*
 * references.c
 *		Which row of a relation a row is, or refers to.
 */
#include "postgres.h"

#include "access/table.h"
#include "utils/rel.h"

#include "gate/facts/facts.h"
#include "gate/facts/references.h"
#include "gate/facts/unique_keys.h"
#include "gate/facts/unit_names.h"
#include "gate/relations/protection.h"

/* Of one relation: owners may have made more foreign keys than anybody reads. */
#define REFERENCES_MAX 64

/* A row of a relation, of which some columns are known by those of another. */
typedef struct Row
{
	const DpProtection *protection;
	const DpUnitName *name; /* its key's columns; NULL: it is the row itself */
} Row;

/* The column that has the value of a column of the row's; 0: none is known. */
static int
place_of(const Row *row, int column)
{
	ListCell *key;
	ListCell *place;

	if (row->name == NULL)
		return column;
	forboth (key, row->name->key, place, row->name->columns)
	{
		if (lfirst_int(key) == column)
			return lfirst_int(place);
	}
	return 0;
}

static bool
has(const List *names, const DpUnitName *name)
{
	foreach_ptr (const DpUnitName, other, names)
	{
		if (other->relation == name->relation && equal(other->key, name->key) &&
			equal(other->columns, name->columns))
			return true;
	}
	return false;
}

/*
 * Adds a key of a relation, whose columns are those of a row that has them by other
 * columns of its own. key: integers, ascending.
 */
static List *
add(List *names, const DpProtection *referred, List *key, List *columns,
	int steps)
{
	DpUnitName *name;

	if (list_length(names) >= REFERENCES_MAX || list_member_int(columns, 0) ||
		list_member_int(key, referred->unit))
		return names;
	name = palloc0(sizeof(DpUnitName));
	name->relation = referred->relation;
	name->key = key;
	name->columns = columns;
	name->steps = steps;
	return has(names, name) ? names : lappend(names, name);
}

/* Adds what a row refers to: other by conkey, where it has confkey. */
static List *
add_link(List *names, const Row *row, Oid other, const List *conkey,
		 const List *confkey)
{
	const DpProtection *referred = dp_protection_of(other);
	List *key = list_copy(confkey);
	List *columns = NIL;
	ListCell *cell;

	if (!referred->is_protected ||
		referred->population != row->protection->population)
		return names;
	list_sort(key, list_int_cmp);
	foreach (cell, key)
	{
		int place = 0;
		ListCell *from;
		ListCell *to;

		forboth (from, conkey, to, confkey)
		{
			if (lfirst_int(to) == lfirst_int(cell))
				place = place_of(row, lfirst_int(from));
		}
		columns = lappend_int(columns, place);
	}
	return add(names, referred, key, columns, 1);
}

static List *
as_list(const AttrNumber *columns, int count)
{
	List *list = NIL;
	int i;

	for (i = 0; i < count; i++)
		list = lappend_int(list, columns[i]);
	return list;
}

static List *
add_links(List *names, const Row *row)
{
	const DpProtection *protection = row->protection;
	Relation rel = table_open(protection->relation, AccessShareLock);
	List *keys = dp_protection_has_heirs(rel)
					 ? NIL
					 : copyObject(RelationGetFKeyList(rel));

	table_close(rel, NoLock);
	foreach_node (ForeignKeyCacheInfo, key, keys)
		names = add_link(names, row, key->confrelid,
						 as_list(key->conkey, key->nkeys),
						 as_list(key->confkey, key->nkeys));
	if (protection->unit == DP_UNIT_BY_PATH &&
		OidIsValid(protection->path_relation))
		names = add_link(names, row, protection->path_relation,
						 protection->path_columns, protection->path_keys);
	return names;
}

List *
dp_references_of_scan(const DpScan *scan)
{
	Row row = {dp_protection_of(scan->relation), NULL};
	List *names = NIL;
	int i;

	foreach_ptr (const DpUniqueKey, key, dp_unique_keys_of(scan->relation))
		names = add(names, row.protection, key->columns, key->columns, 0);
	names = add_links(names, &row);
	for (i = 0; i < list_length(names); i++) /* it grows */
	{
		const DpUnitName *name = list_nth(names, i);
		Row referred = {dp_protection_of(name->relation), name};

		if (name->relation != scan->relation)
			names = add_links(names, &referred);
	}
	return dp_names_in_scan(names, scan);
}

List *
dp_references_in_row(const DpNode *node)
{
	List *references = NIL;
	int i;

	for (i = 0; i < node->ninputs; i++)
		references = list_concat(
			references, dp_names_shift(node->inputs[i]->facts->owner.references,
									   dp_node_offset(node, i)));
	return references;
}

/* Without what rows are themselves. */
static List *
referring(const List *references)
{
	List *result = NIL;

	foreach_ptr (DpUnitName, name, references)
	{
		if (name->steps > 0)
			result = lappend(result, name);
	}
	return result;
}

bool
dp_references_meet(List *one, List *other, const DpEqualities *equal)
{
	return dp_names_are_one_unit(referring(one), other, equal, true) ||
		   dp_names_are_one_unit(one, referring(other), equal, true);
}
