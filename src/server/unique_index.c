/*
 * unique_index.c
 *		Which indexes are unique over all rows of a table, by columns alone.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_index.h"
#include "catalog/pg_opclass.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "server/collations.h"
#include "server/unique_index.h"

PG_FUNCTION_INFO_V1(dp_tells_rows_apart);

/* The operator that an operator class of btree has for equality; or none. */
static Oid
equality_of(Oid operator_class)
{
	HeapTuple tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(operator_class));
	Oid result = InvalidOid;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	if (((Form_pg_opclass) GETSTRUCT(tuple))->opcmethod == BTREE_AM_OID)
	{
		const FormData_pg_opclass *form = (Form_pg_opclass) GETSTRUCT(tuple);

		result = get_opfamily_member(form->opcfamily, form->opcintype,
									 form->opcintype, BTEqualStrategyNumber);
	}
	ReleaseSysCache(tuple);
	return result;
}

/* Whether all values that a column takes for equal are equal for an index. */
static bool
knows_equal(Oid operator_class, Oid collation, Oid table, AttrNumber column)
{
	HeapTuple tuple =
		SearchSysCache2(ATTNUM, ObjectIdGetDatum(table), Int16GetDatum(column));
	Oid type;
	Oid own_collation;
	Oid equality;

	if (!HeapTupleIsValid(tuple))
		return false;
	type = ((Form_pg_attribute) GETSTRUCT(tuple))->atttypid;
	own_collation = ((Form_pg_attribute) GETSTRUCT(tuple))->attcollation;
	ReleaseSysCache(tuple);
	equality = lookup_type_cache(getBaseType(type), TYPECACHE_EQ_OPR)->eq_opr;
	return OidIsValid(equality) && equality_of(operator_class) == equality &&
		   dp_equal_by_both(own_collation, collation);
}

static const oidvector *
oids_of(HeapTuple index, AttrNumber attribute)
{
	bool isnull;
	Datum oids = SysCacheGetAttr(INDEXRELID, index, attribute, &isnull);

	return isnull ? NULL : (const oidvector *) DatumGetPointer(oids);
}

static bool
knows_all_equal(HeapTuple index)
{
	const FormData_pg_index *form = (Form_pg_index) GETSTRUCT(index);
	const oidvector *classes = oids_of(index, Anum_pg_index_indclass);
	const oidvector *collations = oids_of(index, Anum_pg_index_indcollation);
	int i;

	if (classes == NULL || collations == NULL)
		return false;
	for (i = 0; i < form->indnkeyatts; i++)
	{
		if (!knows_equal(classes->values[i], collations->values[i],
						 form->indrelid, form->indkey.values[i]))
			return false;
	}
	return true;
}

bool
dp_is_unique_index(HeapTuple index)
{
	const FormData_pg_index *form = (Form_pg_index) GETSTRUCT(index);

	return form->indisunique && form->indimmediate && form->indisvalid &&
		   heap_attisnull(index, Anum_pg_index_indpred, NULL) &&
		   heap_attisnull(index, Anum_pg_index_indexprs, NULL) &&
		   knows_all_equal(index);
}

/* (index oid) -> boolean: dp_is_unique_index() for SQL; false: there is none. */
Datum
dp_tells_rows_apart(PG_FUNCTION_ARGS)
{
	HeapTuple tuple =
		SearchSysCache1(INDEXRELID, ObjectIdGetDatum(PG_GETARG_OID(0)));
	bool result;

	if (!HeapTupleIsValid(tuple))
		PG_RETURN_BOOL(false);
	result = dp_is_unique_index(tuple);
	ReleaseSysCache(tuple);
	PG_RETURN_BOOL(result);
}
