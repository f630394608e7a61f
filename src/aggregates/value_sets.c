/*
 * value_sets.c
 *		Which units have which values.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "aggregates/call.h"
#include "aggregates/paged_memory.h"
#include "aggregates/value_sets.h"

static Size
half_of_memory(void)
{
	return (Size) work_mem * 1024 / 2;
}

/*
 * Adds the next image of a log; false: there is none. Those of points are of nothing
 * else, whatever sets were passed.
 */
static bool
read_image(const DpValueSets *state, DpWordReader *reader, DpValueBatch *batch)
{
	DpImage *image = &batch->images[batch->count];

	if (!dp_word_read(reader, image->words, DP_IMAGE_WORDS))
		return false;
	if (state->of_points)
		*image = dp_image_of_point(dp_image_point(image));
	batch->count++;
	return true;
}

/* Reads the log into the edges of the flow, unit by unit. */
static void
read_units(const DpValueSets *state, DpWordReader *reader, DpValueTable *table,
		   DpFlow *flow)
{
	DpValueBatch batch = {.count = 0};
	uint64 unit = 0;
	uint64 edge = 0;
	uint32 left;

	while (dp_word_read(reader, &left, 1))
	{
		dp_flow_set_start(flow, unit++, edge + batch.count);
		while (left-- > 0 && read_image(state, reader, &batch))
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
read_rows(const DpValueSets *state, DpWordReader *reader, DpValueTable *table)
{
	DpValueBatch batch = {.count = 0};

	while (read_image(state, reader, &batch))
	{
		if (batch.count < DP_VALUE_BATCH)
			continue;
		dp_value_numbers(table, &batch);
		batch.count = 0;
	}
	dp_value_numbers(table, &batch);
}

uint64
dp_value_sets_init(const DpValueSets *state, DpValueTable *table, DpFlow *flow)
{
	uint64 end = dp_value_table_init(table, state->base.pairs);

	return state->of_units
			   ? dp_value_count_flow(&state->base, flow, end, state->units)
			   : end;
}

void
dp_value_sets_read(const DpValueSets *state, uint64 words, DpValueTable *table,
				   DpFlow *flow)
{
	DpWordReader *reader = palloc(sizeof(DpWordReader));

	table->pages = dp_paged_memory_create(words, half_of_memory());
	dp_word_reader_init(reader, &state->log);
	if (state->of_units)
	{
		flow->pages = table->pages;
		read_units(state, reader, table, flow);
	}
	else
		read_rows(state, reader, table);
	pfree(reader);
}

static DpValueSets *
make_state(FunctionCallInfo fcinfo, DpCall *call,
		   int64 (*count)(DpValueCount *))
{
	DpValueSets *state = MemoryContextAllocZero(
		dp_internal_state_context(fcinfo), sizeof(DpValueSets));

	dp_value_count_init(&state->base, call, count);
	state->of_units = call->of_units;
	state->of_points = dp_aggregate_get(call->aggregate)->of_different;
	dp_word_log_init(&state->log, dp_word_pool_get(&call->pools, fcinfo,
												   fcinfo->flinfo->fn_mcxt,
												   half_of_memory()));
	return state;
}

DpValueSets *
dp_value_sets_of(FunctionCallInfo fcinfo, DpCall *call,
				 int64 (*count)(DpValueCount *))
{
	return PG_ARGISNULL(0) ? make_state(fcinfo, call, count)
						   : (DpValueSets *) PG_GETARG_POINTER(0);
}

void
dp_value_sets_add_row(DpValueSets *state, const DpImage *image)
{
	if (state->base.pairs > 0 && dp_image_equal(image, &state->latest))
		return;
	memcpy(dp_word_log_add(&state->log, DP_IMAGE_WORDS), image, sizeof(*image));
	state->latest = *image;
	state->base.pairs++;
}

void
dp_value_sets_add_unit(DpValueSets *state, FunctionCallInfo fcinfo)
{
	const DpDistinctState *set;
	uint32 *words;

	if (PG_ARGISNULL(PG_NARGS() - 1))
		return;
	set = dp_distinct_state_argument(fcinfo);
	if (set->count == 0)
		return;
	words =
		dp_word_log_add(&state->log, 1 + DP_IMAGE_WORDS * (uint64) set->count);
	words[0] = set->count;
	memcpy(words + 1, set->images, set->count * sizeof(DpImage));
	state->units++;
	state->base.pairs += set->count;
}
