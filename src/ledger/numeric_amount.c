/*
 * numeric_amount.c
 *		From numeric to amounts and back, by their texts.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/numeric.h"

#include "ledger/numeric_amount.h"

DpAmount
dp_amount_of_numeric(Datum value, bool up, const char *name)
{
	char *text = DatumGetCString(DirectFunctionCall1(numeric_out, value));
	DpAmount amount;

	if (!dp_amount_parse(text, up, &amount))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a number between 0 and 10^13", name)));
	return amount;
}

Datum
dp_numeric_of_amount(DpAmount amount)
{
	char text[DP_AMOUNT_TEXT];

	dp_amount_format(amount, text);
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}
