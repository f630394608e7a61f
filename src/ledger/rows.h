/*
 * rows.h
 *		Charges and spending as rows (tables.h).
 */
#ifndef DP_LEDGER_ROWS_H
#define DP_LEDGER_ROWS_H

#include "ledger/budgets.h"
#include "ledger/request.h"

/* A row of dp_noise_ledger.charge, but for what the request says. */
typedef struct DpChargeRow
{
	int64 budget_id; /* the asker's own */
	const char *role;
	int member_id;
	bool grant_paid;
} DpChargeRow;

/* Records a charge, and returns its charge_id. */
extern int64 dp_rows_record(const DpCharge *charge, const DpChargeRow *row);

/*
 * Whether a charge that was made is that of an asker for its question, and for
 * which the grant has paid.
 */
extern bool dp_rows_is_charge(const DpCharge *charge, int64 budget_id,
							  bool *grant_paid);

/*
 * The number of a role's budget, active or not; 0: it has none. is_shared: with the
 * members of the role.
 */
extern int64 dp_rows_find_budget(int population_id, Oid role, bool *is_shared);

/*
 * Writes back what is spent of a budget. Error: t_r_serialization_failure when
 * a superuser has removed it by hand.
 */
extern void dp_rows_write_spending(const DpBudget *budget);

#endif
