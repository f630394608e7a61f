/*
 * count_values.c
 *		dp_count_distinct over a protected relation: the number of different
 *		values, of which each privacy unit counts for some.
 *
 * Where units have several rows, dp_noise.different_values gathers those of
 * each unit, and the state is a log of them (word_log.h). In the end the log
 * is read once: values get numbers, by a table of their images, and the answer
 * is the maximum flow from units to values (mechanisms/distinct_flow.h). Where
 * a unit is a row it has one value, and the values in the table are the
 * answer.
 *
 * Adding, removing or exchanging one unit changes the flow by at most the cap;
 * where units are rows, the number of values changes by at most 1. The log and
 * the table with the flow may each take half of work_mem, and have files
 * behind them.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "aggregates/call.h"
#include "aggregates/paged_memory.h"
#include "aggregates/distinct_state.h"
#include "aggregates/value_count.h"
#include "aggregates/value_numbers.h"
#include "aggregates/word_log.h"
#include "mechanisms/distinct_flow.h"
#include "server/compat.h"

PG_FUNCTION_INFO_V1(dp_count_values_of_rows_transition);
PG_FUNCTION_INFO_V1(dp_count_values_of_units_transition);

typedef struct ValuesState
{
	DpValueCount base; /* its pairs: of rows, rows */
	bool of_units;	   /* each unit's number of values stands before them */
	uint64 units;	   /* with values */
	DpImage latest;	   /* of rows */
	DpWordLog log;
} ValuesState;

/* What is kept for one execution. */
typedef struct Kept
{
	Oid kind; /* of images, of rows */
} Kept;

static Size
half_of_memory(void)
{
	return (Size) work_mem * 1024 / 2;
}

/* Adds the next image of a log; false: there is none. */
static bool
read_image(DpWordReader *reader, DpValueBatch *batch)
{
	if (!dp_word_read(reader, batch->images[batch->count].words,
					  DP_IMAGE_WORDS))
		return false;
	batch->count++;
	return true;
}

/* Reads the log into the edges of the flow, unit by unit. */
static void
read_units(DpWordReader *reader, DpValueTable *table, DpFlow *flow)
{
	DpValueBatch batch = {.count = 0};
	uint64 unit = 0;
	uint64 edge = 0;
	uint32 left;

	while (dp_word_read(reader, &left, 1))
	{
		dp_flow_set_start(flow, unit++, edge + batch.count);
		while (left-- > 0 && read_image(reader, &batch))
		{
			if (batch.count == DP_VALUE_BATCH)
				edge = dp_value_edges(table, flow, edge, &batch);
		}
	}
	edge = dp_value_edges(table, flow, edge, &batch);
	dp_flow_set_start(flow, unit, edge);
	flow->values = table->count;
}

static void
read_rows(DpWordReader *reader, DpValueTable *table)
{
	DpValueBatch batch = {.count = 0};

	while (read_image(reader, &batch))
	{
		if (batch.count < DP_VALUE_BATCH)
			continue;
		dp_value_numbers(table, &batch);
		batch.count = 0;
	}
	dp_value_numbers(table, &batch);
}

/* The number that noise is added to. */
static int64
count_values(DpValueCount *base)
{
	const ValuesState *state = (ValuesState *) base;
	DpWordReader *reader = palloc(sizeof(DpWordReader));
	DpValueTable table;
	uint64 end = dp_value_table_init(&table, base->pairs);
	DpFlow flow;
	int64 result;

	if (state->of_units)
		end = dp_value_count_flow(base, &flow, end, state->units);
	table.pages = dp_paged_memory_create(end, half_of_memory());
	dp_word_reader_init(reader, &state->log);
	if (state->of_units)
	{
		flow.pages = table.pages;
		read_units(reader, &table, &flow);
		result = (int64) dp_flow_maximum(&flow);
	}
	else
	{
		read_rows(reader, &table);
		result = (int64) table.count;
	}
	dp_paged_memory_free(table.pages);
	pfree(reader);
	return result;
}

static ValuesState *
make_state(FunctionCallInfo fcinfo, DpCall *call)
{
	ValuesState *state = MemoryContextAllocZero(
		dp_internal_state_context(fcinfo), sizeof(ValuesState));

	dp_value_count_init(&state->base, call, count_values);
	state->of_units = call->of_units;
	dp_word_log_init(&state->log, dp_word_pool_get(&call->pools, fcinfo,
												   fcinfo->flinfo->fn_mcxt,
												   half_of_memory()));
	return state;
}

/* The first argument, of a call that is known to be of an aggregate of ours. */
static inline ValuesState *
state_of(FunctionCallInfo fcinfo, DpCall *call)
{
	return PG_ARGISNULL(0) ? make_state(fcinfo, call)
						   : (ValuesState *) PG_GETARG_POINTER(0);
}

/* (state internal, value, ...): adds one row. */
Datum
dp_count_values_of_rows_transition(PG_FUNCTION_ARGS)
{
	DpCall *call = dp_call_of_row(fcinfo, DP_AGGREGATE_COUNT_DISTINCT);
	ValuesState *state = state_of(fcinfo, call);
	Kept *kept = call->prepared;
	DpImage image;

	if (kept == NULL)
	{
		kept = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(Kept));
		kept->kind = dp_distinct_state_kind(fcinfo);
		call->prepared = kept;
	}
	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(state);
	image = dp_image_of(kept->kind, PG_GETARG_DATUM(1));
	if (state->base.pairs > 0 && dp_image_equal(&image, &state->latest))
		PG_RETURN_POINTER(state);
	memcpy(dp_word_log_add(&state->log, DP_IMAGE_WORDS), &image, sizeof(image));
	state->latest = image;
	state->base.pairs++;
	PG_RETURN_POINTER(state);
}

/* (state internal, ..., different values of a unit distinct_state) */
Datum
dp_count_values_of_units_transition(PG_FUNCTION_ARGS)
{
	DpCall *call = dp_call_of_row(fcinfo, DP_AGGREGATE_COUNT_DISTINCT);
	ValuesState *state = state_of(fcinfo, call);
	const DpDistinctState *set;
	uint32 *words;

	if (PG_ARGISNULL(PG_NARGS() - 1))
		PG_RETURN_POINTER(state);
	set = dp_distinct_state_argument(fcinfo);
	if (set->count == 0)
		PG_RETURN_POINTER(state);
	words =
		dp_word_log_add(&state->log, 1 + DP_IMAGE_WORDS * (uint64) set->count);
	words[0] = set->count;
	memcpy(words + 1, set->images, set->count * sizeof(DpImage));
	state->units++;
	state->base.pairs += set->count;
	PG_RETURN_POINTER(state);
}
