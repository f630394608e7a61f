/*
 * accountant_functions.c
 *		Conversions of grants and charges for accountants, used by the ledger's
 *		own SQL functions; the current price of an aggregate.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "accounting/account.h"
#include "ledger/numeric_amount.h"
#include "server/compat.h"
#include "server/report.h"
#include "server/result_row.h"
#include "server/settings.h"

PG_FUNCTION_INFO_V1(dp_cost_of_epsilon);
PG_FUNCTION_INFO_V1(dp_rho_of_grant);
PG_FUNCTION_INFO_V1(dp_epsilon_of_rho);
PG_FUNCTION_INFO_V1(dp_current_epsilon);
PG_FUNCTION_INFO_V1(dp_current_rho);
PG_FUNCTION_INFO_V1(dp_asked_epsilon);

/* (epsilon numeric, delta numeric): dp_noise_ledger.cost */
Datum
dp_cost_of_epsilon(PG_FUNCTION_ARGS)
{
	DpPrivacyCost cost;
	Datum values[5];
	bool nulls[5] = {false, false, false, false, false};

	dp_report_status(dp_cost_of_pure(
		dp_amount_of_numeric(PG_GETARG_DATUM(0), true, "epsilon"),
		dp_amount_of_numeric(PG_GETARG_DATUM(1), true, "delta"), &cost));
	values[0] = dp_numeric_of_amount(cost.epsilon);
	values[1] = dp_numeric_of_amount(cost.delta);
	values[2] = dp_numeric_of_amount(cost.rho);
	values[3] = dp_numeric_of_amount(cost.pool);
	values[4] = dp_numeric_of_amount(cost.unbounded);
	PG_RETURN_DATUM(dp_result_row(fcinfo, values, nulls));
}

/* (epsilon numeric, delta numeric, delta_pool numeric): numeric */
Datum
dp_rho_of_grant(PG_FUNCTION_ARGS)
{
	DpGrant grant;

	dp_report_status(dp_grant_init(
		&grant, DP_ACCOUNTANT_ZCDP,
		dp_amount_of_numeric(PG_GETARG_DATUM(0), false, "epsilon"),
		dp_amount_of_numeric(PG_GETARG_DATUM(1), false, "delta"),
		dp_amount_of_numeric(PG_GETARG_DATUM(2), true, "delta_pool")));
	PG_RETURN_DATUM(dp_numeric_of_amount(grant.rho));
}

/* (rho numeric, delta numeric): numeric */
Datum
dp_epsilon_of_rho(PG_FUNCTION_ARGS)
{
	DpAmount rho = dp_amount_of_numeric(PG_GETARG_DATUM(0), true, "rho");
	DpAmount delta = dp_amount_of_numeric(PG_GETARG_DATUM(1), false, "delta");
	DpAmount epsilon;

	if (!dp_amount_from_double(dp_cost_epsilon_of_rho(rho, delta), &epsilon))
		PG_RETURN_DATUM(DirectFunctionCall3(
			numeric_in, CStringGetDatum("Infinity"),
			ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
	PG_RETURN_DATUM(dp_numeric_of_amount(epsilon));
}

/*
 * The epsilon of an aggregate that names none; the function's argument is the
 * budgets' default_epsilon, or null.
 */
static DpAmount
current_epsilon(FunctionCallInfo fcinfo)
{
	double by_budget = 0;
	DpAmount amount;

	if (!PG_ARGISNULL(0))
		by_budget = DatumGetFloat8(
			DirectFunctionCall1(numeric_float8, PG_GETARG_DATUM(0)));
	if (!dp_amount_from_double(dp_setting_epsilon_or(by_budget), &amount))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("epsilon is out of range")));
	return amount;
}

/* (by_budget numeric): numeric */
Datum
dp_current_epsilon(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(dp_numeric_of_amount(current_epsilon(fcinfo)));
}

/* (by_budget numeric): numeric */
Datum
dp_current_rho(PG_FUNCTION_ARGS)
{
	DpAmount rho;

	dp_report_status(dp_cost_price(current_epsilon(fcinfo), &rho));
	PG_RETURN_DATUM(dp_numeric_of_amount(rho));
}

/* (by_budget double precision): double precision */
Datum
dp_asked_epsilon(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(dp_setting_epsilon_or(PG_GETARG_FLOAT8(0)));
}
