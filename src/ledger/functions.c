/*
 * functions.c
 *		SQL-callable parts of the ledger.
 */
#include "postgres.h"

#include "catalog/pg_extension.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"

#include "ledger/charge.h"
#include "ledger/slots.h"

PG_FUNCTION_INFO_V1(dp_as_owner);
PG_FUNCTION_INFO_V1(dp_charge);
PG_FUNCTION_INFO_V1(dp_charge_all);

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
	if (!superuser_arg(user) && !pg_class_ownercheck(relation, user))
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

/* numeric to amount, charges rounded up; errors for what is no amount. */
static DpAmount
amount_argument(Datum value, const char *name)
{
	char *text = DatumGetCString(DirectFunctionCall1(numeric_out, value));
	DpAmount amount;

	if (!dp_amount_parse(text, true, &amount))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a number between 0 and 10^13", name)));
	return amount;
}

/* Sets all of a charge but the answer; question: a bytea of 32 bytes or less. */
static void
fill_charge(DpCharge *charge, Oid relation, Datum epsilon, Datum delta,
			Datum question)
{
	bytea *bytes = DatumGetByteaPP(question);

	if (VARSIZE_ANY_EXHDR(bytes) > DP_FINGERPRINT_SIZE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("question must have at most %d bytes",
							   DP_FINGERPRINT_SIZE)));
	memset(charge, 0, sizeof(*charge));
	charge->relation = relation;
	charge->epsilon = amount_argument(epsilon, "epsilon");
	charge->delta = amount_argument(delta, "delta");
	memcpy(charge->fingerprint, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	strlcpy(charge->aggregate, "charge", sizeof(charge->aggregate));
	strlcpy(charge->mechanism, "none", sizeof(charge->mechanism));
}

/* The bytes of an answer to store. */
static char *
set_answer(DpCharge *charge, Datum answer)
{
	bytea *bytes = DatumGetByteaPP(answer);

	charge->answer_size = VARSIZE_ANY_EXHDR(bytes);
	return VARDATA_ANY(bytes);
}

static Datum
bytea_of(const char *bytes, uint32 size)
{
	bytea *result = palloc(VARHDRSZ + size);

	SET_VARSIZE(result, VARHDRSZ + size);
	memcpy(VARDATA(result), bytes, size);
	return PointerGetDatum(result);
}

/* A row of the function's result type. */
static Datum
result_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	TupleDesc tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(
		heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls));
}

/*
 * (relation regclass, epsilon numeric, delta numeric, question bytea,
 * answer bytea): charges session_user; (replayed boolean, answer bytea).
 * Superusers only, for tests: the gate charges by itself.
 */
Datum
dp_charge(PG_FUNCTION_ARGS)
{
	DpCharge charge;
	DpChargeResult result;
	char *answers[1] = {NULL};
	Datum values[2] = {(Datum) 0, (Datum) 0};
	bool nulls[2] = {false, true};

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) ||
		PG_ARGISNULL(3))
		ereport(
			ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("relation, epsilon, delta and question must not be null")));
	fill_charge(&charge, PG_GETARG_OID(0), PG_GETARG_DATUM(1),
				PG_GETARG_DATUM(2), PG_GETARG_DATUM(3));
	if (!PG_ARGISNULL(4))
		answers[0] = set_answer(&charge, PG_GETARG_DATUM(4));
	dp_ledger_charge(&charge, 1, answers, false, &result);

	values[0] = BoolGetDatum(result.outcome == DP_OUTCOME_REPLAYED);
	if (result.answer != NULL)
	{
		values[1] = bytea_of(result.answer, result.answer_size);
		nulls[1] = false;
	}
	PG_RETURN_DATUM(result_row(fcinfo, values, nulls));
}

/*
 * The same for several aggregates of one statement: arrays of equal length, in
 * and out.
 */
Datum
dp_charge_all(PG_FUNCTION_ARGS)
{
	static const Oid types[5] = {REGCLASSOID, NUMERICOID, NUMERICOID, BYTEAOID,
								 BYTEAOID};
	Datum *elements[5];
	bool *missing[5];
	int count = 0;
	DpCharge *charges;
	DpChargeResult *results;
	char **answers;
	Datum *replayed;
	Datum *answered;
	bool *unanswered;
	Datum values[2];
	bool nulls[2] = {false, false};
	int lower = 1;
	int i;

	for (i = 0; i < 5; i++)
	{
		int length;
		int16 typlen;
		bool byval;
		char align;

		get_typlenbyvalalign(types[i], &typlen, &byval, &align);
		deconstruct_array(PG_GETARG_ARRAYTYPE_P(i), types[i], typlen, byval,
						  align, &elements[i], &missing[i], &length);
		if (i > 0 && length != count)
			ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
							errmsg("arrays must have the same length")));
		count = length;
	}
	charges = palloc(Max(count, 1) * sizeof(DpCharge));
	results = palloc0(Max(count, 1) * sizeof(DpChargeResult));
	answers = palloc0(Max(count, 1) * sizeof(char *));
	replayed = palloc(Max(count, 1) * sizeof(Datum));
	answered = palloc0(Max(count, 1) * sizeof(Datum));
	unanswered = palloc(Max(count, 1) * sizeof(bool));
	for (i = 0; i < count; i++)
	{
		if (missing[0][i] || missing[1][i] || missing[2][i] || missing[3][i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("relation, epsilon, delta and question must "
								   "not be null")));
		fill_charge(&charges[i], DatumGetObjectId(elements[0][i]),
					elements[1][i], elements[2][i], elements[3][i]);
		if (!missing[4][i])
			answers[i] = set_answer(&charges[i], elements[4][i]);
	}
	dp_ledger_charge(charges, (uint32) count, answers, false, results);

	for (i = 0; i < count; i++)
	{
		replayed[i] = BoolGetDatum(results[i].outcome == DP_OUTCOME_REPLAYED);
		unanswered[i] = results[i].answer == NULL;
		if (!unanswered[i])
			answered[i] = bytea_of(results[i].answer, results[i].answer_size);
	}
	values[0] = PointerGetDatum(
		construct_array(replayed, count, BOOLOID, 1, true, TYPALIGN_CHAR));
	values[1] = PointerGetDatum(construct_md_array(answered, unanswered, 1,
												   &count, &lower, BYTEAOID, -1,
												   false, TYPALIGN_INT));
	PG_RETURN_DATUM(result_row(fcinfo, values, nulls));
}
