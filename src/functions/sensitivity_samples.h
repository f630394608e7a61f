/*
 * sensitivity_samples.h
 *		Values of a user-defined aggregate over random rows of a relation.
 *
 * The aggregate and the reads run by SPI, with the rights of whoever calls,
 * and nothing more: no protected row is read that the caller could not select.
 * Rows are kept, up to DP_POOL_ROWS of them, chosen at random where there are
 * more; a sample draws from those, each row as likely at each position, and
 * the same row may come again. So samples are independent draws from what the
 * rows are, which stands for the distribution that they came from.
 */
#ifndef DP_FUNCTIONS_SENSITIVITY_SAMPLES_H
#define DP_FUNCTIONS_SENSITIVITY_SAMPLES_H

#include "executor/spi.h"
#include "nodes/pg_list.h"

/* The rows that samples are drawn from, at most. */
#define DP_POOL_ROWS 100000

/* How the two databases of a sample differ. */
typedef enum DpPair
{
	DP_PAIR_SUBSTITUTE, /* the last row is another one */
	DP_PAIR_ADD_REMOVE	/* the last row is there, or not */
} DpPair;

typedef struct DpSampleColumn
{
	Oid type;
	int16 length;
	bool by_value;
	char align;
	Datum *values; /* of the pool's rows */
	bool *nulls;
} DpSampleColumn;

typedef struct DpSampler
{
	SPIPlanPtr plan; /* the aggregate over arrays of rows */
	int columns;
	DpSampleColumn *column;
	uint64 rows; /* in the pool: at least 1 */
	uint64 seen; /* in the relation */
} DpSampler;

/*
 * Reads the pool and plans the aggregate, of which these columns are the
 * arguments. Between SPI_connect and SPI_finish. Errors: whatever reading and
 * planning raise; wrong_object_type, undefined_function,
 * invalid_parameter_value (the aggregate, or the number of columns),
 * undefined_column, feature_not_supported (types),
 * object_not_in_prerequisite_state (no rows).
 */
extern void dp_sampler_open(DpSampler *sampler, Oid aggregate, Oid relation,
							const List *columns);

/*
 * How much the aggregate's values differ over two databases of this many rows,
 * drawn anew; infinity where that is no number. rows: at least 1.
 * Errors: null_value_not_allowed (the aggregate is null), the aggregate's own.
 */
extern double dp_sampler_difference(DpSampler *sampler, int rows, DpPair pair);

#endif
