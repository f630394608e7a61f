/*
 * value_numbers.c
 *		Numbers of values, by their images.
 *
 * A hash table with open addressing. A cell is a number + 1, or 0, and the
 * image's hash or, where numbers have one word, that much of it, so that few
 * images are looked at in vain; the table of n cells begins at cell n, so each
 * larger table lies behind the smaller one.
 */
#include "postgres.h"

#include "aggregates/value_numbers.h"

#define CELLS_MIN 1024

/* A table has at least half as many cells again as values. */
static bool
is_full(uint64 cells, uint64 values)
{
	return values + values / 2 >= cells;
}

static inline uint64
cell_size(const DpValueTable *table)
{
	return UINT64CONST(2) << table->is_wide;
}

/* Where the images begin behind the largest table for this many values. */
static uint64
images_for(const DpValueTable *table, uint64 values)
{
	uint64 cells = CELLS_MIN;

	while (is_full(cells, values))
		cells *= 2;
	return 2 * cells * cell_size(table);
}

static inline uint64
image_offset(const DpValueTable *table, uint64 number)
{
	return table->images + number * DP_IMAGE_WORDS;
}

uint64
dp_value_table_init(DpValueTable *table, uint64 values)
{
	*table =
		(DpValueTable){.is_wide = dp_flow_is_wide(values), .cells = CELLS_MIN};
	table->images = images_for(table, values);
	return image_offset(table, values);
}

DpImage
dp_value_image(const DpValueTable *table, uint64 number)
{
	DpImage image;

	memcpy(&image, dp_pages_words(table->pages, image_offset(table, number)),
		   sizeof(image));
	return image;
}

/* As much of it as a cell has room for. */
static inline uint64
hash_of(const DpValueTable *table, const DpImage *image)
{
	uint64 hash = dp_image_hash(image);

	return table->is_wide ? hash : (uint32) hash;
}

/* Where the search for such a hash begins, and where it goes on. */
static inline uint64
first_cell(const DpValueTable *table, uint64 hash)
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
	return (table->cells + cell) * cell_size(table);
}

/* What a cell has. */
typedef struct Cell
{
	uint64 number; /* + 1; 0: it is free */
	uint64 hash;
} Cell;

static inline Cell
get_cell(const DpValueTable *table, uint64 cell)
{
	const uint32 *words =
		dp_pages_words(table->pages, cell_offset(table, cell));

	if (!table->is_wide)
		return (Cell){words[0], words[1]};
	return (Cell){words[0] | (uint64) words[1] << 32,
				  words[2] | (uint64) words[3] << 32};
}

static void
set_cell(DpValueTable *table, uint64 cell, Cell content)
{
	uint64 offset = cell_offset(table, cell);

	dp_pages_set_number(table->pages, table->is_wide, offset, 0,
						content.number);
	dp_pages_set_number(table->pages, table->is_wide, offset, 1, content.hash);
}

/* The first free cell for such a hash. */
static uint64
free_cell(const DpValueTable *table, uint64 hash)
{
	uint64 cell = first_cell(table, hash);

	while (get_cell(table, cell).number != 0)
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
		Cell content = get_cell(&old, cell);

		if (content.number != 0)
			set_cell(table, free_cell(table, content.hash), content);
	}
}

static uint64
add_image(DpValueTable *table, const DpImage *image, uint64 cell, uint64 hash)
{
	uint64 number = table->count++;
	int i;

	set_cell(table, cell, (Cell){number + 1, hash});
	for (i = 0; i < DP_IMAGE_WORDS; i++)
		dp_pages_set(table->pages, image_offset(table, number) + i,
					 image->words[i]);
	if (is_full(table->cells, table->count))
		grow(table);
	return number;
}

/* The number of a value, which is added when it is not there. */
static uint64
number_of(DpValueTable *table, const DpImage *image, uint64 hash)
{
	uint64 cell = first_cell(table, hash);

	for (;; cell = next_cell(table, cell))
	{
		Cell content = get_cell(table, cell);

		if (content.number == 0)
			return add_image(table, image, cell, hash);
		if (content.hash == hash &&
			memcmp(dp_pages_words(table->pages,
								  image_offset(table, content.number - 1)),
				   image, sizeof(DpImage)) == 0)
			return content.number - 1;
	}
}

/* Has the processor get the image that is most likely the one of a hash. */
static void
expect_image(const DpValueTable *table, uint64 hash)
{
	uint64 cell = first_cell(table, hash);

	for (; dp_pages_is_here(table->pages, cell_offset(table, cell));
		 cell = next_cell(table, cell))
	{
		Cell content = get_cell(table, cell);

		if (content.number == 0)
			return;
		if (content.hash != hash)
			continue;
		dp_pages_expect(table->pages, image_offset(table, content.number - 1));
		return;
	}
}

void
dp_value_numbers(DpValueTable *table, DpValueBatch *batch)
{
	uint64 hashes[DP_VALUE_BATCH];
	uint32 i;

	for (i = 0; i < batch->count; i++)
	{
		hashes[i] = hash_of(table, &batch->images[i]);
		dp_pages_expect(table->pages,
						cell_offset(table, first_cell(table, hashes[i])));
	}
	for (i = 0; i < batch->count; i++)
		expect_image(table, hashes[i]);
	for (i = 0; i < batch->count; i++)
		batch->numbers[i] = number_of(table, &batch->images[i], hashes[i]);
}

uint64
dp_value_edges(DpValueTable *table, DpFlow *flow, uint64 edge,
			   DpValueBatch *batch)
{
	uint32 i;

	dp_value_numbers(table, batch);
	for (i = 0; i < batch->count; i++)
		dp_flow_set_edge(flow, edge++, batch->numbers[i]);
	batch->count = 0;
	return edge;
}
