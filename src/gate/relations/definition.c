/*
 * definition.c
 *		A relation's definition in the catalogs, to be compared.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_index.h"
#include "lib/stringinfo.h"
#include "rewrite/rewriteSupport.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "gate/relations/definition.h"

/* Adds which version of a catalog row was read. */
static void
add_version(StringInfo to, HeapTuple tuple)
{
	TransactionId made = HeapTupleHeaderGetRawXmin(tuple->t_data);

	appendBinaryStringInfo(to, (const char *) &made, sizeof(made));
	appendBinaryStringInfo(to, (const char *) &tuple->t_self,
						   sizeof(tuple->t_self));
}

/*
 * Of the row of pg_class only what matters: it has statistics as well, but of
 * views. Returns the number of columns.
 */
static AttrNumber
add_class(StringInfo to, HeapTuple tuple)
{
	Form_pg_class form = (Form_pg_class) GETSTRUCT(tuple);

	appendBinaryStringInfo(to, (const char *) &form->relowner,
						   sizeof(form->relowner));
	appendStringInfoChar(to, form->relkind);
	appendStringInfoChar(to, form->relrowsecurity ? 't' : 'f');
	appendStringInfoChar(to, form->relforcerowsecurity ? 't' : 'f');
	if (form->relkind == RELKIND_VIEW)
		add_version(to, tuple);
	return form->relnatts;
}

/* A row that is found by one or two keys; false when it is not there. */
static bool
add_row(StringInfo to, int cache, Oid object, AttrNumber column)
{
	HeapTuple tuple = column == InvalidAttrNumber
						  ? SearchSysCache1(cache, ObjectIdGetDatum(object))
						  : SearchSysCache2(cache, ObjectIdGetDatum(object),
											Int16GetDatum(column));

	if (!HeapTupleIsValid(tuple))
		return false;
	add_version(to, tuple);
	ReleaseSysCache(tuple);
	return true;
}

/* The query of a view. */
static bool
add_rule(StringInfo to, Oid view)
{
	HeapTuple tuple = SearchSysCache2(RULERELNAME, ObjectIdGetDatum(view),
									  PointerGetDatum(ViewSelectRuleName));

	if (!HeapTupleIsValid(tuple))
		return false;
	add_version(to, tuple);
	ReleaseSysCache(tuple);
	return true;
}

DpDefinition *
dp_definition_of(Oid relation, Oid index)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	StringInfoData bytes;
	DpDefinition *result;
	AttrNumber columns;
	AttrNumber column;
	bool is_view;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	initStringInfo(&bytes);
	columns = add_class(&bytes, tuple);
	is_view = ((Form_pg_class) GETSTRUCT(tuple))->relkind == RELKIND_VIEW;
	ReleaseSysCache(tuple);
	if (is_view && !add_rule(&bytes, relation))
		return NULL;
	for (column = 1; column <= columns; column++)
	{
		if (!add_row(&bytes, ATTNUM, relation, column))
			return NULL;
	}
	if (OidIsValid(index) &&
		!add_row(&bytes, INDEXRELID, index, InvalidAttrNumber))
		return NULL;
	result = palloc(offsetof(DpDefinition, bytes) + (Size) bytes.len);
	result->size = (Size) bytes.len;
	memcpy(result->bytes, bytes.data, result->size);
	pfree(bytes.data);
	return result;
}

DpDefinition *
dp_definition_copy(const DpDefinition *definition)
{
	Size size;
	DpDefinition *copy;

	if (definition == NULL)
		return NULL;
	size = offsetof(DpDefinition, bytes) + definition->size;
	copy = palloc(size);
	memcpy(copy, definition, size);
	return copy;
}

bool
dp_definition_is_same(const DpDefinition *one, const DpDefinition *other)
{
	return one != NULL && other != NULL && one->size == other->size &&
		   memcmp(one->bytes, other->bytes, one->size) == 0;
}

/* Where the catalogs say something of a relation, by its oid. */
static const struct
{
	Oid catalog;
	Oid index;
	AttrNumber relation;
} sources[] = {
	{RelationRelationId, ClassOidIndexId, Anum_pg_class_oid},
	{AttributeRelationId, AttributeRelidNumIndexId, Anum_pg_attribute_attrelid},
	{ConstraintRelationId, ConstraintRelidTypidNameIndexId,
	 Anum_pg_constraint_conrelid},
	{IndexRelationId, IndexIndrelidIndexId, Anum_pg_index_indrelid},
};

/*
 * Whether a row of a catalog is younger than a snapshot. is_new: the relation
 * is of this transaction, like all of its rows. For other relations even rows
 * of this transaction may be younger than the snapshot.
 */
static bool
is_younger(HeapTuple row, Snapshot snapshot, bool is_new)
{
	TransactionId made = HeapTupleHeaderGetXmin(row->t_data);

	if (!TransactionIdIsNormal(made))
		return false;
	if (TransactionIdIsCurrentTransactionId(made))
		return !is_new ||
			   HeapTupleHeaderGetCmin(row->t_data) >= snapshot->curcid;
	return XidInMVCCSnapshot(made, snapshot);
}

static bool
is_of_this_transaction(Oid relation)
{
	Relation rel = RelationIdGetRelation(relation);
	bool result;

	if (rel == NULL)
		return false;
	result = rel->rd_createSubid != InvalidSubTransactionId;
	RelationClose(rel);
	return result;
}

static void
check_age(Oid relation, Snapshot snapshot)
{
	bool is_new = is_of_this_transaction(relation);
	bool younger = false;
	size_t i;

	for (i = 0; i < lengthof(sources) && !younger; i++)
	{
		Relation catalog = table_open(sources[i].catalog, AccessShareLock);
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple row;

		ScanKeyInit(&key, sources[i].relation, BTEqualStrategyNumber, F_OIDEQ,
					ObjectIdGetDatum(relation));
		scan =
			systable_beginscan(catalog, sources[i].index, true, NULL, 1, &key);
		while (!younger && HeapTupleIsValid(row = systable_getnext(scan)))
			younger = is_younger(row, snapshot, is_new);
		systable_endscan(scan);
		table_close(catalog, AccessShareLock);
	}
	if (younger)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the definition of \"%s\" is younger than this "
						"transaction's view of its rows",
						get_rel_name(relation)),
				 errhint("Ask again in a transaction that begins after the one "
						 "that made or changed it has ended.")));
}

void
dp_definition_compare_ages(List *relations, Snapshot snapshot)
{
	ListCell *cell;

	list_sort(relations, list_oid_cmp);
	list_deduplicate_oid(relations);
	foreach (cell, relations)
		check_age(lfirst_oid(cell), snapshot);
}
