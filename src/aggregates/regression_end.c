/*
 * regression_end.c
 *		Ends of intervals of regressions, as rows.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"

#include "aggregates/regression_end.h"
#include "mechanisms/regression_ends.h"
#include "server/report.h"

/* floor or ceil of what is not negative, in rows */
static int64
rows_of(dp_int128 steps, uint64 step, bool is_up)
{
	if (steps <= 0)
		return 0;
	return (int64) Min((steps - 1) / step + (is_up || steps % step == 0),
					   (dp_int128) PG_INT64_MAX);
}

/* An end of the number of rows. */
static int64
rows_end(const DpEnd *end, int64 answer, const dp_int128 *sums)
{
	dp_int128 total = dp_law_rows(end->law, 0, sums);
	dp_uint128 width;
	dp_int128 by;

	dp_report_status(dp_law_known_width(end->law, end->level, true, &width));
	by = (dp_int128) Min(width, (dp_uint128) DP_INT128_MAX);
	total = dp_int128_add_saturating(total, end->is_high ? by : -by);
	return end->is_high ? Max(rows_of(total, end->law->steps, false), answer)
						: Min(rows_of(total, end->law->steps, true), answer);
}

Datum
dp_regression_end(const DpEnd *end, Datum answer, const dp_int128 *sums)
{
	const DpGrid *grids[2] = {&end->call->grid, &end->call->second};
	DpRegressionEnds ends = {.law = end->law,
							 .level = end->level,
							 .width = end->width,
							 .sums = sums};
	HeapTupleHeader row = DatumGetHeapTupleHeader(answer);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row),
						   .t_data = row};
	TupleDesc descriptor = dp_regression_descriptor();
	Datum values[DP_REGRESSION_VALUES];
	bool nulls[DP_REGRESSION_VALUES];
	int i;

	ItemPointerSetInvalid(&tuple.t_self);
	heap_deform_tuple(&tuple, descriptor, values, nulls);
	for (i = 0; i < 2; i++)
	{
		ends.lower[i] = dp_grid_to_double(grids[i], (double) grids[i]->lower);
		ends.spans[i] =
			dp_grid_to_double(grids[i], (double) dp_grid_span(grids[i]));
	}
	for (i = 0; i < DP_REGRESSION_VALUES; i++)
	{
		DpRange range;
		double shown;

		if (nulls[i])
			continue;
		if (i == DP_REGRESSION_COUNT)
		{
			values[i] =
				Int64GetDatum(rows_end(end, DatumGetInt64(values[i]), sums));
			continue;
		}
		range = dp_regression_range(&ends, (DpRegressionValue) i);
		shown = DatumGetFloat8(values[i]);
		values[i] = Float8GetDatum(end->is_high ? fmax(range.high, shown)
												: fmin(range.low, shown));
	}
	return HeapTupleGetDatum(heap_form_tuple(descriptor, values, nulls));
}
