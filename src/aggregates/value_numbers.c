/*
 * value_numbers.c
 *		Numbers of values, by their images.
 *
 * A hash table with open addressing. A cell is a number + 1, or 0, and a part
 * of the image's hash, so that few images are looked at in vain; the table of
 * n cells begins at cell n, so each larger table lies behind the smaller one.
 */
#include "postgres.h"

#include "aggregates/value_numbers.h"

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

static inline uint64
image_offset(const DpValueTable *table, uint32 number)
{
	return table->images + (uint64) number * DP_IMAGE_WORDS;
}

uint64
dp_value_table_init(DpValueTable *table, uint32 values)
{
	*table = (DpValueTable){.cells = CELLS_MIN, .images = images_for(values)};
	return image_offset(table, values);
}

/* Where the search for such a hash begins, and where it goes on. */
static inline uint64
first_cell(const DpValueTable *table, uint32 hash)
{
	return hash & (table->cells - 1);
}

static inline uint64
next_cell(const DpValueTable *table, uint64 cell)
{
	return (cell + 1) & (table->cells - 1);
}

static inline uint64
cell_offset(const DpValueTable *table, uint64 cell)
{
	return (table->cells + cell) * CELL_WORDS;
}

static inline const uint32 *
cell_words(const DpValueTable *table, uint64 cell)
{
	return dp_pages_words(table->pages, cell_offset(table, cell));
}

static void
set_cell(DpValueTable *table, uint64 cell, uint32 number, uint32 hash)
{
	dp_pages_set(table->pages, cell_offset(table, cell), number);
	dp_pages_set(table->pages, cell_offset(table, cell) + 1, hash);
}

/* The first free cell for such a hash. */
static uint64
free_cell(const DpValueTable *table, uint32 hash)
{
	uint64 cell = first_cell(table, hash);

	while (cell_words(table, cell)[0] != 0)
		cell = next_cell(table, cell);
	return cell;
}

/* The same numbers in a table twice as large. */
static void
grow(DpValueTable *table)
{
	DpValueTable old = *table;
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
add_image(DpValueTable *table, const DpImage *image, uint64 cell, uint32 hash)
{
	uint32 number = table->count++;
	int i;

	set_cell(table, cell, number + 1, hash);
	for (i = 0; i < DP_IMAGE_WORDS; i++)
		dp_pages_set(table->pages, image_offset(table, number) + i,
					 image->words[i]);
	if (is_full(table->cells, table->count))
		grow(table);
	return number;
}

/* The number of a value, which is added when it is not there. */
static uint32
number_of(DpValueTable *table, const DpImage *image, uint32 hash)
{
	uint64 cell = first_cell(table, hash);

	for (;; cell = next_cell(table, cell))
	{
		const uint32 *words = cell_words(table, cell);
		uint32 number = words[0];

		if (number == 0)
			return add_image(table, image, cell, hash);
		if (words[1] == hash &&
			memcmp(
				dp_pages_words(table->pages, image_offset(table, number - 1)),
				image, sizeof(DpImage)) == 0)
			return number - 1;
	}
}

/* Has the processor get the image that is most likely the one of a hash. */
static void
expect_image(const DpValueTable *table, uint32 hash)
{
	uint64 cell = first_cell(table, hash);

	for (; dp_pages_is_here(table->pages, cell_offset(table, cell));
		 cell = next_cell(table, cell))
	{
		const uint32 *words = cell_words(table, cell);

		if (words[0] == 0)
			return;
		if (words[1] != hash)
			continue;
		dp_pages_expect(table->pages, image_offset(table, words[0] - 1));
		return;
	}
}

void
dp_value_numbers(DpValueTable *table, DpValueBatch *batch)
{
	uint32 hashes[DP_VALUE_BATCH];
	uint32 i;

	for (i = 0; i < batch->count; i++)
	{
		hashes[i] = (uint32) dp_image_hash(&batch->images[i]);
		dp_pages_expect(table->pages,
						cell_offset(table, first_cell(table, hashes[i])));
	}
	for (i = 0; i < batch->count; i++)
		expect_image(table, hashes[i]);
	for (i = 0; i < batch->count; i++)
		batch->numbers[i] = number_of(table, &batch->images[i], hashes[i]);
}

uint32
dp_value_edges(DpValueTable *table, DpFlow *flow, uint32 edge,
			   DpValueBatch *batch)
{
	uint32 i;

	dp_value_numbers(table, batch);
	for (i = 0; i < batch->count; i++)
		dp_pages_set(flow->pages, flow->edges + edge++, batch->numbers[i]);
	batch->count = 0;
	return edge;
}
