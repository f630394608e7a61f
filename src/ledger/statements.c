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

static const StatementText statements[DP_STATEMENT_COUNT] = {
	[DP_STATEMENT_TIDY] = {"SELECT dp_noise.tidy()", 0, {InvalidOid}},
	[DP_STATEMENT_IS_DISPLACED] = {"SELECT dp_noise.is_displaced()",
								   0,
								   {InvalidOid}},
	[DP_STATEMENT_IS_COPY] = {"SELECT dp_noise.is_copy()", 0, {InvalidOid}},
	[DP_STATEMENT_FIND_RELATION] =
		{"SELECT r.relation_id, r.settings_version,"
		 " r.owner_id IS DISTINCT FROM o.id, EXISTS ("
		 "SELECT FROM dp_noise_ledger.relation_entry AS x"
		 " JOIN dp_noise_ledger.name_entry AS n"
		 " ON n.class = i.class AND n.schema_name = x.schema_name"
		 " AND n.name = x.relation_name AND n.id <> x.relation_id"
		 " WHERE (x.relation_id = i.id OR x.purse_id = i.id)"
		 " AND n.id <> i.id AND n.id <> ALL (r.inherits) AND NOT EXISTS ("
		 "SELECT FROM dp_noise_ledger.current_identity AS c"
		 " WHERE c.class = n.class AND c.id = n.id))"
		 " OR EXISTS (SELECT FROM dp_noise_ledger.relation_entry AS x"
		 " WHERE x.purse_id = i.id AND NOT x.inherits <@ (r.inherits || i.id)),"
		 " r.purse_id IS NOT NULL, CASE WHEN r.purse_id IS NOT NULL THEN ("
		 "SELECT c.object FROM dp_noise_ledger.current_identity AS c"
		 " WHERE c.class = i.class AND c.id = r.purse_id) END"
		 " FROM dp_noise_ledger.identity AS i"
		 " JOIN dp_noise_ledger.relation_entry AS r ON r.relation_id = i.id"
		 " JOIN pg_catalog.pg_class AS c ON c.oid = i.object"
		 " LEFT JOIN dp_noise_ledger.identity AS o"
		 " ON o.class = 'pg_catalog.pg_authid'::pg_catalog.regclass"
		 " AND o.object = c.relowner"
		 " WHERE i.class = 'pg_catalog.pg_class'::pg_catalog.regclass"
		 " AND i.object = $1 AND r.is_protected",
		 1,
		 {OIDOID}},
	[DP_STATEMENT_RESTORE_RELATION] = {"SELECT dp_noise.find_relation($1)",
									   1,
									   {OIDOID}},
	[DP_STATEMENT_INHERIT_RELATION] =
		{"SELECT dp_noise.inherit_spending($1, '{}')", 1, {INT4OID}},
	[DP_STATEMENT_SET_OWNER] =
		{"UPDATE dp_noise_ledger.relation_entry AS r"
		 " SET owner_id = dp_noise.make_role($2) WHERE r.relation_id = $1",
		 2,
		 {INT4OID, OIDOID}},
	/* The number, whether make_role has something to note, and heritage. */
	[DP_STATEMENT_FIND_ROLE] =
		{"SELECT i.id, coalesce(r.role_name <> a.rolname, false) OR EXISTS ("
		 "SELECT FROM dp_noise_ledger.name_entry AS n WHERE n.class = "
		 "'pg_catalog.pg_authid'::pg_catalog.regclass"
		 " AND n.schema_name = '' AND n.name = a.rolname"
		 " AND n.id IS DISTINCT FROM i.id"
		 " AND coalesce(n.id <> ALL (r.inherits), true)),"
		 " coalesce(r.inherits <> '{}', false)"
		 " FROM pg_catalog.pg_authid AS a LEFT JOIN dp_noise_ledger.identity "
		 "AS i"
		 " ON i.class = 'pg_catalog.pg_authid'::pg_catalog.regclass"
		 " AND i.object = a.oid"
		 " LEFT JOIN dp_noise_ledger.role_entry AS r ON r.role_id = i.id"
		 " WHERE a.oid = $1",
		 1,
		 {OIDOID}},
	[DP_STATEMENT_MAKE_ROLE] = {"SELECT dp_noise.make_role($1)", 1, {OIDOID}},
	[DP_STATEMENT_INHERIT_ROLE] = {"SELECT dp_noise.inherit_role($1, $2)",
								   2,
								   {INT4OID, INT4OID}},
	[DP_STATEMENT_SELECT_BUDGETS] =
		{"SELECT b.budget_id, b.role_id, i.object, b.shared, b.epsilon::text,"
		 " b.delta::text, b.epsilon_spent::text, b.delta_spent::text,"
		 " b.max_epsilon_per_query::text, b.on_repeat,"
		 " CASE WHEN b.period IS NULL THEN b.period_start"
		 " ELSE dp_noise.period_begin(b.period_start, b.period,"
		 " pg_catalog.clock_timestamp()) END, b.period_start, b.period IS NOT "
		 "NULL, b.min_epsilon_per_query::text, b.accountant, b.rho::text,"
		 " b.delta_pool::text, b.rho_spent::text, b.pool_spent::text,"
		 " b.unbounded_spent::text, b.max_failures, b.failures"
		 " FROM dp_noise_ledger.budget_entry AS b"
		 " LEFT JOIN dp_noise_ledger.identity AS i"
		 " ON i.class = 'pg_catalog.pg_authid'::pg_catalog.regclass"
		 " AND i.id = b.role_id"
		 " WHERE b.relation_id = $1 AND b.is_active"
		 " AND CASE WHEN $2 = 0 THEN b.shared ELSE b.role_id = $2 AND NOT "
		 "b.shared"
		 " END",
		 2,
		 {INT4OID, INT4OID}},
};

/* For the life of the process; the server makes them anew where tables change. */
static SPIPlanPtr plans[DP_STATEMENT_COUNT];

void
dp_statement_execute(DpStatement statement, Datum *values, const char *nulls)
{
	const StatementText *s = &statements[statement];

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
