/*
 * owner_bound.c
 *		Bounds as owners write them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "ledger/owner_bound.h"
#include "server/ordered_type.h"
#include "server/plain_type.h"

bool
dp_owner_bound_has_type(Oid type)
{
	return dp_plain_type_is(type, DP_PLAIN_NUMBER) || type == TEXTOID ||
		   dp_ordered_type(type) != NULL;
}

Datum
dp_owner_bound_number(Oid column_type, Oid type, Datum bound)
{
	const DpOrderedType *ordered = dp_ordered_type(column_type);
	Oid function;
	Oid io_param;
	bool is_varlena;
	char *text;
	int64 number;

	getTypeOutputInfo(type, &function, &is_varlena);
	text = OidOutputFunctionCall(function, bound);
	if (ordered == NULL)
		return DirectFunctionCall3(numeric_in, CStringGetDatum(text),
								   ObjectIdGetDatum(InvalidOid),
								   Int32GetDatum(-1));
	getTypeInputInfo(column_type, &function, &io_param);
	number =
		ordered->number_of(OidInputFunctionCall(function, text, io_param, -1));
	if (number < ordered->least || number > ordered->greatest)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("bounds must be finite, and lower must not exceed upper"),
			 errhint("Write the least and the greatest value that a "
					 "row can sensibly have; two nulls remove the "
					 "bounds.")));
	return NumericGetDatum(int64_to_numeric(number));
}
