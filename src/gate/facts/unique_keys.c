/*
 * unique_keys.c
 *		Columns in which no two rows of a relation agree, by its unique indexes.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_am.h"
#include "catalog/pg_index.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "gate/facts/unique_keys.h"
#include "gate/relations/protection.h"
#include "gate/tree/functions.h"
#include "server/compat.h"
#include "server/unique_index.h"

/*
 * Whether values of a type can be told apart, as a join by an operator of the
 * family does it, by the type's own hash function.
 */
static bool
is_hashable(Oid type, Oid family)
{
	const TypeCacheEntry *entry = lookup_type_cache(
		getBaseType(type), TYPECACHE_EQ_OPR | TYPECACHE_HASH_EXTENDED_PROC);

	return family < FirstNormalObjectId &&
		   OidIsValid(entry->hash_extended_proc) &&
		   entry->eq_opr < FirstNormalObjectId &&
		   dp_functions_is_total(get_opcode(entry->eq_opr)) &&
		   get_op_opfamily_strategy(entry->eq_opr, family) ==
			   BTEqualStrategyNumber;
}

static DpUniqueKey *
key_of(Relation relation, Relation index)
{
	DpUniqueKey *key = palloc0(sizeof(DpUniqueKey));
	int i;

	key->is_not_null = true;
	key->can_be_checked = relation->rd_rel->relkind == RELKIND_RELATION &&
						  index->rd_rel->relam == BTREE_AM_OID &&
						  index->rd_index->indislive;
	for (i = 0; i < index->rd_index->indnkeyatts; i++)
	{
		AttrNumber column = index->rd_index->indkey.values[i];

		key->columns = lappend_int(key->columns, column);
		key->is_not_null =
			key->is_not_null && dp_compat_is_never_null(relation, column);
		key->can_be_checked =
			key->can_be_checked &&
			is_hashable(get_atttype(RelationGetRelid(relation), column),
						index->rd_opfamily[i]);
	}
	list_sort(key->columns, list_int_cmp);
	return key;
}

List *
dp_unique_keys_of(Oid relation)
{
	Relation rel = table_open(relation, AccessShareLock);
	List *keys = NIL;
	ListCell *cell;

	foreach (cell,
			 dp_protection_has_heirs(rel) ? NIL : RelationGetIndexList(rel))
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);

		if (dp_is_unique_index(index->rd_indextuple))
			keys = lappend(keys, key_of(rel, index));
		index_close(index, NoLock);
	}
	table_close(rel, NoLock);
	return keys;
}

bool
dp_unique_keys_has(Oid relation, const List *columns)
{
	List *sorted = list_copy(columns);

	list_sort(sorted, list_int_cmp);
	foreach_ptr (const DpUniqueKey, key, dp_unique_keys_of(relation))
	{
		if (equal(key->columns, sorted))
			return true;
	}
	return false;
}
