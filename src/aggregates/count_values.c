/*
 * count_values.c
 *		dp_count_distinct over a protected relation: the number of different
 *		values, of which each privacy unit counts for some.
 *
 * Where units have several rows, dp_noise.different_values gathers those of
 * each unit, and the state has their sets (value_sets.h): the answer is the
 * maximum flow from units to values (mechanisms/distinct_flow.h). Where a unit is a
 * row it has one value, and the values in the table are the answer.
 *
 * Adding, removing or exchanging one unit changes the flow by at most the cap;
 * where units are rows, the number of values changes by at most 1.
 */
#include "postgres.h"

#include "fmgr.h"

#include "aggregates/call.h"
#include "aggregates/paged_memory.h"
#include "aggregates/value_sets.h"
#include "mechanisms/distinct_flow.h"

PG_FUNCTION_INFO_V1(dp_count_values_of_rows_transition);
PG_FUNCTION_INFO_V1(dp_count_values_of_units_transition);

/* What is kept for one execution. */
typedef struct Kept
{
	Oid kind; /* of images, of rows */
} Kept;

/* The number that noise is added to. */
static int64
count_values(DpValueCount *base)
{
	const DpValueSets *state = (DpValueSets *) base;
	DpValueTable table;
	DpFlow flow;
	int64 result;

	dp_value_sets_read(state, dp_value_sets_init(state, &table, &flow), &table,
					   &flow);
	result = (int64) (state->of_units ? dp_flow_maximum(&flow) : table.count);
	dp_paged_memory_free(table.pages);
	return result;
}

/* (state internal, value, ...): adds one row. */
Datum
dp_count_values_of_rows_transition(PG_FUNCTION_ARGS)
{
	DpCall *call = dp_call_of_row(fcinfo, DP_AGGREGATE_COUNT_DISTINCT);
	DpValueSets *state = dp_value_sets_of(fcinfo, call, count_values);
	Kept *kept = call->prepared;
	DpImage image;

	if (kept == NULL)
	{
		kept = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(Kept));
		kept->kind = dp_distinct_state_kind(fcinfo);
		call->prepared = kept;
	}
	if (!PG_ARGISNULL(1))
	{
		image = dp_image_of(kept->kind, PG_GETARG_DATUM(1));
		dp_value_sets_add_row(state, &image);
	}
	PG_RETURN_POINTER(state);
}

/* (state internal, ..., different values of a unit distinct_state) */
Datum
dp_count_values_of_units_transition(PG_FUNCTION_ARGS)
{
	DpCall *call = dp_call_of_row(fcinfo, DP_AGGREGATE_COUNT_DISTINCT);
	DpValueSets *state = dp_value_sets_of(fcinfo, call, count_values);

	dp_value_sets_add_unit(state, fcinfo);
	PG_RETURN_POINTER(state);
}
