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
	const char *text = PG_GETARG_CSTRING(0);
	const char *rest = NULL;
	dp_int128 sum = 0;
	dp_int128 squares = -1;
	dp_int128 count = -1;
	DpSquareState *state;

	if (*text == '(')
		rest = dp_integer_read(text + 1, &sum);
	if (rest != NULL)
		rest = *rest == ',' ? dp_integer_read(rest + 1, &squares) : NULL;
	if (rest != NULL)
		rest = *rest == ',' ? dp_integer_read(rest + 1, &count) : NULL;
	if (rest == NULL || strcmp(rest, ")") != 0 || squares < 0 || count < 0 ||
		count > PG_INT64_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
						errmsg("invalid input syntax for type %s: \"%s\"",
							   "dp_noise.square_state", text),
						errhint("Write (sum,squares,count), three integers.")));
	state = palloc0(sizeof(DpSquareState));
	dp_sum_state_set(&state->sum, sum);
	dp_sum_state_set(&state->squares, squares);
	state->sum.count = (int64) count;
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
	DpSquareState *into = DatumGetSquareState(PG_GETARG_DATUM(0));
	DpSquareState *from = DatumGetSquareState(PG_GETARG_DATUM(1));
	DpSquareState *result = into;

	/* Only an aggregate may change its first argument in place. */
	if (!AggCheckCallContext(fcinfo, NULL))
	{
		result = palloc(sizeof(DpSquareState));
		*result = *into;
	}
	dp_sum_state_add(&result->sum, &from->sum);
	dp_sum_state_add(&result->squares, &from->squares);
	PG_RETURN_POINTER(result);
}
