/*
 * definition.c
 *		A relation's definition in the catalogs, to be compared.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "rewrite/rewriteSupport.h"
#include "utils/syscache.h"

#include "gate/question/relations/definition.h"

/* Which version of a catalog's row was read. */
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
dp_gate_define(Oid relation, Oid index)
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
dp_gate_copy_definition(const DpDefinition *definition)
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
dp_gate_same_definition(const DpDefinition *one, const DpDefinition *other)
{
	return one != NULL && other != NULL && one->size == other->size &&
		   memcmp(one->bytes, other->bytes, one->size) == 0;
}
