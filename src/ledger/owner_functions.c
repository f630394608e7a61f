/*
 * owner_functions.c
 *		What owners of relations call.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "ledger/slots.h"
#include "server/compat.h"

PG_FUNCTION_INFO_V1(dp_as_owner);

/*
 * What owners call: refuses all but the owner of the relation (the argument of
 * type regclass) and superusers, locks the budgets against the ledger worker
 * until the end of the transaction, and calls the function do_X, whose body
 * runs with its definer's rights and which nobody else may call.
 *
 * Who asks is the current user, before any definer's rights: neither the
 * session's user nor the one of SET ROLE, in whose name an index expression
 * (under ANALYZE, even autovacuum's) or a SECURITY DEFINER function of an
 * analyst would be as good as the superuser that happens to run it.
 */
Datum
dp_as_owner(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(call, FUNC_MAX_ARGS);
	FmgrInfo inner;
	Oid function = fcinfo->flinfo->fn_oid;
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Form_pg_proc outer;
	Oid user = GetUserId();
	Oid relation;
	char *name;
	int number = 0;
	int i;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	outer = (Form_pg_proc) GETSTRUCT(tuple);
	while (outer->proargtypes.values[number] != REGCLASSOID)
		number++;
	if (PG_ARGISNULL(number))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("relation must not be null"),
				 errhint("Write the name of a table, such as 'patients'.")));
	relation = PG_GETARG_OID(number);
	name = get_rel_name(relation);
	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	if (!superuser_arg(user) && !dp_compat_owns_relation(relation, user))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of relation %s", name)));
	LockDatabaseObject(ExtensionRelationId,
					   get_extension_oid("dp_noise", false), 0, ExclusiveLock);

	/*
	 * What the worker remembers of budgets ends here. It looks under the same
	 * lock, so all changes counted by then are committed or undone.
	 */
	if (dp_shared != NULL)
		pg_atomic_fetch_add_u64(&dp_shared->changes, 1);

	name = psprintf("do_%s", NameStr(outer->proname));
	fmgr_info(LookupFuncName(list_make2(makeString(get_namespace_name(
											outer->pronamespace)),
										makeString(name)),
							 outer->pronargs, outer->proargtypes.values, false),
			  &inner);
	InitFunctionCallInfoData(*call, &inner, PG_NARGS(), InvalidOid, NULL, NULL);
	for (i = 0; i < PG_NARGS(); i++)
		call->args[i] = fcinfo->args[i];
	ReleaseSysCache(tuple);
	(void) FunctionCallInvoke(call);

	/* Plans that the gate made under other settings must go. */
	CacheInvalidateRelcacheByRelid(relation);
	PG_RETURN_VOID();
}
