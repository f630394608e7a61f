/*
 * expected_error.c
 *		dp_expected_error(): what error to expect of a mechanism.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"

#include "functions/planning_noise.h"
#include "mechanisms/expected_error.h"

PG_FUNCTION_INFO_V1(dp_expected_error);

/* (mechanism text, epsilon, sensitivity) -> (E|X|, rms, 95% half-width) */
Datum
dp_expected_error(PG_FUNCTION_ARGS)
{
	double epsilon = PG_GETARG_FLOAT8(1);
	DpPlanningNoise planning;
	DpError error;
	TupleDesc tupdesc;
	Datum values[3];
	bool nulls[3] = {false, false, false};

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	dp_planning_noise_init(&planning, text_to_cstring(PG_GETARG_TEXT_PP(0)),
						   epsilon, PG_GETARG_FLOAT8(2));
	dp_expected_error_of(&planning.noise, epsilon, &error);
	values[0] = Float8GetDatum(error.mean_absolute * planning.step);
	values[1] = Float8GetDatum(error.root_mean_square * planning.step);
	values[2] = Float8GetDatum(error.half_width_95 * planning.step);
	PG_RETURN_DATUM(HeapTupleGetDatum(
		heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}
