/*
 * count_values.c
 *		dp_count_distinct over a protected relation: the number of different
 *		values, of which each privacy unit counts for some.
 *
 * Where units have several rows, dp_noise.different_values gathers those of each
 * unit, and the state is a log of them (word_log.h). In the end the log is read
 * once: values get numbers, by a table of their images, and the answer is the
 * maximum flow from units to values (mechanisms/distinct_flow.h). Where a unit
 * is a row it has one value, and the values in the table are the answer.
 *
 * A unit changes the flow by at most the cap, also one that is exchanged, and
 * the number of values of rows by at most 1. The log and the table with the flow
 * may each take half of work_mem, and have files behind them.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "aggregates/call.h"
#include "aggregates/count.h"
#include "aggregates/internal_state.h"
#include "aggregates/paged_memory.h"
#include "aggregates/distinct_state.h"
#include "aggregates/word_log.h"
#include "mechanisms/distinct_flow.h"
#include "server/compat.h"

PG_FUNCTION_INFO_V1(dp_count_values_of_rows_transition);
PG_FUNCTION_INFO_V1(dp_count_values_of_units_transition);
PG_FUNCTION_INFO_V1(dp_count_values_final);
PG_FUNCTION_INFO_V1(dp_count_values_state_final);

/* An arbitrary number. */
#define MAGIC UINT64CONST(0x64705F64697374)

/* No more pairs are counted, so that their numbers have 32 bits. */
#define PAIRS_MAX (PG_UINT32_MAX - 1)

typedef struct ValuesState
{
	DpInternalState kind;
	bool of_units;	/* each unit's number of values stands before them */
	uint32 cap;		/* of one unit */
	uint32 units;	/* with values */
	uint32 pairs;	/* of a unit and a value; of rows: rows */
	DpImage latest; /* of rows */
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

static ValuesState *
make_state(FunctionCallInfo fcinfo, DpCall *call)
{
	ValuesState *state = MemoryContextAllocZero(
		dp_internal_state_context(fcinfo), sizeof(ValuesState));

	state->kind.magic = MAGIC;
	state->of_units = call->of_units;
	state->cap = call->contribution.rows;
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
	if (PG_ARGISNULL(1) || state->pairs == PAIRS_MAX)
		PG_RETURN_POINTER(state);
	image = dp_image_of(kept->kind, PG_GETARG_DATUM(1));
	if (state->pairs > 0 && dp_image_equal(&image, &state->latest))
		PG_RETURN_POINTER(state);
	memcpy(dp_word_log_add(&state->log, DP_IMAGE_WORDS), &image, sizeof(image));
	state->latest = image;
	state->pairs++;
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
	if (set->count == 0 || set->count > PAIRS_MAX - state->pairs)
		PG_RETURN_POINTER(state);
	words =
		dp_word_log_add(&state->log, 1 + DP_IMAGE_WORDS * (uint64) set->count);
	words[0] = set->count;
	memcpy(words + 1, set->images, set->count * sizeof(DpImage));
	state->units++;
	state->pairs += set->count;
	PG_RETURN_POINTER(state);
}

/*
 * Numbers of values, by their images: a hash table with open addressing, in
 * pages. It begins small and doubles, so that it is no larger than its values
 * need. A cell is a number + 1, or 0, and a part of the image's hash, so that few
 * images are looked at in vain; one of n cells stands behind n others.
 */
typedef struct Table
{
	DpPages *pages;
	uint64 cells;  /* now: a power of two */
	uint64 images; /* where they begin, in the order of their numbers */
	uint32 count;  /* of the values */
} Table;

#define CELLS_MIN 1024
#define CELL_WORDS 2

/* A table has at least half as many cells again as values. */
static bool
is_full(uint64 cells, uint64 values)
{
	return values + values / 2 >= cells;
}

/* Where the images begin behind the largest table for so many values. */
static uint64
images_for(uint32 values)
{
	uint64 cells = CELLS_MIN;

	while (is_full(cells, values))
		cells *= 2;
	return 2 * cells * CELL_WORDS;
}

static uint64
image_place(const Table *table, uint32 number)
{
	return table->images + (uint64) number * DP_IMAGE_WORDS;
}

/* Where the search for such a hash begins, and where it goes on. */
static inline uint64
first_cell(const Table *table, uint32 hash)
{
	return hash & (table->cells - 1);
}

static inline uint64
next_cell(const Table *table, uint64 cell)
{
	return (cell + 1) & (table->cells - 1);
}

static inline uint64
cell_place(const Table *table, uint64 cell)
{
	return (table->cells + cell) * CELL_WORDS;
}

static inline const uint32 *
cell_words(const Table *table, uint64 cell)
{
	return dp_pages_words(table->pages, cell_place(table, cell));
}

static void
set_cell(Table *table, uint64 cell, uint32 number, uint32 hash)
{
	dp_pages_set(table->pages, cell_place(table, cell), number);
	dp_pages_set(table->pages, cell_place(table, cell) + 1, hash);
}

/* The first free cell for such a hash. */
static uint64
free_cell(const Table *table, uint32 hash)
{
	uint64 cell = first_cell(table, hash);

	while (cell_words(table, cell)[0] != 0)
		cell = next_cell(table, cell);
	return cell;
}

/* The same numbers in a table twice as large. */
static void
grow(Table *table)
{
	Table old = *table;
	uint64 cell;

	table->cells *= 2;
	for (cell = 0; cell < old.cells; cell++)
	{
		const uint32 *words = cell_words(&old, cell);
		uint32 number = words[0];
		uint32 hash = words[1];

		if (number != 0)
			set_cell(table, free_cell(table, hash), number, hash);
	}
}

static uint32
add_image(Table *table, const DpImage *image, uint64 cell, uint32 hash)
{
	uint32 number = table->count++;
	int i;

	set_cell(table, cell, number + 1, hash);
	for (i = 0; i < DP_IMAGE_WORDS; i++)
		dp_pages_set(table->pages, image_place(table, number) + i,
					 image->words[i]);
	if (is_full(table->cells, table->count))
		grow(table);
	return number;
}

/* The number of a value, which is added when it is not there. */
static uint32
number_of(Table *table, const DpImage *image, uint32 hash)
{
	uint64 cell = first_cell(table, hash);

	for (;; cell = next_cell(table, cell))
	{
		const uint32 *words = cell_words(table, cell);
		uint32 number = words[0];

		if (number == 0)
			return add_image(table, image, cell, hash);
		if (words[1] == hash &&
			memcmp(dp_pages_words(table->pages, image_place(table, number - 1)),
				   image, sizeof(DpImage)) == 0)
			return number - 1;
	}
}

/* Images whose numbers are looked up at once, so as to wait for memory once. */
#define BATCH 64

typedef struct Batch
{
	DpImage images[BATCH];
	uint32 numbers[BATCH]; /* once they are found */
	uint32 count;
} Batch;

/* Has the processor get the image that is most likely the one of a hash. */
static void
expect_image(const Table *table, uint32 hash)
{
	uint64 cell = first_cell(table, hash);

	for (; dp_pages_is_here(table->pages, cell_place(table, cell));
		 cell = next_cell(table, cell))
	{
		const uint32 *words = cell_words(table, cell);

		if (words[0] == 0)
			return;
		if (words[1] != hash)
			continue;
		dp_pages_expect(table->pages, image_place(table, words[0] - 1));
		return;
	}
}

static void
find_numbers(Table *table, Batch *batch)
{
	uint32 hashes[BATCH];
	uint32 i;

	for (i = 0; i < batch->count; i++)
	{
		hashes[i] = (uint32) dp_image_hash(&batch->images[i]);
		dp_pages_expect(table->pages,
						cell_place(table, first_cell(table, hashes[i])));
	}
	for (i = 0; i < batch->count; i++)
		expect_image(table, hashes[i]);
	for (i = 0; i < batch->count; i++)
		batch->numbers[i] = number_of(table, &batch->images[i], hashes[i]);
}

/* Adds the next image of a log; false: there is none. */
static bool
read_image(DpWordReader *reader, Batch *batch)
{
	if (!dp_word_read(reader, batch->images[batch->count].words,
					  DP_IMAGE_WORDS))
		return false;
	batch->count++;
	return true;
}

static void
check_for_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

/* The values of a batch become the next edges. */
static uint32
add_edges(Table *table, DpFlow *flow, uint32 edge, Batch *batch)
{
	uint32 i;

	find_numbers(table, batch);
	for (i = 0; i < batch->count; i++)
		dp_pages_set(flow->pages, flow->edges + edge++, batch->numbers[i]);
	batch->count = 0;
	return edge;
}

/* Who has which value, unit by unit. */
static void
read_units(DpWordReader *reader, Table *table, DpFlow *flow)
{
	Batch batch = {.count = 0};
	uint32 unit = 0;
	uint32 edge = 0;
	uint32 left;

	while (dp_word_read(reader, &left, 1))
	{
		dp_pages_set(flow->pages, flow->starts + unit++, edge + batch.count);
		while (left-- > 0 && read_image(reader, &batch))
		{
			if (batch.count == BATCH)
				edge = add_edges(table, flow, edge, &batch);
		}
	}
	edge = add_edges(table, flow, edge, &batch);
	dp_pages_set(flow->pages, flow->starts + unit, edge);
	flow->values = table->count;
}

static void
read_rows(DpWordReader *reader, Table *table)
{
	Batch batch = {.count = 0};

	while (read_image(reader, &batch))
	{
		if (batch.count < BATCH)
			continue;
		find_numbers(table, &batch);
		batch.count = 0;
	}
	find_numbers(table, &batch);
}

/* The number that noise is added to. */
static int64
count_values(const ValuesState *state)
{
	DpWordReader *reader = palloc(sizeof(DpWordReader));
	Table table = {.cells = CELLS_MIN, .images = images_for(state->pairs)};
	uint64 end = image_place(&table, state->pairs);
	DpFlow flow;
	int64 result;

	if (state->of_units)
		end = dp_flow_init(&flow, NULL, end, state->units, state->pairs,
						   state->pairs, state->cap, check_for_interrupts);
	table.pages = dp_paged_memory_create(end, half_of_memory());
	dp_word_reader_init(reader, &state->log);
	if (state->of_units)
	{
		flow.pages = table.pages;
		read_units(reader, &table, &flow);
		result = dp_flow_maximum(&flow);
	}
	else
	{
		read_rows(reader, &table);
		result = table.count;
	}
	dp_paged_memory_free(table.pages);
	pfree(reader);
	return result;
}

static int64
count_of(FunctionCallInfo fcinfo)
{
	const ValuesState *state = dp_internal_state_argument(fcinfo, 0, MAGIC);

	return state == NULL || state->pairs == 0 ? 0 : count_values(state);
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
