/*
 * named_populations.c
 *		Populations by name.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"

#include "ledger/named_populations.h"

/* dp_noise.find_population(text, oid, OUT population_id, OUT owner, OUT name) */
static Datum
call_find_population(const char *name, Oid relation, bool *is_there)
{
	LOCAL_FCINFO(fcinfo, 2);
	Oid types[2] = {TEXTOID, OIDOID};
	FmgrInfo function;
	Datum result;
	List *function_name = list_make2(makeString(pstrdup("dp_noise")),
									 makeString(pstrdup("find_population")));

	fmgr_info(LookupFuncName(function_name, 2, types, false), &function);
	InitFunctionCallInfoData(*fcinfo, &function, 2, InvalidOid, NULL, NULL);
	fcinfo->args[0].isnull = name == NULL;
	if (name != NULL)
		fcinfo->args[0].value = CStringGetTextDatum(name);
	fcinfo->args[1].isnull = false;
	fcinfo->args[1].value = ObjectIdGetDatum(relation);
	result = FunctionCallInvoke(fcinfo);
	*is_there = !fcinfo->isnull;
	return result;
}

bool
dp_find_population(const char *name, Oid relation, DpNamedPopulation *found)
{
	bool is_there;
	Datum result = call_find_population(name, relation, &is_there);
	HeapTupleHeader row;
	bool isnull;
	Datum value;

	if (!is_there)
		return false;
	row = DatumGetHeapTupleHeader(result);
	value = GetAttributeByNum(row, 1, &isnull);
	if (isnull)
		return false;
	found->population_id = DatumGetInt32(value);
	found->owner = DatumGetObjectId(GetAttributeByNum(row, 2, &isnull));
	value = GetAttributeByNum(row, 3, &isnull);
	found->name = TextDatumGetCString(value);
	return true;
}
