/*
 * statements.c
 *		The ledger worker's statements, and their results.
 *
 * Every SQL text here is fully qualified and runs with the search path that
 * the worker sets for itself.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"

#include "ledger/statements.h"
#include "server/compat.h"

typedef struct StatementText
{
	const char *text;
	int nargs;
	Oid types[8];
} StatementText;

/* Budgets, with what was spent of them in their current period. */
#define SELECT_BUDGETS \
	"SELECT a.budget_id, a.role, a.pays, a.shared, a.epsilon::text," \
	" a.delta::text, a.rho::text, a.delta_pool::text," \
	" a.max_epsilon_per_query::text, a.min_epsilon_per_query::text," \
	" a.max_failures, a.relations, a.period IS NOT NULL, a.began," \
	" (a.spent).epsilon::text, (a.spent).delta::text, (a.spent).rho::text," \
	" (a.spent).delta_pool::text, (a.spent).unbounded::text, a.failures" \
	" FROM dp_noise_ledger.account AS a"

static const StatementText statements[DP_STATEMENT_COUNT] = {
	[DP_STATEMENT_NOTICE_PLACE] = {"SELECT dp_noise.notice_place()",
								   0,
								   {InvalidOid}},
	[DP_STATEMENT_IS_DISPLACED] = {"SELECT dp_noise.is_displaced()",
								   0,
								   {InvalidOid}},
	[DP_STATEMENT_IS_COPY] = {"SELECT dp_noise.is_copy()", 0, {InvalidOid}},
	[DP_STATEMENT_FIND_POPULATION] =
		{"SELECT p.name, p.owner, p.accountant, p.on_repeat, p.share_answers,"
		 " p.answers_expire FROM dp_noise_ledger.population AS p"
		 " WHERE p.population_id = $1 AND NOT p.is_dropped",
		 1,
		 {INT4OID}},
	[DP_STATEMENT_SELECT_GRANT] =
		{SELECT_BUDGETS " WHERE a.population_id = $1 AND a.role IS NULL",
		 1,
		 {INT4OID}},

	[DP_STATEMENT_SELECT_BUDGETS] = {SELECT_BUDGETS
									 " WHERE a.budget_id = ANY ($1)",
									 1,
									 {INT8ARRAYOID}},
	[DP_STATEMENT_MAKE_BUDGET] =
		{"WITH made AS ("
		 "INSERT INTO dp_noise_ledger.budget"
		 " (population_id, role_name, is_active, shared, epsilon, delta)"
		 " SELECT $1, r.rolname, false, false, 0, 0"
		 " FROM pg_catalog.pg_roles AS r WHERE r.oid = $2"
		 " RETURNING budget_id)"
		 " INSERT INTO dp_noise_ledger.spending (budget_id)"
		 " SELECT budget_id FROM made RETURNING budget_id",
		 2,
		 {INT4OID, OIDOID}},
	[DP_STATEMENT_FIND_MEMBER] =
		{"SELECT m.population_id, m.member_id, m.settings_version"
		 " FROM dp_noise_ledger.member AS m"
		 " WHERE m.relation = $1 AND m.relation <> 0",
		 1,
		 {OIDOID}},
	[DP_STATEMENT_FIND_ALLOWANCE] =
		{"SELECT FROM dp_noise_ledger.allowance AS a"
		 " WHERE a.population_id = $1 AND a.role = $2 AND a.role_name ="
		 " (SELECT r.rolname FROM pg_catalog.pg_roles AS r WHERE r.oid = $2)",
		 2,
		 {INT4OID, OIDOID}},
};

/* For the life of the process; the server makes them anew where tables change. */
static SPIPlanPtr plans[DP_STATEMENT_COUNT];

void
dp_statement_execute(DpStatement statement, Datum *values, const char *nulls)
{
	const StatementText *s = &statements[statement];
	MemoryContext context = CurrentMemoryContext;

	if (plans[statement] == NULL)
	{
		SPIPlanPtr plan = SPI_prepare(s->text, s->nargs, (Oid *) s->types);

		if (plan == NULL)
			elog(ERROR, "could not prepare a statement of the ledger: %s",
				 SPI_result_code_string(SPI_result));
		SPI_keepplan(plan);
		plans[statement] = plan;
	}
	if (SPI_execute_plan(plans[statement], values, nulls, false, 0) < 0)
		elog(ERROR, "could not execute a statement of the ledger");
	MemoryContextSwitchTo(context); /* from SPI's own, which is short-lived */
}

Datum
dp_statement_column(uint64 row, int number, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, number,
						 isnull);
}

bool
dp_statement_amount(uint64 row, int number, bool up, DpAmount *amount)
{
	char *text =
		SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, number);

	amount->ticks = 0;
	if (text == NULL)
		return false;
	if (!dp_amount_parse(text, up, amount))
		elog(ERROR, "invalid amount \"%s\" in the ledger", text);
	return true;
}

Datum
dp_bytes_datum(const void *bytes, Size size)
{
	bytea *result = palloc(VARHDRSZ + size);

	SET_VARSIZE(result, VARHDRSZ + size);
	memcpy(VARDATA(result), bytes, size);
	return PointerGetDatum(result);
}
