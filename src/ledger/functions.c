/*
 * functions.c
 *		SQL-callable parts of the ledger.
 */
#include "postgres.h"

#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "ledger/charge.h"

PG_FUNCTION_INFO_V1(dp_require_owner);
PG_FUNCTION_INFO_V1(dp_charge);

/*
 * (relation regclass): refuses all but the owner of the relation and
 * superusers, then locks the budgets against the ledger worker until the end
 * of the transaction.
 *
 * Called by functions that run with their definer's rights, so who asks is
 * the outer user: the session's, or the one of SET ROLE.
 */
Datum
dp_require_owner(PG_FUNCTION_ARGS)
{
	Oid relation = PG_GETARG_OID(0);
	Oid user = GetOuterUserId();
	char *name = get_rel_name(relation);
	Oid extension;

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	if (!superuser_arg(user) && !pg_class_ownercheck(relation, user))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("must be owner of relation %s", name)));
	extension = get_extension_oid("dp_noise", false);
	LockDatabaseObject(ExtensionRelationId, extension, 0, ExclusiveLock);
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

/*
 * (relation regclass, epsilon numeric, delta numeric, question bytea,
 * answer bytea): charges session_user; (replayed boolean, answer bytea).
 * Superusers only, for tests: the gate charges by itself.
 */
Datum
dp_charge(PG_FUNCTION_ARGS)
{
	DpCharge charge = {0};
	DpChargeResult result;
	bytea *question;
	char *answers[1] = {NULL};
	TupleDesc tupdesc;
	Datum values[2];
	bool nulls[2] = {false, true};

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) ||
		PG_ARGISNULL(3))
		ereport(
			ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("relation, epsilon, delta and question must not be null")));
	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	question = PG_GETARG_BYTEA_PP(3);
	if (VARSIZE_ANY_EXHDR(question) > DP_FINGERPRINT_SIZE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("question must have at most %d bytes",
							   DP_FINGERPRINT_SIZE)));
	charge.relation = PG_GETARG_OID(0);
	charge.epsilon = amount_argument(PG_GETARG_DATUM(1), "epsilon");
	charge.delta = amount_argument(PG_GETARG_DATUM(2), "delta");
	memcpy(charge.fingerprint, VARDATA_ANY(question),
		   VARSIZE_ANY_EXHDR(question));
	strlcpy(charge.aggregate, "charge", sizeof(charge.aggregate));
	strlcpy(charge.mechanism, "none", sizeof(charge.mechanism));
	if (!PG_ARGISNULL(4))
	{
		bytea *answer = PG_GETARG_BYTEA_PP(4);

		charge.answer_size = VARSIZE_ANY_EXHDR(answer);
		answers[0] = VARDATA_ANY(answer);
	}
	dp_ledger_charge(&charge, 1, answers, &result);

	values[0] = BoolGetDatum(result.outcome == DP_OUTCOME_REPLAYED);
	values[1] = (Datum) 0;
	if (result.answer != NULL)
	{
		bytea *answer = palloc(VARHDRSZ + result.answer_size);

		SET_VARSIZE(answer, VARHDRSZ + result.answer_size);
		memcpy(VARDATA(answer), result.answer, result.answer_size);
		values[1] = PointerGetDatum(answer);
		nulls[1] = false;
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(
		heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}
