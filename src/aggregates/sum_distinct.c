/*
 * sum_distinct.c
 *		dp_sum_distinct and dp_mean_distinct: of different values, each once.
 *
 * Values are different where their grid points are. Of a unit with several values
 * only as many count as of its rows; which ones, is decided for all units together,
 * in an order of the values that is the same for all data (distinct_basis.h says why
 * that is private): for sums those furthest from 0 come first, so that little is left
 * out; for means an order in which great and small ones alternate, so that what is
 * left out is like what is not.
 *
 * The points that count are added up as those of dp_sum and dp_mean are: a unit
 * changes the sums as a unit of that many rows changes theirs, and where units are
 * rows, as a row. So noise, laws and prices are the same.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/tuplesort.h"

#include "aggregates/noisy_sums.h"
#include "aggregates/paged_memory.h"
#include "aggregates/prepare.h"
#include "aggregates/sum_state.h"
#include "aggregates/value_sets.h"
#include "mechanisms/distinct_basis.h"
#include "server/compat.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_sum_distinct_final);
PG_FUNCTION_INFO_V1(dp_mean_distinct_final);
PG_FUNCTION_INFO_V1(dp_mean_distinct_sums_final);

/* An odd number near 2^64 over the golden ratio, and what it times that is 1. */
#define SPREAD UINT64CONST(0x9e3779b97f4a7c15)
#define UNSPREAD UINT64CONST(0xf1de83e19937733d)

#define SIGN (UINT64CONST(1) << 63)

/* (state internal, value, ...): adds one row. */
static inline Datum
add_row(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	DpCall *call = dp_call_of_row(fcinfo, aggregate);
	DpValueSets *state = dp_value_sets_of(fcinfo, call, NULL);
	int64 point;

	if (dp_call_row_point(fcinfo, call, &point))
	{
		DpImage image = dp_image_of_point(point);

		dp_value_sets_add_row(state, &image);
	}
	PG_RETURN_POINTER(state);
}

/* (state internal, ..., points of a unit distinct_state) */
static inline Datum
add_unit(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	DpCall *call = dp_call_of_row(fcinfo, aggregate);
	DpValueSets *state = dp_value_sets_of(fcinfo, call, NULL);

	dp_value_sets_add_unit(state, fcinfo);
	PG_RETURN_POINTER(state);
}

DP_CALL_FUNCTION(dp_sum_distinct_transition, add_row, DP_AGGREGATE_SUM_DISTINCT)
DP_CALL_FUNCTION(dp_mean_distinct_transition, add_row,
				 DP_AGGREGATE_MEAN_DISTINCT)
DP_CALL_FUNCTION(dp_sum_distinct_of_units_transition, add_unit,
				 DP_AGGREGATE_SUM_DISTINCT)
DP_CALL_FUNCTION(dp_mean_distinct_of_units_transition, add_unit,
				 DP_AGGREGATE_MEAN_DISTINCT)

/*
 * A point's place in the order: all 64 bits of it, so that it can be found from
 * that. Of sums, 2 |point|, and one less below 0, downwards.
 */
static int64
place_of(DpAggregate aggregate, int64 point)
{
	uint64 bits = (uint64) point;

	if (aggregate == DP_AGGREGATE_MEAN_DISTINCT)
		return (int64) (bits * SPREAD);
	bits = bits << 1 ^ (point < 0 ? PG_UINT64_MAX : 0);
	return (int64) (~bits ^ SIGN);
}

static int64
point_at(DpAggregate aggregate, int64 place)
{
	uint64 bits = (uint64) place;

	if (aggregate == DP_AGGREGATE_MEAN_DISTINCT)
		return (int64) (bits * UNSPREAD);
	bits = ~(bits ^ SIGN);
	return (int64) (bits >> 1 ^ (bits & 1 ? PG_UINT64_MAX : 0));
}

/* The numbers of a batch's values are next in the order. */
static void
add_batch(DpValueTable *table, DpBasis *basis, DpValueBatch *batch)
{
	uint32 i;

	CHECK_FOR_INTERRUPTS();
	dp_value_numbers(table, batch);
	for (i = 0; i < batch->count; i++)
		dp_basis_add(basis, batch->numbers[i]);
	batch->count = 0;
}

/* Puts the values in order; the server sorts, on disk where they are many. */
static void
put_in_order(DpAggregate aggregate, DpValueTable *table, DpBasis *basis)
{
	Tuplesortstate *sort =
		tuplesort_begin_datum(INT8OID, Int8LessOperator, InvalidOid, false,
							  Max(work_mem / 4, 64), NULL, TUPLESORT_NONE);
	DpValueBatch batch = {.count = 0};
	Datum place;
	uint64 i;

	for (i = 0; i < table->count; i++)
	{
		DpImage image = dp_value_image(table, i);

		tuplesort_putdatum(
			sort, Int64GetDatum(place_of(aggregate, dp_image_point(&image))),
			false);
	}
	tuplesort_performsort(sort);
	while (dp_compat_next_datum(sort, &place))
	{
		batch.images[batch.count++] =
			dp_image_of_point(point_at(aggregate, DatumGetInt64(place)));
		if (batch.count == DP_VALUE_BATCH)
			add_batch(table, basis, &batch);
	}
	add_batch(table, basis, &batch);
	tuplesort_end(sort);
}

/* Adds a point to the sums of a call. */
static void
add_point(const DpCall *call, int64 point, DpSumState *sums)
{
	dp_int128 number;
	int64 weight;

	point = Min(Max(point, call->grid.lower), call->grid.upper);
	number = point;
	if (call->aggregate == DP_AGGREGATE_MEAN_DISTINCT)
	{
		const DpMean *mean = call->prepared;

		number -= call->grid.lower;
		if (call->of_units) /* in steps of the answer */
			dp_unit_mean_of(&mean->unit, number, 1, &number, &weight);
	}
	dp_sum_state_set(sums, dp_sum_state_get(sums) + number);
	sums->count++;
}

/* The sums of the values that count, in steps of the answer. */
static DpSumState
sums_of(FunctionCallInfo fcinfo, const DpCall *call)
{
	const DpValueSets *state = (DpValueSets *) dp_value_count_argument(fcinfo);
	DpSumState sums = {0};
	DpValueTable table;
	DpFlow flow;
	DpBasis basis = {.has_all = true};
	uint64 words;
	uint64 i;

	if (state == NULL)
		return sums;
	words = dp_value_sets_init(state, &table, &flow);
	if (state->of_units)
		words = dp_basis_init(&basis, &flow, words, state->units,
							  state->base.pairs, state->base.pairs);
	dp_value_sets_read(state, words, &table, &flow);
	if (state->of_units)
		dp_basis_begin(&basis);
	if (!basis.has_all)
	{
		put_in_order(call->aggregate, &table, &basis);
		dp_basis_find(&basis);
	}
	for (i = 0; i < table.count; i++)
	{
		DpImage image = dp_value_image(&table, i);

		if (dp_basis_has(&basis, i))
			add_point(call, dp_image_point(&image), &sums);
	}
	dp_paged_memory_free(table.pages);
	if (call->aggregate == DP_AGGREGATE_SUM_DISTINCT)
	{
		const DpSum *sum = call->prepared;

		dp_sum_state_set(&sums,
						 dp_unit_total_of(&sum->unit, dp_sum_state_get(&sums)));
	}
	return sums;
}

/* (state internal): the state is NULL when there was no row. */
Datum
dp_sum_distinct_final(PG_FUNCTION_ARGS)
{
	const DpCall *call = dp_prepare_get(fcinfo, DP_AGGREGATE_SUM_DISTINCT);
	DpSumState sums = sums_of(fcinfo, call);

	return dp_sum_draw(call, dp_sum_state_get(&sums));
}

static const DpCall *
draw_means(FunctionCallInfo fcinfo, dp_int128 *noisy)
{
	const DpCall *call = dp_prepare_get(fcinfo, DP_AGGREGATE_MEAN_DISTINCT);
	DpSumState sums = sums_of(fcinfo, call);

	dp_report_status(dp_mean_draw_sums(dp_report_random(), call->prepared,
									   dp_sum_state_get(&sums), sums.count,
									   noisy));
	return call;
}

Datum
dp_mean_distinct_final(PG_FUNCTION_ARGS)
{
	dp_int128 noisy[2];
	const DpCall *call = draw_means(fcinfo, noisy);

	return dp_mean_answer(call, call->prepared, noisy);
}

/* The mean as its noisy sums, for a release. */
Datum
dp_mean_distinct_sums_final(PG_FUNCTION_ARGS)
{
	dp_int128 noisy[2];

	(void) draw_means(fcinfo, noisy);
	return dp_noisy_sums_write(noisy, 2);
}

/* The true sums, without noise. */
static Datum
true_sums(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	DpSumState *sums = palloc(sizeof(DpSumState));

	*sums = sums_of(fcinfo, dp_prepare_get(fcinfo, aggregate));
	PG_RETURN_POINTER(sums);
}

DP_CALL_FUNCTION(dp_sum_distinct_state_final, true_sums,
				 DP_AGGREGATE_SUM_DISTINCT)
DP_CALL_FUNCTION(dp_mean_distinct_state_final, true_sums,
				 DP_AGGREGATE_MEAN_DISTINCT)
