/*
 * owner_functions.c
 *		The functions for owners of relations and populations.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "ledger/doubts.h"
#include "ledger/locks.h"
#include "ledger/named_populations.h"
#include "ledger/owner_bound.h"
#include "server/citus.h"
#include "server/column_names.h"
#include "server/compat.h"
#include "server/compat_permissions.h"
#include "server/ownership.h"
#include "server/version.h"

PG_FUNCTION_INFO_V1(dp_as_owner);
PG_FUNCTION_INFO_V1(dp_set_bounds);
PG_FUNCTION_INFO_V1(dp_as_population_owner);
PG_FUNCTION_INFO_V1(dp_alter_population);
PG_FUNCTION_INFO_V1(dp_read_as_population_owner);
PG_FUNCTION_INFO_V1(dp_as_user);

/*
 * Refuses transactions that see the ledger as it was when they began: they
 * would use outdated settings, charges and names.
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

/* The function that is called, and what it is called for. */
typedef struct OwnerCall
{
	Oid relation; /* or ... */
	DpNamedPopulation population;
	const char *schema;
	const char *name;	 /* of the function */
	int number_of_types; /* of its parameters */
	Oid types[FUNC_MAX_ARGS];
	NullableDatum args[FUNC_MAX_ARGS];
} OwnerCall;

static void
begin_call(FunctionCallInfo fcinfo, OwnerCall *call)
{
	Oid function = fcinfo->flinfo->fn_oid;
	HeapTuple tuple;
	Form_pg_proc outer;

	dp_check_version();
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	outer = (Form_pg_proc) GETSTRUCT(tuple);
	call->schema = get_namespace_name(outer->pronamespace);
	call->name = pstrdup(NameStr(outer->proname));
	if (strcmp(call->name, "harden") != 0) /* about a server, not the ledger */
		dp_citus_refuse_ledger();
	call->number_of_types = outer->pronargs;
	memcpy(call->types, outer->proargtypes.values,
		   outer->pronargs * sizeof(Oid));
	memcpy(call->args, fcinfo->args, PG_NARGS() * sizeof(NullableDatum));
	ReleaseSysCache(tuple);
}

/* The first argument of a type. */
static int
find_argument(const OwnerCall *call, Oid type)
{
	int number = 0;

	while (call->types[number] != type)
		number++;
	return number;
}

/*
 * Refuses all but the owner of the relation (the argument of type regclass)
 * and superusers, and locks what the relation is declared to be until the end of the
 * transaction.
 *
 * Who asks is the current user, before any definer's rights: neither the
 * session's user nor the one of SET ROLE, in whose name an index expression
 * (under ANALYZE, even autovacuum's) or a SECURITY DEFINER function of an
 * analyst would be as good as the superuser that happens to run it.
 */
static void
begin_as_owner(FunctionCallInfo fcinfo, OwnerCall *call)
{
	int number;

	begin_call(fcinfo, call);
	number = find_argument(call, REGCLASSOID);
	if (PG_ARGISNULL(number))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("relation must not be null"),
				 errhint("Write the name of a table, such as 'patients'.")));
	call->relation = PG_GETARG_OID(number);
	dp_check_owner(call->relation);
	check_isolation();
	dp_lock_as_owner(call->relation);
	dp_lock_declared(call->relation);
	dp_check_owner(call->relation);
}

/*
 * Calls the function do_X, whose body runs with its definer's rights and which
 * nobody else may call. What it returns is the result of X.
 */
static Datum
call_body(FunctionCallInfo outer, const OwnerCall *call)
{
	LOCAL_FCINFO(fcinfo, FUNC_MAX_ARGS);
	FmgrInfo inner;
	Datum result;
	List *name = list_make2(makeString(pstrdup(call->schema)),
							makeString(psprintf("do_%s", call->name)));

	fmgr_info(LookupFuncName(name, call->number_of_types, call->types, false),
			  &inner);
	InitFunctionCallInfoData(*fcinfo, &inner, (short) call->number_of_types,
							 InvalidOid, NULL, outer->resultinfo);
	memcpy(fcinfo->args, call->args,
		   call->number_of_types * sizeof(NullableDatum));
	result = FunctionCallInvoke(fcinfo);
	outer->isnull = fcinfo->isnull;
	return result;
}

/* The same; plans that the gate made under the old settings must be made anew. */
static void
call_as_owner(FunctionCallInfo fcinfo, const OwnerCall *call)
{
	(void) call_body(fcinfo, call);
	CacheInvalidateRelcacheByRelid(call->relation);
}

/* The population that a relation is in now; false if there is none. */
static bool
find_population_of(Oid relation, DpNamedPopulation *population)
{
	bool is_there;

	CommandCounterIncrement();
	PushActiveSnapshot(GetLatestSnapshot());
	is_there = dp_find_population_of(relation, population);
	PopActiveSnapshot();
	return is_there;
}

/*
 * Tells an owner who has put a relation into the population of another one, perhaps
 * by a name that others have prepared. Bodies, which run with their definer's
 * rights, tell nothing but errors.
 */
static void
tell_of_population(Oid relation, const DpNamedPopulation *population)
{
	const char *owner;

	if (population->owner == dp_owner_of(relation))
		return;
	owner = GetUserNameFromId(population->owner, true);
	ereport(
		NOTICE,
		(errmsg("relation %s is now in population \"%s\" of another owner",
				get_rel_name(relation), population->name),
		 owner != NULL
			 ? errdetail("Role %s grants the budgets to ask about it, "
						 "and asks without one.",
						 quote_identifier(owner))
			 : errdetail("Superusers grant the budgets to ask about "
						 "it: its owner is gone."),
		 errhint("If that is not meant, end it with dp_noise.unprotect().")));
}

/* The function that owners of relations call. */
Datum
dp_as_owner(PG_FUNCTION_ARGS)
{
	OwnerCall call;
	DpNamedPopulation before;
	DpNamedPopulation after;
	bool was_protected;
	bool is_protected;

	begin_as_owner(fcinfo, &call);
	was_protected = find_population_of(call.relation, &before);
	call_as_owner(fcinfo, &call);
	is_protected = find_population_of(call.relation, &after);
	if (is_protected &&
		!(was_protected && after.population_id == before.population_id))
		tell_of_population(call.relation, &after);
	if (is_protected && strcmp(call.name, "protect") == 0)
		dp_doubts_tell(call.relation, after.name);
	PG_RETURN_VOID();
}

/* The function that everybody may call: do_X is told who does. */
Datum
dp_as_user(PG_FUNCTION_ARGS)
{
	OwnerCall call;

	begin_call(fcinfo, &call);
	check_isolation();
	memmove(&call.types[1], &call.types[0], call.number_of_types * sizeof(Oid));
	memmove(&call.args[1], &call.args[0],
			call.number_of_types * sizeof(NullableDatum));
	call.number_of_types++;
	call.types[0] = OIDOID;
	call.args[0].value = ObjectIdGetDatum(GetUserId());
	call.args[0].isnull = false;
	return call_body(fcinfo, &call);
}

/*
 * The relation that a text names for the caller; InvalidOid for none, and for one
 * in a schema that the caller may not use.
 */
static Oid
relation_of(const char *text)
{
	List *names;
	Oid schema;

	if (!SplitIdentifierString(pstrdup(text), '.', &names))
		return InvalidOid;
	if (list_length(names) == 1)
		return RelnameGetRelid(linitial(names));
	if (list_length(names) != 2)
		return InvalidOid;
	schema = get_namespace_oid(linitial(names), true);
	if (!OidIsValid(schema) || !dp_compat_may_use_schema(schema, GetUserId()))
		return InvalidOid;
	return get_relname_relid(lsecond(names), schema);
}

/* Whether the current user may change a population. */
static bool
is_own(const DpNamedPopulation *population)
{
	return superuser() || has_privs_of_role(GetUserId(), population->owner);
}

/*
 * Of the population of a name and that of a relation of this name, which has
 * another owner: the one that the current user may change, and none where it may
 * change both. Everybody can take names of populations, so what somebody else has
 * called so must not get what was meant for the relation's.
 */
static void
choose_as_owner(const char *text, const DpNamedPopulation *of_relation,
				DpNamedPopulation *population)
{
	if (!is_own(of_relation))
		return;
	if (is_own(population))
		ereport(ERROR,
				(errcode(ERRCODE_AMBIGUOUS_ALIAS),
				 errmsg("\"%s\" names a population, and a relation in "
						"population \"%s\" of another owner",
						text, of_relation->name),
				 errhint("Write '%s' for that of the relation. For the one of "
						 "that name, SET ROLE to its owner \"%s\".",
						 of_relation->name,
						 GetUserNameFromId(population->owner, true))));
	*population = *of_relation;
}

/*
 * The population that a text names, which the current user must own: one of that
 * name, or the one that a relation of that name is in, in the active snapshot.
 */
static void
find_as_owner(const char *text, DpNamedPopulation *population)
{
	DpNamedPopulation of_relation;
	bool is_named;
	bool is_related;

	is_named = dp_find_population(text, population);
	is_related = dp_find_population_of(relation_of(text), &of_relation);
	if (!is_named && !is_related)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("population \"%s\" does not exist", text),
				 errhint("Write the name of a population, or of a protected "
						 "relation that is in it.")));
	if (!is_named)
		*population = of_relation;
	else if (is_related && of_relation.owner != population->owner)
		choose_as_owner(text, &of_relation, population);
	if (!is_own(population))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of population %s", population->name)));
}

/* The same as it is now: the statement may have made it, or others meanwhile. */
static void
find_now_as_owner(const char *text, DpNamedPopulation *population)
{
	PushActiveSnapshot(GetLatestSnapshot());
	find_as_owner(text, population);
	PopActiveSnapshot();
}

/* Finds the population, and locks it until the end of the transaction. */
static void
lock_as_owner(const char *text, DpNamedPopulation *population)
{
	int locked;

	find_now_as_owner(text, population);
	do
	{
		locked = population->population_id;
		dp_lock_population_as_owner(locked);
		find_now_as_owner(text, population);
	} while (population->population_id != locked);
}

/* Makes plans about members of a population be made anew. */
static void
invalidate_members(int population_id)
{
	Oid types[1] = {INT4OID};
	Oid function = LookupFuncName(list_make2(makeString(pstrdup("dp_noise")),
											 makeString(pstrdup("members_of"))),
								  1, types, false);
	ArrayType *members = DatumGetArrayTypeP(
		OidFunctionCall1(function, Int32GetDatum(population_id)));
	const Oid *oids = (const Oid *) ARR_DATA_PTR(members);
	int count = ArrayGetNItems(ARR_NDIM(members), ARR_DIMS(members));
	int i;

	for (i = 0; i < count; i++)
	{
		if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(oids[i])))
			CacheInvalidateRelcacheByRelid(oids[i]);
	}
}

/* The text that names a population, by its number among the arguments. */
static char *
population_argument(FunctionCallInfo fcinfo, int number)
{
	if (PG_ARGISNULL(number))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("population must not be null"),
				 errhint("Write the name of a population, or of a protected "
						 "relation that is in it.")));
	return text_to_cstring(PG_GETARG_TEXT_PP(number));
}

/*
 * The function that owners of populations call: do_X gets the exact name in place of
 * the argument of type text.
 */
Datum
dp_as_population_owner(PG_FUNCTION_ARGS)
{
	OwnerCall call;
	int number;

	begin_call(fcinfo, &call);
	number = find_argument(&call, TEXTOID);
	check_isolation();
	lock_as_owner(population_argument(fcinfo, number), &call.population);
	call.args[number].value = CStringGetTextDatum(call.population.name);
	(void) call_body(fcinfo, &call);
	CommandCounterIncrement();
	invalidate_members(call.population.population_id);
	PG_RETURN_VOID();
}

/*
 * The same for alter_population. Its new owner must be one whom the current user may
 * act for, as for ALTER TABLE ... OWNER TO: what somebody has prepared, with budgets
 * and members, is not to be found by others as their own.
 */
Datum
dp_alter_population(PG_FUNCTION_ARGS)
{
	OwnerCall call;
	int number;

	begin_call(fcinfo, &call);
	number = find_argument(&call, REGROLEOID);
	if (!PG_ARGISNULL(number))
		dp_compat_check_may_give_to(GetUserId(), PG_GETARG_OID(number));
	return dp_as_population_owner(fcinfo);
}

/*
 * The same for what changes nothing, without the lock. The body looks for the name
 * again, so it sees what the owner was found in: a name may pass to somebody else.
 */
Datum
dp_read_as_population_owner(PG_FUNCTION_ARGS)
{
	OwnerCall call;
	Datum result;
	int number;

	begin_call(fcinfo, &call);
	number = find_argument(&call, TEXTOID);
	PushActiveSnapshot(GetLatestSnapshot());
	find_as_owner(population_argument(fcinfo, number), &call.population);
	call.args[number].value = CStringGetTextDatum(call.population.name);
	result = call_body(fcinfo, &call);
	PopActiveSnapshot();
	return result;
}

/* dp_noise.set_bounds(relation, column_name, lower, upper) */
Datum
dp_set_bounds(PG_FUNCTION_ARGS)
{
	OwnerCall call;
	AttrNumber column = InvalidAttrNumber;
	Oid column_type = InvalidOid;
	int i;

	begin_as_owner(fcinfo, &call);
	if (!PG_ARGISNULL(1))
		column = dp_column_named(call.relation,
								 text_to_cstring(PG_GETARG_TEXT_PP(1)));
	if (column > 0)
		column_type = getBaseType(get_atttype(call.relation, column));
	for (i = 2; i < 4; i++)
	{
		Oid type;

		call.types[i] = NUMERICOID;
		if (PG_ARGISNULL(i)) /* may have no type, in the fast-path protocol */
			continue;
		type = get_fn_expr_argtype(fcinfo->flinfo, i);
		if (OidIsValid(type))
			type = getBaseType(type);
		if (!dp_owner_bound_has_type(type))
			ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
							errmsg("bounds cannot be of type %s",
								   format_type_be(type)),
							errhint("Write numbers, dates or times.")));

		/*
		 * Errors about other types, and missing columns, come from the
		 * function called below.
		 */
		if (dp_owner_bound_has_type(column_type) && column_type != TEXTOID)
			call.args[i].value =
				dp_owner_bound_number(column_type, type, PG_GETARG_DATUM(i));
		else
			call.args[i].value = NumericGetDatum(int64_to_numeric(0));
	}
	call_as_owner(fcinfo, &call);
	PG_RETURN_VOID();
}
