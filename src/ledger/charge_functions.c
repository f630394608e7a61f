/*
 * charge_functions.c
 *		Charges by hand, for tests and tools.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "ledger/charge.h"
#include "ledger/named_populations.h"
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

/* The number of the population that a relation is in; 0: it is in none. */
static int
population_of(Oid relation)
{
	DpNamedPopulation population;

	return dp_find_population_of(relation, &population)
			   ? population.population_id
			   : 0;
}

/* Names the draw: who pays the same for the question gets the same answer. */
static void
set_draw(DpCharge *charge)
{
	pg_cryptohash_ctx *hash = pg_cryptohash_create(PG_SHA256);

	if (hash == NULL || pg_cryptohash_init(hash) < 0 ||
		pg_cryptohash_update(hash, charge->fingerprint, DP_FINGERPRINT_SIZE) <
			0 ||
		pg_cryptohash_update(hash, (const uint8 *) &charge->asked,
							 sizeof(charge->asked)) < 0 ||
		pg_cryptohash_update(hash, (const uint8 *) &charge->cost,
							 sizeof(charge->cost)) < 0 ||
		pg_cryptohash_final(hash, charge->draw, sizeof(charge->draw)) < 0)
		elog(ERROR, "could not hash a question");
	pg_cryptohash_free(hash);
	charge->has_draw = true;
}

/*
 * Fills in a charge, except its answer, about one relation of the request;
 * question: a bytea of 32 bytes or less.
 */
static void
fill_charge(DpCharge *charge, Oid relation, uint32 number, Datum epsilon,
			Datum delta, Datum question)
{
	bytea *bytes = DatumGetByteaPP(question);

	if (VARSIZE_ANY_EXHDR(bytes) > DP_FINGERPRINT_SIZE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("question must have at most %d bytes",
							   DP_FINGERPRINT_SIZE)));
	memset(charge, 0, sizeof(*charge));
	charge->population_id = population_of(relation);
	charge->first_relation = number;
	charge->relation_count = 1;
	charge->asked = dp_amount_of_numeric(epsilon, true, "epsilon");
	dp_report_status(dp_cost_of_pure(charge->asked,
									 dp_amount_of_numeric(delta, true, "delta"),
									 &charge->cost));
	memcpy(charge->fingerprint, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	strlcpy(charge->aggregate, "charge", sizeof(charge->aggregate));
	strlcpy(charge->mechanism, "none", sizeof(charge->mechanism));
	set_draw(charge);
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
 * Charges, and keeps the answers, or NULL, of what was neither replayed nor shared:
 * both requests of a question.
 */
static void
charge_and_answer(const DpAsk *ask, char **answers, DpChargeResult *results)
{
	uint32 count = ask->count;
	DpCharge *fresh = palloc(Max(count, 1) * sizeof(DpCharge));
	char **kept = palloc(Max(count, 1) * sizeof(char *));
	DpChargeResult *stored = palloc(Max(count, 1) * sizeof(DpChargeResult));
	DpAsk made = *ask;
	uint32 next = 0;
	uint32 i;

	made.charges = fresh;
	made.count = 0;
	dp_ledger_charge(ask, results);
	for (i = 0; i < count; i++)
	{
		if (results[i].outcome != DP_OUTCOME_CHARGED)
			continue;
		fresh[made.count] = ask->charges[i];
		dp_ledger_note(&fresh[made.count], &results[i]);
		kept[made.count++] = answers[i];
	}
	dp_ledger_store(&made, kept, stored);
	for (i = 0; i < count; i++)
	{
		if (results[i].outcome != DP_OUTCOME_CHARGED)
			continue;
		results[i].answer = stored[next].answer;
		results[i].answer_size = stored[next++].answer_size;
	}
}

/*
 * (relation regclass, epsilon numeric, delta numeric, question bytea, answer
 * bytea, rho numeric, delta_pool numeric): charges session_user; (replayed
 * boolean, answer bytea: one that was there). Epsilon null: it has none. Superusers only, for
 * tests: the gate charges by itself.
 */
Datum
dp_charge(PG_FUNCTION_ARGS)
{
	DpCharge charge;
	DpAskedRelation relation = {.is_named = true};
	DpAsk ask = {&charge, 1, &relation, 1};
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
	relation.relation = PG_GETARG_OID(0);
	fill_charge(&charge, relation.relation, 0,
				PG_GETARG_DATUM(PG_ARGISNULL(1) ? 5 : 1), PG_GETARG_DATUM(2),
				PG_GETARG_DATUM(3));
	set_rho(&charge, fcinfo, 5, !PG_ARGISNULL(1));
	set_draw(&charge);
	if (!PG_ARGISNULL(4))
		answers[0] = set_answer(&charge, PG_GETARG_DATUM(4));
	charge_and_answer(&ask, answers, &result);

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
 * epsilon, delta, question, and where there are five, answer.
 */
static void
read_charges(FunctionCallInfo fcinfo, DpAsk *ask, char ***answers)
{
	static const Oid types[5] = {REGCLASSOID, NUMERICOID, NUMERICOID, BYTEAOID,
								 BYTEAOID};
	Datum *elements[5] = {NULL};
	bool *missing[5] = {NULL};
	DpCharge *charges;
	DpAskedRelation *relations;
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
	charges = palloc(Max(count, 1) * sizeof(DpCharge));
	relations = palloc0(Max(count, 1) * sizeof(DpAskedRelation));
	*answers = palloc0(Max(count, 1) * sizeof(char *));
	for (i = 0; i < count; i++)
	{
		if (missing[0][i] || missing[1][i] || missing[2][i] || missing[3][i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("relation, epsilon, delta and question must "
								   "not be null")));
		relations[i].relation = DatumGetObjectId(elements[0][i]);
		relations[i].is_named = true;
		fill_charge(&charges[i], relations[i].relation, (uint32) i,
					elements[1][i], elements[2][i], elements[3][i]);
		if (PG_NARGS() == 5 && !missing[4][i])
			(*answers)[i] = set_answer(&charges[i], elements[4][i]);
	}
	*ask = (DpAsk){charges, (uint32) count, relations, (uint32) count};
}

/*
 * As dp_charge for several aggregates of one statement: arrays of equal
 * length, in and out.
 */
Datum
dp_charge_all(PG_FUNCTION_ARGS)
{
	DpAsk ask;
	char **answers;
	int count;
	DpChargeResult *results;
	Datum *replayed;
	Datum *answered;
	bool *unanswered;
	Datum values[2];
	bool nulls[2] = {false, false};
	int lower = 1;
	int i;

	read_charges(fcinfo, &ask, &answers);
	count = (int) ask.count;
	results = palloc0(Max(count, 1) * sizeof(DpChargeResult));
	replayed = palloc(Max(count, 1) * sizeof(Datum));
	answered = palloc0(Max(count, 1) * sizeof(Datum));
	unanswered = palloc(Max(count, 1) * sizeof(bool));
	charge_and_answer(&ask, answers, results);
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
										[DP_BUDGET_GRANT] = "grant"};
	bool granted = b->is_whole;
	bool is_zcdp = b->granted.accountant == DP_ACCOUNTANT_ZCDP;

	appendStringInfoChar(json, '{');
	add_text(json, "population", b->population);
	add_text(json, "kind", kinds[b->kind]);
	if (b->kind != DP_BUDGET_GRANT)
		add_text(json, "role", b->role);
	add_amount(json, "granted", granted, b->granted.epsilon);
	if (is_zcdp)
	{
		add_amount(json, "rho_granted", granted, b->granted.rho);
		add_amount(json, "rho_spent", b->is_whole, b->spent.rho);
		add_amount(json, "rho_left", true, b->left.rho);
		add_amount(json, "rho_asked", true, b->asked.rho);
	}
	else
	{
		add_amount(json, "spent", b->is_whole, b->spent.epsilon);
		add_amount(json, "left", true, b->left.epsilon);
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
	add_amount(json, "delta_left", true,
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
										   [DP_OUTCOME_SHARED] = "shared",
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
		[DP_REFUSAL_TOO_LITTLE] = "too little epsilon",
		[DP_REFUSAL_FAILURES] = "failures"};

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
	DpAsk ask;
	char **answers;
	DpPreview preview;
	StringInfoData json;
	uint32 i;

	read_charges(fcinfo, &ask, &answers);
	dp_ledger_preview(&ask, &preview);
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
