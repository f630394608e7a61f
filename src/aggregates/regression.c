/*
 * regression.c
 *		dp_regression: correlation, covariance and regression of two columns.
 *
 * Rows in which neither is null add up exactly, on two grids whose spans
 * squared are bounded; mechanisms/regression.h says how noisy sums of them
 * become moments. The answer is a row of type dp_noise.regression, with a
 * column for each of the server's aggregates of two columns, so all of these
 * are one question and agree with each other.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "aggregates/call.h"
#include "aggregates/noisy_sums.h"
#include "aggregates/pair_state.h"
#include "aggregates/prepare.h"
#include "aggregates/regression_end.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_regression_transition);
PG_FUNCTION_INFO_V1(dp_regression_of_units_transition);
PG_FUNCTION_INFO_V1(dp_regression_final);
PG_FUNCTION_INFO_V1(dp_regression_sums_final);

/* (state, y, x, ...): adds one row; not strict, as those of sum.c. */
Datum
dp_regression_transition(PG_FUNCTION_ARGS)
{
	const DpCall *call = dp_prepare_of_row(fcinfo, DP_AGGREGATE_REGRESSION);
	const DpRegression *regression = call->prepared;
	DpPairState *state = DatumGetPairState(PG_GETARG_DATUM(0));
	DpPairs pairs;
	double y;
	double x;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_POINTER(state);
	y = PG_GETARG_FLOAT8(1);
	x = PG_GETARG_FLOAT8(2);
	if (isnan(y) || isnan(x))
		PG_RETURN_POINTER(state);
	dp_pair_state_get(state, &pairs);
	dp_regression_add_row(
		regression, dp_grid_from_double(&call->grid, y) - call->grid.lower,
		dp_grid_from_double(&call->second, x) - call->second.lower, &pairs);
	dp_pair_state_set(state, &pairs);
	PG_RETURN_POINTER(state);
}

/* (state, ..., sums of a unit pair_state): adds what the unit contributes. */
Datum
dp_regression_of_units_transition(PG_FUNCTION_ARGS)
{
	const DpCall *call = dp_prepare_get(fcinfo, DP_AGGREGATE_REGRESSION);
	DpPairState *state = DatumGetPairState(PG_GETARG_DATUM(0));
	int argno = PG_NARGS() - 1;
	DpPairs pairs;
	DpPairs rows;
	DpPairs unit;
	int i;

	if (PG_ARGISNULL(argno))
		PG_RETURN_POINTER(state);
	dp_pair_state_get(DatumGetPairState(PG_GETARG_DATUM(argno)), &rows);
	dp_regression_unit_of(call->prepared, &rows, &unit);
	dp_pair_state_get(state, &pairs);
	for (i = 0; i < DP_REGRESSION_KEPT; i++)
		pairs.sums[i] += unit.sums[i];
	pairs.count += unit.count;
	dp_pair_state_set(state, &pairs);
	PG_RETURN_POINTER(state);
}

TupleDesc
dp_regression_descriptor(void)
{
	Oid schema = get_namespace_oid("dp_noise", false);
	Oid type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
							   CStringGetDatum("regression"),
							   ObjectIdGetDatum(schema));
	TupleDesc descriptor = lookup_rowtype_tupdesc_copy(type, -1);

	if (descriptor->natts != DP_REGRESSION_VALUES)
		elog(ERROR, "unexpected columns of dp_noise.regression");
	return BlessTupleDesc(descriptor);
}

/* What does not depend on whether a variance is zero. */
static void
set_moments(const DpMoments *moments, double means[2], double spans[2],
			Datum *values)
{
	double rows = moments->rows;
	double covariance = moments->covariance * spans[0] * spans[1];

	values[DP_REGRESSION_COVAR_POP] = Float8GetDatum(covariance);
	values[DP_REGRESSION_COVAR_SAMP] =
		Float8GetDatum(covariance * fmax(rows, 2) / (fmax(rows, 2) - 1));
	values[DP_REGRESSION_AVGY] = Float8GetDatum(means[0]);
	values[DP_REGRESSION_AVGX] = Float8GetDatum(means[1]);
	values[DP_REGRESSION_SYY] =
		Float8GetDatum(rows * moments->variances[0] * spans[0] * spans[0]);
	values[DP_REGRESSION_SXX] =
		Float8GetDatum(rows * moments->variances[1] * spans[1] * spans[1]);
	values[DP_REGRESSION_SXY] = Float8GetDatum(rows * covariance);
}

/*
 * As the server's aggregates: null without rows, but for the count; without
 * variance those that divide by it.
 */
Datum
dp_regression_answer(const DpCall *call, const DpPrepared *prepared,
					 const dp_int128 *sums)
{
	DpMoments moments = dp_regression_moments(&prepared->regression, sums);
	const DpGrid *grids[2] = {&call->grid, &call->second};
	double spans[2];
	double means[2];
	Datum values[DP_REGRESSION_VALUES] = {0};
	bool nulls[DP_REGRESSION_VALUES];
	int i;

	memset(nulls, moments.rows <= 0, sizeof(nulls));
	for (i = 0; i < 2; i++)
	{
		double span = (double) dp_grid_span(grids[i]);

		spans[i] = dp_grid_to_double(grids[i], span);
		means[i] = dp_grid_to_double(grids[i], (double) grids[i]->lower +
												   moments.means[i] * span);
	}
	nulls[DP_REGRESSION_COUNT] = false;
	values[DP_REGRESSION_COUNT] =
		Int64GetDatum((int64) fmin(rint(moments.rows), 9.2e18));
	set_moments(&moments, means, spans, values);
	nulls[DP_REGRESSION_SLOPE] = nulls[DP_REGRESSION_INTERCEPT] =
		nulls[DP_REGRESSION_R2] = !(moments.variances[1] * spans[1] > 0);
	nulls[DP_REGRESSION_CORR] =
		nulls[DP_REGRESSION_SLOPE] || !(moments.variances[0] * spans[0] > 0);
	if (!nulls[DP_REGRESSION_SLOPE])
	{
		double slope =
			moments.covariance / moments.variances[1] * (spans[0] / spans[1]);
		double corr = nulls[DP_REGRESSION_CORR]
						  ? 1
						  : moments.covariance / sqrt(moments.variances[0] *
													  moments.variances[1]);

		corr = fmin(fmax(corr, -1), 1);
		values[DP_REGRESSION_SLOPE] = Float8GetDatum(slope);
		values[DP_REGRESSION_INTERCEPT] =
			Float8GetDatum(means[0] - slope * means[1]);
		values[DP_REGRESSION_CORR] = Float8GetDatum(corr);
		values[DP_REGRESSION_R2] = Float8GetDatum(corr * corr);
	}
	return HeapTupleGetDatum(
		heap_form_tuple(dp_regression_descriptor(), values, nulls));
}

/* Draws the noisy sums. */
static const DpCall *
draw(FunctionCallInfo fcinfo, dp_int128 sums[DP_REGRESSION_SUMS])
{
	const DpCall *call = dp_prepare_get(fcinfo, DP_AGGREGATE_REGRESSION);
	DpPairs pairs;

	dp_pair_state_get(DatumGetPairState(PG_GETARG_DATUM(0)), &pairs);
	dp_report_status(dp_regression_draw_sums(dp_report_random(), call->prepared,
											 &pairs, sums));
	return call;
}

Datum
dp_regression_final(PG_FUNCTION_ARGS)
{
	dp_int128 sums[DP_REGRESSION_SUMS];
	const DpCall *call = draw(fcinfo, sums);

	return dp_regression_answer(call, call->prepared, sums);
}

/* For a release: the noisy sums. */
Datum
dp_regression_sums_final(PG_FUNCTION_ARGS)
{
	dp_int128 sums[DP_REGRESSION_SUMS];

	(void) draw(fcinfo, sums);
	return dp_noisy_sums_write(sums, DP_REGRESSION_SUMS);
}
