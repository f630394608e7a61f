/*
 * square_state.c
 *		The SQL type dp_noise.square_state: text form and merging.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregates/integer_text.h"
#include "aggregates/square_state.h"

PG_FUNCTION_INFO_V1(dp_square_state_in);
PG_FUNCTION_INFO_V1(dp_square_state_out);
PG_FUNCTION_INFO_V1(dp_square_state_combine);

Datum
dp_square_state_in(PG_FUNCTION_ARGS)
{
	dp_int128 given[3];
	DpSquareState *state;

	dp_integers_read(PG_GETARG_CSTRING(0), given, lengthof(given),
					 "dp_noise.square_state",
					 "Write (sum,squares,count), three integers.");
	state = palloc0(sizeof(DpSquareState));
	dp_sum_state_set(&state->sum, given[0]);
	dp_sum_state_set(&state->squares, given[1]);
	state->sum.count = (int64) given[2];
	PG_RETURN_POINTER(state);
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
	DpSquareState *state = dp_state_to_change(fcinfo, sizeof(DpSquareState));
	DpSquareState *from = DatumGetSquareState(PG_GETARG_DATUM(1));

	dp_sum_state_add(&state->sum, &from->sum);
	dp_sum_state_add(&state->squares, &from->squares);
	PG_RETURN_POINTER(state);
}
