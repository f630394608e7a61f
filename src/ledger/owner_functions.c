/*
 * owner_functions.c
 *		What owners of relations call.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "ledger/charge.h"
#include "ledger/locks.h"
#include "server/compat.h"

PG_FUNCTION_INFO_V1(dp_as_owner);
PG_FUNCTION_INFO_V1(dp_number_role);

/* Refuses all but the owner of a relation and superusers. */
static void
check_owner(Oid relation, const char *name, Oid user)
{
	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relation)))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation \"%s\" does not exist", name)));
	if (!superuser_arg(user) && !dp_compat_owns_relation(relation, user))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of relation %s", name)));
}

/*
 * Refuses transactions that see the ledger as it was when they began: they
 * would go by settings, charges and names that are not those of now.
 */
static void
check_isolation(void)
{
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("protections and budgets cannot be changed in a "
						"transaction with isolation level \"%s\"",
						GetConfigOption("transaction_isolation", false, false)),
				 errdetail("It does not see what others have changed since it "
						   "began."),
				 errhint("Use BEGIN ISOLATION LEVEL READ COMMITTED.")));
}

/*
 * What owners call: refuses all but the owner of the relation (the argument of
 * type regclass) and superusers, locks the relation and its budgets against
 * the ledger worker until the end of the transaction, and calls the function do_X, whose body
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
	check_owner(relation, name, user);
	check_isolation();

	/* Whoever drops it waits, or was first and has dropped it now. */
	LockRelationOid(relation, AccessShareLock);
	dp_lock_of_owner(relation);
	check_owner(relation, name, user);

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

/* Has make_role give the role its number in this transaction. */
static int
number_here(Oid role)
{
	Oid types[1] = {OIDOID};
	Datum values[1] = {ObjectIdGetDatum(role)};
	bool isnull;
	int number;

	LockDatabaseObject(AuthIdRelationId, role, 0, ExclusiveLock);
	SPI_connect();
	if (SPI_execute_with_args("SELECT dp_noise.make_role($1)", 1, types, values,
							  NULL, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not number a role");
	number = DatumGetInt32(SPI_getbinval(SPI_tuptable->vals[0],
										 SPI_tuptable->tupdesc, 1, &isnull));
	SPI_finish();
	return number;
}

/*
 * (role oid): its number in the ledger; one that has none gets one, committed
 * at once by the ledger worker, so that this transaction does not hold up the
 * charges of the role on other relations. Only where there is no worker, or
 * the role or the extension was created in this transaction, it is numbered in
 * it.
 */
Datum
dp_number_role(PG_FUNCTION_ARGS)
{
	Oid role = PG_GETARG_OID(0);
	int number = 0;

	if (dp_ledger_is_possible() && !dp_lock_ledger_is_mine())
		number = dp_ledger_number_role(role);
	if (number == 0)
		number = number_here(role);
	PG_RETURN_INT32(number);
}
