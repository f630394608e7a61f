/*
 * wrapped.c
 *		Finds functions in the list, and their wrapped forms.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_language.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "expressions/wrapped_list.h"

/* "int4 text" */
static char *
type_names(const Oid *types, int count)
{
	StringInfoData names;
	int i;

	initStringInfo(&names);
	for (i = 0; i < count; i++)
	{
		HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(types[i]));

		if (!HeapTupleIsValid(tuple))
			elog(ERROR, "cache lookup failed for type %u", types[i]);
		appendStringInfo(&names, "%s%s", i > 0 ? " " : "",
						 NameStr(((Form_pg_type) GETSTRUCT(tuple))->typname));
		ReleaseSysCache(tuple);
	}
	return names.data;
}

/*
 * An entry by its index in both parts of the list together; NULL: there is
 * none.
 */
static const DpWrapped *
entry_at(size_t index)
{
	if (index < dp_wrapped_count)
		return &dp_wrapped_list[index];
	index -= dp_wrapped_count;
	return index < dp_wrapped_types_count ? &dp_wrapped_types[index] : NULL;
}

/* By name, and then by arguments. */
static int
compare(const void *a, const void *b)
{
	const DpWrapped *one = *(const DpWrapped *const *) a;
	const DpWrapped *other = *(const DpWrapped *const *) b;
	int result = strcmp(one->name, other->name);

	return result != 0 ? result : strcmp(one->arguments, other->arguments);
}

/* The entries in that order, which is made once. */
static const DpWrapped **
sorted_entries(void)
{
	static const DpWrapped **entries = NULL;
	const DpWrapped **result;
	size_t i;

	if (entries != NULL)
		return entries;
	result = MemoryContextAlloc(TopMemoryContext,
								(dp_wrapped_count + dp_wrapped_types_count) *
									sizeof(DpWrapped *));
	for (i = 0; entry_at(i) != NULL; i++)
		result[i] = entry_at(i);
	qsort(result, i, sizeof(DpWrapped *), compare);
	entries = result;
	return entries;
}

static const DpWrapped *
find(const char *name, const Oid *types, int count)
{
	DpWrapped sought = {.name = name};
	const DpWrapped *key = &sought;
	const DpWrapped **found;
	int i;

	for (i = 0; i < count; i++)
	{
		if (types[i] >= FirstGenbkiObjectId)
			return NULL;
	}
	sought.arguments = type_names(types, count);
	found = bsearch(&key, sorted_entries(),
					dp_wrapped_count + dp_wrapped_types_count,
					sizeof(DpWrapped *), compare);
	return found == NULL ? NULL : *found;
}

const DpWrapped *
dp_wrapped_find(Oid function)
{
	const DpWrapped *found = NULL;
	HeapTuple tuple;
	Form_pg_proc form;

	if (function >= FirstGenbkiObjectId)
		return NULL;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	form = (Form_pg_proc) GETSTRUCT(tuple);
	if (form->pronamespace == PG_CATALOG_NAMESPACE &&
		form->prolang == INTERNALlanguageId && !form->proretset &&
		form->provolatile != PROVOLATILE_VOLATILE)
		found = find(NameStr(form->proname), form->proargtypes.values,
					 form->pronargs);
	if (found != NULL &&
		form->proisstrict == ((found->rules & DP_RULE_NULLS) != 0))
		found = NULL;
	ReleaseSysCache(tuple);
	return found;
}

const DpWrapped *
dp_wrapped_find_cast(Oid from, Oid to)
{
	char *name;

	if (to >= FirstGenbkiObjectId)
		return NULL;
	name = psprintf("%s%s", DP_WRAPPED_CAST, type_names(&to, 1));
	return find(name, &from, 1);
}

/* The oid of a type of the server; of arrays, too. */
static Oid
type_of(const char *name)
{
	return GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name),
						   ObjectIdGetDatum(PG_CATALOG_NAMESPACE));
}

/* The types of an entry; InvalidOid for those that the server does not have. */
static oidvector *
types_of(const DpWrapped *wrapped)
{
	char *names = pstrdup(wrapped->arguments);
	Oid types[FUNC_MAX_ARGS];
	int count = 0;
	char *name;
	char *rest = NULL;

	for (name = strtok_r(names, " ", &rest); name != NULL;
		 name = strtok_r(NULL, " ", &rest))
		types[count++] = type_of(name);
	return buildoidvector(types, count);
}

Oid
dp_wrapped_form(const DpWrapped *wrapped)
{
	char *name = psprintf("%s%s", DP_WRAPPED_PREFIX, wrapped->name);
	Oid schema = get_namespace_oid("dp_noise", true);
	HeapTuple tuple = SearchSysCache3(PROCNAMEARGSNSP, CStringGetDatum(name),
									  PointerGetDatum(types_of(wrapped)),
									  ObjectIdGetDatum(schema));
	Oid form = InvalidOid;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;

	/*
	 * Only a C function is taken for the extension's own: a user who may
	 * create one needs no way around the gate.
	 */
	if (((Form_pg_proc) GETSTRUCT(tuple))->prolang == ClanguageId)
		form = ((Form_pg_proc) GETSTRUCT(tuple))->oid;
	ReleaseSysCache(tuple);
	return form;
}

PG_FUNCTION_INFO_V1(dp_wrapped_functions);

/* The list, as text[]: name, arguments and symbol, separated by slashes. */
Datum
dp_wrapped_functions(PG_FUNCTION_ARGS)
{
	size_t count = dp_wrapped_count + dp_wrapped_types_count;
	Datum *values = palloc(count * sizeof(Datum));
	size_t i;

	(void) fcinfo;
	for (i = 0; i < count; i++)
	{
		const DpWrapped *entry = entry_at(i);
		bool is_cast =
			strncmp(entry->name, DP_WRAPPED_CAST, strlen(DP_WRAPPED_CAST)) == 0;

		values[i] = CStringGetTextDatum(
			psprintf("%s/%s/%s", entry->name, entry->arguments,
					 entry->symbol != NULL ? entry->symbol
					 : is_cast			   ? "dp_try_cast"
										   : "dp_try"));
	}
	PG_RETURN_ARRAYTYPE_P(
		construct_array(values, (int) count, TEXTOID, -1, false, TYPALIGN_INT));
}
