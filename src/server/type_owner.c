/*
 * type_owner.c
 *		Who may decide what values of a type are.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "server/type_owner.h"

bool
dp_type_owner_may_be(Oid owner, Oid role)
{
	return owner == role || superuser_arg(owner);
}

/* Those of a composite type's fields. */
static bool
are_fields_of(Oid type, Oid role)
{
	TupleDesc fields = lookup_rowtype_tupdesc(type, -1);
	bool result = true;
	int i;

	for (i = 0; result && i < fields->natts; i++)
	{
		Oid field = TupleDescAttr(fields, i)->atttypid;

		result = !OidIsValid(field) || dp_type_owner_is(field, role);
	}
	ReleaseTupleDesc(fields);
	return result;
}

/* What a type is made of: a domain of its base, an array of elements ... */
static bool
are_parts_of(Oid type, const FormData_pg_type *form, Oid role)
{
	if (form->typtype == TYPTYPE_DOMAIN)
		return dp_type_owner_is(form->typbasetype, role);
	if (OidIsValid(form->typelem))
		return dp_type_owner_is(form->typelem, role);
	if (form->typtype == TYPTYPE_COMPOSITE)
		return are_fields_of(type, role);
	if (form->typtype == TYPTYPE_RANGE)
		return dp_type_owner_is(get_range_subtype(type), role);
	if (form->typtype == TYPTYPE_MULTIRANGE)
		return dp_type_owner_is(get_multirange_range(type), role);
	return form->typtype == TYPTYPE_BASE || form->typtype == TYPTYPE_ENUM;
}

bool
dp_type_owner_is(Oid type, Oid role)
{
	HeapTuple tuple;
	FormData_pg_type form;

	if (type < FirstNormalObjectId)
		return true;
	check_stack_depth();
	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	if (!HeapTupleIsValid(tuple))
		return false;
	form = *(Form_pg_type) GETSTRUCT(tuple);
	ReleaseSysCache(tuple);
	return dp_type_owner_may_be(form.typowner, role) &&
		   are_parts_of(type, &form, role);
}

bool
dp_type_owner_is_of_collation(Oid collation, Oid role)
{
	HeapTuple tuple;
	Oid owner;

	if (collation < FirstNormalObjectId)
		return true;
	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	if (!HeapTupleIsValid(tuple))
		return false;
	owner = ((Form_pg_collation) GETSTRUCT(tuple))->collowner;
	ReleaseSysCache(tuple);
	return dp_type_owner_may_be(owner, role);
}
