/*
 * count_pairs.c
 *		dp_count_distinct over privacy units, of values that are no longer than
 *		32 bits, as the units are.
 *
 * What count_values.c does, but the units' values come as they are in the
 * rows, each with its unit in one bigint. The sort of the server brings those
 * of a unit together, on disk where they are many; what is there twice counts
 * once. The sort and the table with the flow may each take half of work_mem.
 * Of a unit's values at most a fixed number is kept: those that come first in
 * the order of their bits.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplesort.h"

#include "aggregates/call.h"
#include "aggregates/count_pairs.h"
#include "aggregates/distinct_state.h"
#include "aggregates/paged_memory.h"
#include "aggregates/value_count.h"
#include "aggregates/value_numbers.h"
#include "mechanisms/distinct_flow.h"
#include "server/compat.h"

PG_FUNCTION_INFO_V1(dp_unit_and_value);
PG_FUNCTION_INFO_V1(dp_count_pairs_transition);

typedef struct PairsState
{
	DpValueCount base; /* its pairs: some of them perhaps twice */
	Tuplesortstate *sort;
} PairsState;

/* The lengths of the arguments of dp_noise.unit_and_value, in bytes. */
typedef struct Lengths
{
	int16 unit;
	int16 value;
} Lengths;

bool
dp_pairs_take(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case CHAROID:
		case INT2OID:
		case INT4OID:
		case OIDOID:
		case DATEOID:
			return true;
		default:
			return type_is_enum(type);
	}
}

static int16
length_of(FunctionCallInfo fcinfo, int argument)
{
	Oid type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, argument));

	if (!dp_pairs_take(type))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("values of type %s cannot be put together",
							   format_type_be(type)),
						errhint("Use integers, dates or enums.")));
	return get_typlen(type);
}

static uint32
word_of(Datum value, int16 length)
{
	switch (length)
	{
		case 1:
			return (uint8) DatumGetChar(value);
		case 2:
			return DatumGetUInt16(value);
		default:
			return DatumGetUInt32(value);
	}
}

/* (unit, value), strict */
Datum
dp_unit_and_value(PG_FUNCTION_ARGS)
{
	Lengths *lengths = fcinfo->flinfo->fn_extra;
	uint64 unit;

	if (lengths == NULL)
	{
		lengths = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(Lengths));
		lengths->unit = length_of(fcinfo, 0);
		lengths->value = length_of(fcinfo, 1);
		fcinfo->flinfo->fn_extra = lengths;
	}
	unit = word_of(PG_GETARG_DATUM(0), lengths->unit);
	PG_RETURN_INT64(
		(int64) (unit << 32 | word_of(PG_GETARG_DATUM(1), lengths->value)));
}

static void
end_sort(Datum state)
{
	PairsState *pairs = (PairsState *) DatumGetPointer(state);

	if (pairs->sort != NULL)
		tuplesort_end(pairs->sort);
	pairs->sort = NULL;
}

/* Reads the pairs into the edges of the flow, unit by unit. */
static void
read_pairs(Tuplesortstate *sort, DpValueTable *table, DpFlow *flow)
{
	DpValueBatch batch = {.count = 0};
	uint64 units = 0;
	uint64 edge = 0;
	uint64 of_unit = 0;
	uint64 last = 0;
	Datum datum;

	while (dp_compat_next_datum(sort, &datum))
	{
		uint64 pair = (uint64) DatumGetInt64(datum);

		if (units > 0 && pair == last)
			continue;
		if (units == 0 || pair >> 32 != last >> 32)
		{
			dp_flow_set_start(flow, units++, edge + batch.count);
			of_unit = 0;
		}
		last = pair;
		if (of_unit++ >= DP_DISTINCT_STATE_MAX)
			continue;
		batch.images[batch.count++] = (DpImage){{(uint32) pair}};
		if (batch.count < DP_VALUE_BATCH)
			continue;
		CHECK_FOR_INTERRUPTS();
		edge = dp_value_edges(table, flow, edge, &batch);
	}
	edge = dp_value_edges(table, flow, edge, &batch);
	dp_flow_set_start(flow, units, edge);
	flow->units = units;
	flow->values = table->count;
}

/* The number that noise is added to. */
static int64
count_pairs(DpValueCount *base)
{
	PairsState *state = (PairsState *) base;
	DpValueTable table;
	uint64 end = dp_value_table_init(&table, base->pairs);
	DpFlow flow;
	int64 result;

	/* There are no more units than pairs; the pages for more are never made. */
	tuplesort_performsort(state->sort);
	end = dp_value_count_flow(base, &flow, end, base->pairs);
	flow.pages = table.pages =
		dp_paged_memory_create(end, (Size) work_mem * 1024 / 2);
	read_pairs(state->sort, &table, &flow);
	end_sort(PointerGetDatum(state));
	result = (int64) dp_flow_maximum(&flow);
	dp_paged_memory_free(table.pages);
	return result;
}

static PairsState *
make_state(FunctionCallInfo fcinfo, const DpCall *call)
{
	MemoryContext context = dp_internal_state_context(fcinfo);
	MemoryContext old = MemoryContextSwitchTo(context);
	PairsState *state = palloc0(sizeof(PairsState));

	dp_value_count_init(&state->base, call, count_pairs);
	state->sort =
		tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid, false,
							  work_mem / 2, NULL, TUPLESORT_NONE);
	AggRegisterCallback(fcinfo, end_sort, PointerGetDatum(state));
	MemoryContextSwitchTo(old);
	return state;
}

/* (state internal, ..., a unit and its value bigint) */
Datum
dp_count_pairs_transition(PG_FUNCTION_ARGS)
{
	DpCall *call = dp_call_of_row(fcinfo, DP_AGGREGATE_COUNT_DISTINCT);
	PairsState *state = PG_ARGISNULL(0) ? make_state(fcinfo, call)
										: (PairsState *) PG_GETARG_POINTER(0);

	if (PG_ARGISNULL(PG_NARGS() - 1))
		PG_RETURN_POINTER(state);
	tuplesort_putdatum(state->sort, PG_GETARG_DATUM(PG_NARGS() - 1), false);
	state->base.pairs++;
	PG_RETURN_POINTER(state);
}
