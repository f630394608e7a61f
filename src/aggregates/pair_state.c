/*
 * pair_state.c
 *		The SQL type dp_noise.pair_state: text form and merging.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"

#include "aggregates/integer_text.h"
#include "aggregates/pair_state.h"
#include "aggregates/support.h"

PG_FUNCTION_INFO_V1(dp_pair_state_in);
PG_FUNCTION_INFO_V1(dp_pair_state_out);
PG_FUNCTION_INFO_V1(dp_pair_state_combine);

Datum
dp_pair_state_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(dp_state_read(PG_GETARG_CSTRING(0), "(0,0,0,0,0,0,0,0,0)",
									"dp_noise.pair_state",
									sizeof(DpPairState)));
}

Datum
dp_pair_state_out(PG_FUNCTION_ARGS)
{
	const DpPairState *state = DatumGetPairState(PG_GETARG_DATUM(0));
	StringInfoData text;
	int i;

	initStringInfo(&text);
	for (i = 0; i < DP_REGRESSION_KEPT; i++)
	{
		char sum[DP_INTEGER_TEXT];

		appendStringInfo(
			&text, "%c%s", i == 0 ? '(' : ',',
			dp_integer_write(dp_sum_state_get(&state->sums[i]), sum));
	}
	appendStringInfo(&text, "," INT64_FORMAT ")", state->sums[0].count);
	PG_RETURN_CSTRING(text.data);
}

/* (state, state) strict: adds the second to the first. */
Datum
dp_pair_state_combine(PG_FUNCTION_ARGS)
{
	DpPairState *state = DatumGetPairState(PG_GETARG_DATUM(0));
	const DpPairState *from = DatumGetPairState(PG_GETARG_DATUM(1));
	int i;

	dp_support_check(fcinfo);
	for (i = 0; i < DP_REGRESSION_KEPT; i++)
		dp_sum_state_add(&state->sums[i], &from->sums[i]);
	PG_RETURN_POINTER(state);
}

void
dp_pair_state_get(const DpPairState *state, DpPairs *pairs)
{
	int i;

	for (i = 0; i < DP_REGRESSION_KEPT; i++)
		pairs->sums[i] = dp_sum_state_get(&state->sums[i]);
	pairs->count = state->sums[0].count;
}

void
dp_pair_state_set(DpPairState *state, const DpPairs *pairs)
{
	int i;

	for (i = 0; i < DP_REGRESSION_KEPT; i++)
		dp_sum_state_set(&state->sums[i], pairs->sums[i]);
	state->sums[0].count = pairs->count;
}
