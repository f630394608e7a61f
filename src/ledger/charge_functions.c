/*
 * charge_functions.c
 *		Charges by hand, for tests and tools.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "ledger/charge.h"
#include "ledger/numeric_amount.h"
#include "server/compat.h"
#include "server/report.h"
#include "server/result_row.h"

PG_FUNCTION_INFO_V1(dp_charge);
PG_FUNCTION_INFO_V1(dp_charge_all);
PG_FUNCTION_INFO_V1(dp_charge_preview);

/*
 * Sets the optional parts of a cost: rho, how much of delta comes from the
 * pool, and whether epsilon is finite; otherwise epsilon is only what was
 * asked for.
 */
static void
set_rho(DpCharge *charge, FunctionCallInfo fcinfo, int argno, bool is_bounded)
{
	if (!PG_ARGISNULL(argno))
		charge->cost.rho =
			dp_amount_of_numeric(PG_GETARG_DATUM(argno), true, "rho");
	if (!PG_ARGISNULL(argno + 1))
		charge->cost.pool = dp_amount_of_numeric(PG_GETARG_DATUM(argno + 1),
												 true, "delta_pool");
	if (!is_bounded)
		dp_cost_set_unbounded(&charge->cost);
}

/*
 * Fills in a charge, except its answer; question: a bytea of 32 bytes or less.
 */
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
	charge->asked = dp_amount_of_numeric(epsilon, true, "epsilon");
	dp_report_status(dp_cost_of_pure(charge->asked,
									 dp_amount_of_numeric(delta, true, "delta"),
									 &charge->cost));
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

/*
 * Charges, and keeps the answers, or NULL, of what was not replayed: both
 * requests of a question.
 */
static void
charge_and_answer(DpCharge *charges, uint32 count, char **answers,
				  DpChargeResult *results)
{
	DpCharge *fresh = palloc(Max(count, 1) * sizeof(DpCharge));
	char **kept = palloc(Max(count, 1) * sizeof(char *));
	DpChargeResult *ignored = palloc(Max(count, 1) * sizeof(DpChargeResult));
	uint32 fresh_count = 0;
	uint32 i;

	dp_ledger_charge(charges, count, results);
	for (i = 0; i < count; i++)
	{
		if (results[i].outcome != DP_OUTCOME_CHARGED)
			continue;
		fresh[fresh_count] = charges[i];
		dp_ledger_note(&fresh[fresh_count], &results[i]);
		kept[fresh_count++] = answers[i];
	}
	dp_ledger_store(fresh, fresh_count, kept, ignored);
}

/*
 * (relation regclass, epsilon numeric, delta numeric, question bytea, answer
 * bytea, rho numeric, delta_pool numeric): charges session_user; (replayed
 * boolean, answer bytea). Epsilon null: it has none. Superusers only, for
 * tests: the gate charges by itself.
 */
Datum
dp_charge(PG_FUNCTION_ARGS)
{
	DpCharge charge;
	DpChargeResult result;
	char *answers[1] = {NULL};
	Datum values[2] = {(Datum) 0, (Datum) 0};
	bool nulls[2] = {false, true};

	if (PG_ARGISNULL(0) || (PG_ARGISNULL(1) && PG_ARGISNULL(5)) ||
		PG_ARGISNULL(2) || PG_ARGISNULL(3))
		ereport(
			ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("relation, epsilon, delta and question must not be null")));
	fill_charge(&charge, PG_GETARG_OID(0),
				PG_GETARG_DATUM(PG_ARGISNULL(1) ? 5 : 1), PG_GETARG_DATUM(2),
				PG_GETARG_DATUM(3));
	set_rho(&charge, fcinfo, 5, !PG_ARGISNULL(1));
	if (!PG_ARGISNULL(4))
		answers[0] = set_answer(&charge, PG_GETARG_DATUM(4));
	charge_and_answer(&charge, 1, answers, &result);

	values[0] = BoolGetDatum(result.outcome == DP_OUTCOME_REPLAYED);
	if (result.answer != NULL)
	{
		values[1] = bytea_of(result.answer, result.answer_size);
		nulls[1] = false;
	}
	PG_RETURN_DATUM(dp_result_row(fcinfo, values, nulls));
}

/*
 * Arrays of equal length, the arguments of the function, as charges: relation,
 * epsilon, delta, question, and where there are five, answer. Their number.
 */
static int
read_charges(FunctionCallInfo fcinfo, DpCharge **charges, char ***answers)
{
	static const Oid types[5] = {REGCLASSOID, NUMERICOID, NUMERICOID, BYTEAOID,
								 BYTEAOID};
	Datum *elements[5] = {NULL};
	bool *missing[5] = {NULL};
	int count = 0;
	int i;

	for (i = 0; i < PG_NARGS(); i++)
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
	*charges = palloc(Max(count, 1) * sizeof(DpCharge));
	*answers = palloc0(Max(count, 1) * sizeof(char *));
	for (i = 0; i < count; i++)
	{
		if (missing[0][i] || missing[1][i] || missing[2][i] || missing[3][i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("relation, epsilon, delta and question must "
								   "not be null")));
		fill_charge(&(*charges)[i], DatumGetObjectId(elements[0][i]),
					elements[1][i], elements[2][i], elements[3][i]);
		if (PG_NARGS() == 5 && !missing[4][i])
			(*answers)[i] = set_answer(&(*charges)[i], elements[4][i]);
	}
	return count;
}

/*
 * As dp_charge for several aggregates of one statement: arrays of equal
 * length, in and out.
 */
Datum
dp_charge_all(PG_FUNCTION_ARGS)
{
	DpCharge *charges;
	char **answers;
	int count = read_charges(fcinfo, &charges, &answers);
	DpChargeResult *results = palloc0(Max(count, 1) * sizeof(DpChargeResult));
	Datum *replayed = palloc(Max(count, 1) * sizeof(Datum));
	Datum *answered = palloc0(Max(count, 1) * sizeof(Datum));
	bool *unanswered = palloc(Max(count, 1) * sizeof(bool));
	Datum values[2];
	bool nulls[2] = {false, false};
	int lower = 1;
	int i;

	charge_and_answer(charges, (uint32) count, answers, results);
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
	PG_RETURN_DATUM(dp_result_row(fcinfo, values, nulls));
}

static void
add_text(StringInfo json, const char *name, const char *value)
{
	appendStringInfo(
		json, "%s\"%s\": ", json->data[json->len - 1] == '{' ? "" : ", ", name);
	escape_json(json, value);
}

static void
add_amount(StringInfo json, const char *name, bool known, DpAmount amount)
{
	char text[DP_AMOUNT_TEXT];

	dp_amount_format(amount, text);
	appendStringInfo(json, ", \"%s\": %s", name, known ? text : "null");
}

static void
add_budget(StringInfo json, const DpPreviewBudget *b)
{
	static const char *const kinds[] = {[DP_BUDGET_OWN] = "own",
										[DP_BUDGET_SHARED] = "shared",
										[DP_BUDGET_TOTAL] = "total"};
	bool granted = b->limited && b->is_whole;
	bool is_zcdp = b->granted.accountant == DP_ACCOUNTANT_ZCDP;

	appendStringInfoChar(json, '{');
	add_text(json, "relation",
			 DatumGetCString(DirectFunctionCall1(
				 regclassout, ObjectIdGetDatum(b->relation))));
	add_text(json, "kind", kinds[b->kind]);
	if (b->kind != DP_BUDGET_TOTAL)
		add_text(json, "role", b->role);
	add_amount(json, "granted", granted, b->granted.epsilon);
	if (is_zcdp)
	{
		add_amount(json, "rho_granted", granted, b->granted.rho);
		add_amount(json, "rho_spent", b->is_whole, b->spent.rho);
		add_amount(json, "rho_left", b->limited, b->left.rho);
		add_amount(json, "rho_asked", true, b->asked.rho);
	}
	else
	{
		add_amount(json, "spent", b->is_whole, b->spent.epsilon);
		add_amount(json, "left", b->limited, b->left.epsilon);
		add_amount(json, "asked", true, b->asked.epsilon);
	}
	add_amount(json, "max_epsilon_per_query", b->per_query_limited,
			   b->max_epsilon_per_query);
	if (b->min_epsilon_per_query.ticks > 0)
		add_amount(json, "min_epsilon_per_query", true,
				   b->min_epsilon_per_query);
	add_amount(json, "delta_granted", granted, b->granted.delta);
	if (is_zcdp)
		add_amount(json, "delta_pool", granted, b->granted.pool);
	add_amount(json, "delta_spent", b->is_whole,
			   is_zcdp ? b->spent.pool : b->spent.delta);
	add_amount(json, "delta_left", b->limited,
			   is_zcdp ? b->left.pool : b->left.delta);
	add_amount(json, "delta_asked", true,
			   is_zcdp ? b->asked.pool : b->asked.delta);
	appendStringInfo(json, ", \"suffices\": %s}",
					 b->suffices ? "true" : "false");
}

static void
add_charge(StringInfo json, const DpChargePreview *charge)
{
	static const char *const outcomes[] = {[DP_OUTCOME_CHARGED] = "charged",
										   [DP_OUTCOME_REPLAYED] = "replayed",
										   [DP_OUTCOME_REFUSED] = "refused"};
	static const char *const refusals[] = {
		[DP_REFUSAL_NONE] = "",
		[DP_REFUSAL_NOT_PROTECTED] = "not protected",
		[DP_REFUSAL_CHANGED] = "settings changed",
		[DP_REFUSAL_NO_BUDGET] = "no budget",
		[DP_REFUSAL_ANSWERED_BEFORE] = "answered before",
		[DP_REFUSAL_ASKED_BEFORE] = "asked before",
		[DP_REFUSAL_ASKED_TWICE] = "asked twice",
		[DP_REFUSAL_BUDGET] = "budget",
		[DP_REFUSAL_TOO_LITTLE] = "too little epsilon"};

	appendStringInfoChar(json, '{');
	add_text(json, "outcome", outcomes[charge->outcome]);
	if (charge->refusal != DP_REFUSAL_NONE)
		add_text(json, "refusal", refusals[charge->refusal]);
	appendStringInfoChar(json, '}');
}

/*
 * (relation regclass[], epsilon numeric[], delta numeric[], question bytea[]):
 * what dp_charge_all would do, as json. Superusers only.
 */
Datum
dp_charge_preview(PG_FUNCTION_ARGS)
{
	DpCharge *charges;
	char **answers;
	int count = read_charges(fcinfo, &charges, &answers);
	DpPreview preview;
	StringInfoData json;
	uint32 i;

	dp_ledger_preview(charges, (uint32) count, &preview);
	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	if (preview.sqlstate != 0)
	{
		add_text(&json, "sqlstate", unpack_sql_state(preview.sqlstate));
		add_text(&json, "message", preview.message);
		add_text(&json, "detail", preview.detail);
		add_text(&json, "hint", preview.hint);
		appendStringInfoString(&json, ", ");
	}
	appendStringInfoString(&json, "\"charges\": [");
	for (i = 0; i < preview.charge_count; i++)
	{
		appendStringInfoString(&json, i == 0 ? "" : ", ");
		add_charge(&json, &preview.charges[i]);
	}
	appendStringInfoString(&json, "], \"budgets\": [");
	for (i = 0; i < preview.budget_count; i++)
	{
		appendStringInfoString(&json, i == 0 ? "" : ", ");
		add_budget(&json, &preview.budgets[i]);
	}
	appendStringInfoString(&json, "]}");
	PG_RETURN_TEXT_P(cstring_to_text_with_len(json.data, json.len));
}
