/*
 * prepare.c
 *		Mechanisms for calls.
 */
#include "postgres.h"

#include <math.h>

#include "aggregates/bins.h"
#include "aggregates/prepare.h"
#include "mechanisms/sensitivity.h"
#include "server/report.h"

void
dp_prepare_count(const DpCall *call, DpNoise *noise)
{
	/* A unit that is counted is one value, however many rows it has. */
	uint64 rows =
		call->aggregate == DP_AGGREGATE_COUNT_DISTINCT && !call->of_values
			? 1
			: call->contribution.rows;

	DpChange change = {dp_sensitivity_count() * rows,
					   dp_sensitivity_count() * rows, 1};

	dp_call_report(call,
				   dp_noise_init_change(noise, &call->choice, call->epsilon,
										&change, call->contribution));
}

void
dp_prepare_sum(const DpCall *call, DpSum *sum)
{
	DpMechanismChoice choice = call->choice;
	DpChange change = {.numbers = 1};

	memset(sum, 0, sizeof(*sum));
	sum->exponent = call->grid.exponent;
	if (call->of_units)
	{
		dp_unit_sum_init(&sum->unit, &call->grid, call->contribution);
		sum->exponent += sum->unit.shift;
		sum->sensitivity = sum->unit.sensitivity;
		change.exchanged = dp_unit_sum_exchanged(&sum->unit);
	}
	else
	{
		sum->sensitivity = dp_sensitivity_sum(
			&call->grid, dp_contribution_within(call->contribution));
		change.exchanged = dp_sensitivity_sum(&call->grid, DP_SUBSTITUTE);
	}
	change.sensitivity = Max(sum->sensitivity, 1);
	if (choice.quantum != 0 && sum->unit.shift > 0)
		choice.quantum = fmax(rint(ldexp(choice.quantum, -sum->unit.shift)), 1);
	dp_call_report(call,
				   dp_noise_init_change(&sum->noise, &choice, call->epsilon,
										&change, call->contribution));
}

void
dp_prepare_mean(const DpCall *call, DpMean *mean)
{
	DpStatus status;

	if (call->of_units)
		status = dp_mean_init_units(mean, &call->choice, call->epsilon,
									&call->grid, call->contribution);
	else
		status = dp_mean_init(mean, &call->choice, call->epsilon, &call->grid,
							  call->contribution);
	dp_call_report(call, status);
}

void
dp_prepare_extreme(const DpCall *call, DpExtreme *extreme)
{
	dp_call_report(call, dp_extreme_init(extreme, &call->choice, call->epsilon,
										 &call->grid, call->contribution));
}

void
dp_prepare_median(const DpCall *call, DpMedian *median)
{
	dp_call_report(call, dp_median_init(median, &call->choice, call->epsilon,
										&call->grid, call->contribution));
}

void
dp_prepare_quantile(const DpCall *call, DpQuantile *quantile)
{
	dp_call_report(call, dp_quantile_init(quantile, call->fraction,
										  call->epsilon, call->contribution));
}

DpQuantiles *
dp_prepare_quantiles(const DpCall *call)
{
	DpQuantiles *quantiles = palloc(dp_quantiles_size(call->fraction_count));

	dp_call_report(call, dp_quantiles_init(quantiles, call->fractions,
										   call->fraction_count, call->epsilon,
										   call->contribution));
	return quantiles;
}

void
dp_prepare_bounds(const DpCall *call, DpBounds *bounds)
{
	dp_call_report(call, dp_bounds_init(bounds, dp_bins_of_type(call->type),
										call->epsilon, call->contribution));
}

void
dp_prepare_variance(const DpCall *call, DpVariance *variance)
{
	dp_call_report(
		call, dp_variance_init(variance, &call->choice, call->epsilon,
							   dp_grid_span(&call->grid), call->contribution));
}

void
dp_prepare_selection(const DpCall *call, DpSelection *selection)
{
	dp_call_report(call, dp_selection_init(selection, &call->choice,
										   call->epsilon, call->contribution));
}

/* In the current memory context. */
static void *
prepare(const DpCall *call)
{
	DpPrepared *prepared;

	if (call->aggregate == DP_AGGREGATE_QUANTILES)
		return dp_prepare_quantiles(call);
	prepared = palloc(sizeof(DpPrepared));
	switch (call->aggregate)
	{
		case DP_AGGREGATE_SUM:
			dp_prepare_sum(call, &prepared->sum);
			break;
		case DP_AGGREGATE_MEAN:
			dp_prepare_mean(call, &prepared->mean);
			break;
		case DP_AGGREGATE_MAX:
		case DP_AGGREGATE_MIN:
			dp_prepare_extreme(call, &prepared->extreme);
			break;
		case DP_AGGREGATE_MEDIAN:
		case DP_AGGREGATE_MEDIAN_EXP:
			dp_prepare_median(call, &prepared->median);
			break;
		case DP_AGGREGATE_QUANTILE:
			dp_prepare_quantile(call, &prepared->quantile);
			break;
		case DP_AGGREGATE_VARIANCE:
		case DP_AGGREGATE_STDDEV:
			dp_prepare_variance(call, &prepared->variance);
			break;
		case DP_AGGREGATE_BOUNDS:
			dp_prepare_bounds(call, &prepared->bounds);
			break;
		default:
			elog(ERROR, "aggregate %s prepares its own mechanism",
				 dp_call_name(call->aggregate));
	}
	return prepared;
}

DpCall *
dp_prepare_get(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	DpCall *call = dp_call_get(fcinfo, aggregate);

	if (call->prepared == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);

		call->prepared = prepare(call);
		MemoryContextSwitchTo(old);
	}
	return call;
}
