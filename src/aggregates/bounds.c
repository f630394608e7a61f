/*
 * bounds.c
 *		dp_bounds: bounds for values of which nothing is known.
 *
 * Rows are counted by bin (aggregates/bins.h); the final function says between
 * which of them there are values (mechanisms/bounds.h). Of units of several rows
 * a sample of each unit's bins counts, made by dp_noise.sample_bins.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "aggregates/bins.h"
#include "aggregates/call.h"
#include "aggregates/counts_state.h"
#include "aggregates/prepare.h"
#include "aggregates/sample_state.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_bounds_transition);
PG_FUNCTION_INFO_V1(dp_bounds_of_units_transition);
PG_FUNCTION_INFO_V1(dp_bounds_final);

static DpBins
bins_of(const DpCall *call)
{
	return ((const DpBounds *) call->prepared)->bins;
}

static DpCountsState *
state_of(FunctionCallInfo fcinfo, const DpCall *call)
{
	return dp_counts_of(fcinfo, dp_bins_number(bins_of(call)));
}

/* (state internal, value, ...): counts one row. */
Datum
dp_bounds_transition(PG_FUNCTION_ARGS)
{
	const DpCall *call = dp_prepare_of_row(fcinfo, DP_AGGREGATE_BOUNDS);
	DpCountsState *state = state_of(fcinfo, call);
	uint32 bin;

	if (!PG_ARGISNULL(1) &&
		dp_bins_find(call->type, bins_of(call), PG_GETARG_DATUM(1), &bin))
		dp_counts_add(state, bin);
	PG_RETURN_POINTER(state);
}

/* (state internal, ..., bins of a unit sample_state) */
Datum
dp_bounds_of_units_transition(PG_FUNCTION_ARGS)
{
	const DpCall *call = dp_prepare_get(fcinfo, DP_AGGREGATE_BOUNDS);
	DpCountsState *state = state_of(fcinfo, call);
	int64 last = (int64) dp_bins_number(bins_of(call)) - 1;
	const DpSampleState *sample;
	uint64 i;

	if (PG_ARGISNULL(PG_NARGS() - 1))
		PG_RETURN_POINTER(state);
	sample = dp_sample_state_argument(fcinfo, call->contribution.rows);
	for (i = 0; i < dp_sample_state_kept(sample); i++)
		dp_counts_add(
			state, (uint64) Max(Min(sample->points[i], last), INT64CONST(0)));
	PG_RETURN_POINTER(state);
}

/* The bounds, both 0 where no bin holds enough values. */
static void
draw(const DpCall *call, const int64 *counts, DpEdge *lower, DpEdge *upper)
{
	DpBins bins = bins_of(call);
	uint32 first;
	uint32 last;

	dp_report_status(dp_bounds_draw(dp_report_random(), call->prepared, counts,
									&first, &last));
	*lower = *upper = (DpEdge){0, 0};
	if (first > last)
		return;
	*lower = dp_bin_lower(bins, first);
	*upper = dp_bin_upper(bins, last);
}

/* Draws from the state, which is NULL when there was no row at all. */
Datum
dp_bounds_final(PG_FUNCTION_ARGS)
{
	const DpCall *call = dp_prepare_get(fcinfo, DP_AGGREGATE_BOUNDS);
	const int64 none[DP_BINS_MAX] = {0};
	const DpCountsState *state =
		dp_counts_argument(fcinfo, 0, dp_bins_number(bins_of(call)));
	DpEdge lower;
	DpEdge upper;
	Datum ends[2];
	int16 length;
	bool by_value;
	char align;

	draw(call, state == NULL ? none : state->counts, &lower, &upper);
	ends[0] = dp_bins_edge(call->type, lower);
	ends[1] = dp_bins_edge(call->type, upper);
	get_typlenbyvalalign(call->type, &length, &by_value, &align);
	PG_RETURN_ARRAYTYPE_P(
		construct_array(ends, 2, call->type, length, by_value, align));
}
