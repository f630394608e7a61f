/*
 * value_sets.h
 *		The state of aggregates of different values: which units have which.
 *
 * A log (word_log.h) of images: of the rows', where a unit is a row, else of each
 * unit's set of values. In the end it is read once, into a table that numbers the
 * values and, of units, the edges of a flow from them to the values. The log and
 * the table with the flow may each take half of work_mem, and have files behind
 * them.
 */
#ifndef DP_AGGREGATES_VALUE_SETS_H
#define DP_AGGREGATES_VALUE_SETS_H

#include "postgres.h"

#include "aggregates/distinct_state.h"
#include "aggregates/value_count.h"
#include "aggregates/value_numbers.h"
#include "aggregates/word_log.h"

typedef struct DpValueSets
{
	DpValueCount base; /* its pairs: of rows, rows */
	bool of_units;	   /* each unit's number of values stands before them */
	bool of_points;	   /* images are those of grid points */
	uint64 units;	   /* with values */
	DpImage latest;	   /* of rows */
	DpWordLog log;
} DpValueSets;

/*
 * The state that is a transition function's first argument, or a new one. count: as
 * of dp_value_count_init, or NULL where a final function of its own looks at it.
 */
extern DpValueSets *dp_value_sets_of(FunctionCallInfo fcinfo, DpCall *call,
									 int64 (*count)(DpValueCount *));

/* Adds one row's value. */
extern void dp_value_sets_add_row(DpValueSets *state, const DpImage *image);

/* Adds a unit's values, the function's last argument, which may be null. */
extern void dp_value_sets_add_unit(DpValueSets *state, FunctionCallInfo fcinfo);

/*
 * Lays out the table and, of units, the flow behind it. Returns the offset behind
 * both.
 */
extern uint64 dp_value_sets_init(const DpValueSets *state, DpValueTable *table,
								 DpFlow *flow);

/*
 * Makes pages of so many words, and reads the log into the table and the flow in
 * them. The caller frees the pages, which both have.
 */
extern void dp_value_sets_read(const DpValueSets *state, uint64 words,
							   DpValueTable *table, DpFlow *flow);

#endif
