/*
 * value_count.c
 *		Final functions of the aggregates that count different values.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "aggregates/count.h"
#include "aggregates/value_count.h"

PG_FUNCTION_INFO_V1(dp_count_values_final);
PG_FUNCTION_INFO_V1(dp_count_values_state_final);

/* An arbitrary number. */
#define MAGIC UINT64CONST(0x64705F64697374)

static void
check_for_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

void
dp_value_count_init(DpValueCount *state, const DpCall *call,
					int64 (*count)(DpValueCount *))
{
	state->kind.magic = MAGIC;
	state->cap = call->contribution.rows;
	state->pairs = 0;
	state->count = count;
}

uint64
dp_value_count_flow(const DpValueCount *state, DpFlow *flow, uint64 offset,
					uint64 units)
{
	/* There are no more values than pairs. */
	return dp_flow_init(flow, NULL, dp_flow_is_wide(state->pairs), offset,
						units, state->pairs, state->pairs, state->cap,
						check_for_interrupts);
}

DpValueCount *
dp_value_count_argument(FunctionCallInfo fcinfo)
{
	DpValueCount *state = dp_internal_state_argument(fcinfo, 0, MAGIC);

	return state == NULL || state->pairs == 0 ? NULL : state;
}

static int64
count_of(FunctionCallInfo fcinfo)
{
	DpValueCount *state = dp_value_count_argument(fcinfo);

	return state == NULL ? 0 : state->count(state);
}

/* (state internal, ...): the state is NULL when there was no row. */
Datum
dp_count_values_final(PG_FUNCTION_ARGS)
{
	DpCall *call = dp_call_get(fcinfo, DP_AGGREGATE_COUNT_DISTINCT);

	return dp_count_answer(fcinfo, call, count_of(fcinfo));
}

/* The true number, without noise. */
Datum
dp_count_values_state_final(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(count_of(fcinfo));
}
