/*
 * value_numbers.h
 *		Numbers different values from 0, by their images.
 *
 * The table is in pages (core/pages.h). It starts small and doubles, so that
 * it is no larger than its values need. Many values are looked up at a time,
 * so that their memory accesses overlap.
 */
#ifndef DP_AGGREGATES_VALUE_NUMBERS_H
#define DP_AGGREGATES_VALUE_NUMBERS_H

#include "aggregates/image.h"
#include "core/pages.h"
#include "mechanisms/distinct_flow.h"

typedef struct DpValueTable
{
	DpPages *pages; /* to be filled in, all 0 */
	int is_wide;	/* numbers and hashes have two words (distinct_flow.h) */
	uint64 cells;	/* now: a power of two */
	uint64 images;	/* where they begin, in the order of their numbers */
	uint64 count;	/* of the values */
} DpValueTable;

#define DP_VALUE_BATCH 64

typedef struct DpValueBatch
{
	DpImage images[DP_VALUE_BATCH];
	uint64 numbers[DP_VALUE_BATCH]; /* once they are found */
	uint32 count;
} DpValueBatch;

/*
 * An empty table from the first page on, for this many values at most. Returns
 * the offset behind it.
 */
extern uint64 dp_value_table_init(DpValueTable *table, uint64 values);

/* The image of a number's value. */
extern DpImage dp_value_image(const DpValueTable *table, uint64 number);

/* The numbers of a batch; what is not there is added. */
extern void dp_value_numbers(DpValueTable *table, DpValueBatch *batch);

/*
 * The values of a batch, which is empty then, become the next edges of a flow.
 * Returns the number of the edge behind them.
 */
extern uint64 dp_value_edges(DpValueTable *table, DpFlow *flow, uint64 edge,
							 DpValueBatch *batch);

#endif
