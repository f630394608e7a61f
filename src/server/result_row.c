/*
 * result_row.c
 *		Rows as results.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "funcapi.h"

#include "server/result_row.h"

Datum
dp_result_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	TupleDesc tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(
		heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls));
}
