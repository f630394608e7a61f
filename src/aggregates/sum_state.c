/*
 * sum_state.c
 *		The SQL type dp_noise.sum_state: text form and merging.
 */
#include "postgres.h"

#include "common/int.h"
#include "fmgr.h"

#include "aggregates/sum_state.h"

PG_FUNCTION_INFO_V1(dp_sum_state_in);
PG_FUNCTION_INFO_V1(dp_sum_state_out);
PG_FUNCTION_INFO_V1(dp_sum_state_combine);


/* Reads a decimal integer; NULL when there is none or it does not fit. */
static const char *
read_integer(const char *text, dp_int128 *value)
{
	bool negative = *text == '-';
	const char *digit = text + (negative ? 1 : 0);

	if (*digit < '0' || *digit > '9')
		return NULL;
	for (*value = 0; *digit >= '0' && *digit <= '9'; digit++)
	{
		/* Built up below zero, where there is room for the least integer. */
		if (__builtin_mul_overflow(*value, 10, value) ||
			__builtin_sub_overflow(*value, *digit - '0', value))
			return NULL;
	}
	if (!negative)
	{
		if (*value == DP_INT128_MIN)
			return NULL;
		*value = -*value;
	}
	return digit;
}

Datum
dp_sum_state_in(PG_FUNCTION_ARGS)
{
	const char *text = PG_GETARG_CSTRING(0);
	const char *rest = NULL;
	dp_int128 sum = 0;
	dp_int128 count = -1;
	DpSumState *state;

	if (*text == '(')
		rest = read_integer(text + 1, &sum);
	if (rest != NULL && *rest == ',')
		rest = read_integer(rest + 1, &count);
	if (rest == NULL || strcmp(rest, ")") != 0 || count < 0 ||
		count > PG_INT64_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
						errmsg("invalid input syntax for type %s: \"%s\"",
							   "dp_noise.sum_state", text),
						errhint("Write (sum,count), two integers.")));
	state = palloc(sizeof(DpSumState));
	dp_sum_state_set(state, sum);
	state->count = (int64) count;
	PG_RETURN_POINTER(state);
}

Datum
dp_sum_state_out(PG_FUNCTION_ARGS)
{
	DpSumState *state = DatumGetSumState(PG_GETARG_DATUM(0));
	dp_int128 sum = dp_sum_state_get(state);
	dp_uint128 rest = dp_int128_abs(sum);
	char digits[40];
	char *first = digits + sizeof(digits) - 1;

	*first = '\0';
	do
	{
		*--first = (char) ('0' + (int) (rest % 10));
		rest /= 10;
	} while (rest != 0);
	PG_RETURN_CSTRING(psprintf("(%s%s," INT64_FORMAT ")", sum < 0 ? "-" : "",
							   first, state->count));
}

/* (state, state) strict: adds the second to the first. */
Datum
dp_sum_state_combine(PG_FUNCTION_ARGS)
{
	DpSumState *into = DatumGetSumState(PG_GETARG_DATUM(0));
	DpSumState *from = DatumGetSumState(PG_GETARG_DATUM(1));
	DpSumState *result = into;

	/* Only an aggregate may change its first argument in place. */
	if (!AggCheckCallContext(fcinfo, NULL))
	{
		result = palloc(sizeof(DpSumState));
		*result = *into;
	}
	dp_sum_state_set(result, dp_int128_add_saturating(dp_sum_state_get(result),
													  dp_sum_state_get(from)));
	if (pg_add_s64_overflow(result->count, from->count, &result->count))
		result->count = PG_INT64_MAX;
	PG_RETURN_POINTER(result);
}
