/*
 * square_state.c
 *		The SQL type dp_noise.square_state: text form and merging.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregates/integer_text.h"
#include "aggregates/square_state.h"
#include "aggregates/support.h"

PG_FUNCTION_INFO_V1(dp_square_state_in);
PG_FUNCTION_INFO_V1(dp_square_state_out);
PG_FUNCTION_INFO_V1(dp_square_state_combine);

Datum
dp_square_state_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(dp_state_read(PG_GETARG_CSTRING(0), "(0,0,0)",
									"dp_noise.square_state",
									sizeof(DpSquareState)));
}

Datum
dp_square_state_out(PG_FUNCTION_ARGS)
{
	DpSquareState *state = DatumGetSquareState(PG_GETARG_DATUM(0));
	char sum[DP_INTEGER_TEXT];
	char squares[DP_INTEGER_TEXT];

	PG_RETURN_CSTRING(
		psprintf("(%s,%s," INT64_FORMAT ")",
				 dp_integer_write(dp_sum_state_get(&state->sum), sum),
				 dp_integer_write(dp_sum_state_get(&state->squares), squares),
				 state->sum.count));
}

/* (state, state) strict: adds the second to the first. */
Datum
dp_square_state_combine(PG_FUNCTION_ARGS)
{
	DpSquareState *state = DatumGetSquareState(PG_GETARG_DATUM(0));
	const DpSquareState *from = DatumGetSquareState(PG_GETARG_DATUM(1));

	dp_support_check(fcinfo);
	dp_sum_state_add(&state->sum, &from->sum);
	dp_sum_state_add(&state->squares, &from->squares);
	PG_RETURN_POINTER(state);
}
