/*
 * numeric_amount.h
 *		Amounts in SQL.
 */
#ifndef DP_LEDGER_NUMERIC_AMOUNT_H
#define DP_LEDGER_NUMERIC_AMOUNT_H

#include "accounting/amount.h"

/*
 * A numeric as an amount, places beyond the 24th rounded up or down. Error:
 * invalid_parameter_value, by the name of the argument, where it is none.
 */
extern DpAmount dp_amount_of_numeric(Datum value, bool up, const char *name);

/* All of an amount. */
extern Datum dp_numeric_of_amount(DpAmount amount);

#endif
