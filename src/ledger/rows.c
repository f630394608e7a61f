/*
 * rows.c
 *		Charges and spending as rows.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "commands/sequence.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"

#include "ledger/numeric_amount.h"
#include "ledger/rows.h"
#include "ledger/statements.h"
#include "ledger/tables.h"

/* Columns, in the order of the install script. */
enum
{
	CHARGE_BUDGET = 1,
	CHARGE_ID,
	CHARGE_AT,
	CHARGE_POPULATION,
	CHARGE_ROLE,
	CHARGE_MEMBER,
	CHARGE_EPSILON,
	CHARGE_DELTA,
	CHARGE_RHO,
	CHARGE_DELTA_POOL,
	CHARGE_FINGERPRINT,
	CHARGE_AGGREGATE,
	CHARGE_MECHANISM,
	CHARGE_GRANT_PAID
};

enum
{
	BUDGET_ID = 1,
	BUDGET_POPULATION,
	BUDGET_ROLE,
	BUDGET_ROLE_NAME,
	BUDGET_IS_ACTIVE,
	BUDGET_SHARED
};

enum
{
	SPENDING_BUDGET = 1,
	SPENDING_SINCE,
	SPENDING_EPSILON,
	SPENDING_DELTA,
	SPENDING_RHO,
	SPENDING_DELTA_POOL,
	SPENDING_UNBOUNDED,
	SPENDING_FAILURES
};

static Datum
fingerprint_of(const DpCharge *charge)
{
	return dp_bytes_datum(charge->fingerprint, DP_FINGERPRINT_SIZE);
}

int64
dp_rows_record(const DpCharge *charge, const DpChargeRow *from)
{
	int64 charge_id =
		nextval_internal(dp_tables_oid("charge_charge_id_seq"), false);
	TupleTableSlot *row = dp_tables_start(&dp_table_charge);

	dp_tables_set(row, CHARGE_BUDGET, Int64GetDatum(from->budget_id));
	dp_tables_set(row, CHARGE_ID, Int64GetDatum(charge_id));
	dp_tables_set(row, CHARGE_AT, TimestampTzGetDatum(GetCurrentTimestamp()));
	dp_tables_set(row, CHARGE_POPULATION, Int32GetDatum(charge->population_id));
	dp_tables_set(row, CHARGE_ROLE, CStringGetTextDatum(from->role));
	dp_tables_set(row, CHARGE_MEMBER, Int32GetDatum(from->member_id));
	if (charge->cost.unbounded.ticks == 0)
		dp_tables_set(row, CHARGE_EPSILON,
					  dp_numeric_of_amount(charge->cost.epsilon));
	dp_tables_set(row, CHARGE_DELTA, dp_numeric_of_amount(charge->cost.delta));
	dp_tables_set(row, CHARGE_RHO, dp_numeric_of_amount(charge->cost.rho));
	dp_tables_set(row, CHARGE_DELTA_POOL,
				  dp_numeric_of_amount(charge->cost.pool));
	dp_tables_set(row, CHARGE_FINGERPRINT, fingerprint_of(charge));
	dp_tables_set(row, CHARGE_AGGREGATE,
				  CStringGetTextDatum(charge->aggregate));
	dp_tables_set(row, CHARGE_MECHANISM,
				  CStringGetTextDatum(charge->mechanism));
	dp_tables_set(row, CHARGE_GRANT_PAID, BoolGetDatum(from->grant_paid));
	dp_tables_insert(&dp_table_charge);
	return charge_id;
}

bool
dp_rows_is_charge(const DpCharge *charge, int64 budget_id, bool *grant_paid)
{
	TupleTableSlot *row;
	ScanKeyData keys[2];
	bool isnull;

	ScanKeyInit(&keys[0], CHARGE_BUDGET, BTEqualStrategyNumber, F_INT8EQ,
				Int64GetDatum(budget_id));
	ScanKeyInit(&keys[1], CHARGE_ID, BTEqualStrategyNumber, F_INT8EQ,
				Int64GetDatum(charge->charge_id));
	if (!dp_tables_find(&dp_table_charge, "charge_pkey", lengthof(keys), keys))
		return false;
	row = dp_table_charge.old_row;
	*grant_paid = DatumGetBool(slot_getattr(row, CHARGE_GRANT_PAID, &isnull));
	return DatumGetInt32(slot_getattr(row, CHARGE_POPULATION, &isnull)) ==
			   charge->population_id &&
		   DatumGetBool(DirectFunctionCall2(
			   byteaeq, slot_getattr(row, CHARGE_FINGERPRINT, &isnull),
			   fingerprint_of(charge)));
}

int64
dp_rows_find_budget(int population_id, Oid role, bool *is_shared)
{
	TupleTableSlot *row;
	ScanKeyData keys[2];
	bool isnull;

	ScanKeyInit(&keys[0], BUDGET_POPULATION, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(population_id));
	ScanKeyInit(&keys[1], BUDGET_ROLE, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(role));
	if (!dp_tables_find(&dp_table_budget, "budget_role", lengthof(keys), keys))
		return 0;
	row = dp_table_budget.old_row;
	*is_shared = DatumGetBool(slot_getattr(row, BUDGET_IS_ACTIVE, &isnull)) &&
				 DatumGetBool(slot_getattr(row, BUDGET_SHARED, &isnull));
	return DatumGetInt64(slot_getattr(row, BUDGET_ID, &isnull));
}

void
dp_rows_write_spending(const DpBudget *budget)
{
	const DpPrivacyCost *spent = &budget->spent;
	ScanKeyData key;
	TupleTableSlot *row;

	ScanKeyInit(&key, SPENDING_BUDGET, BTEqualStrategyNumber, F_INT8EQ,
				Int64GetDatum(budget->budget_id));
	if (!dp_tables_find(&dp_table_spending, "spending_pkey", 1, &key))
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("a budget was removed concurrently")));
	row = dp_tables_copy(&dp_table_spending);
	dp_tables_set(row, SPENDING_SINCE, TimestampTzGetDatum(budget->since));
	dp_tables_set(row, SPENDING_EPSILON, dp_numeric_of_amount(spent->epsilon));
	dp_tables_set(row, SPENDING_DELTA, dp_numeric_of_amount(spent->delta));
	dp_tables_set(row, SPENDING_RHO, dp_numeric_of_amount(spent->rho));
	dp_tables_set(row, SPENDING_DELTA_POOL, dp_numeric_of_amount(spent->pool));
	dp_tables_set(row, SPENDING_UNBOUNDED,
				  dp_numeric_of_amount(spent->unbounded));
	dp_tables_set(row, SPENDING_FAILURES, Int32GetDatum(budget->failures));
	dp_tables_update(&dp_table_spending);
}
