/*
 * prepare.c
 *		Mechanisms for calls.
 */
#include "postgres.h"

#include <math.h>

#include "aggregates/bins.h"
#include "aggregates/prepare.h"
#include "mechanisms/sensitivity.h"
#include "server/memo.h"
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
dp_prepare_counting(const DpCall *call, DpPrepared *prepared)
{
	dp_prepare_count(call, &prepared->noise);
}

void
dp_prepare_sum(const DpCall *call, DpPrepared *prepared)
{
	DpSum *sum = &prepared->sum;
	DpMechanismChoice choice = call->choice;
	DpChange change = {.numbers = 1};

	memset(sum, 0, sizeof(*sum));
	sum->exponent = call->grid.exponent;
	if (dp_aggregate_get(call->aggregate)->of_different)
	{
		dp_unit_total_init(&sum->unit, &call->grid, call->contribution);
		sum->exponent += sum->unit.shift;
		sum->sensitivity = sum->unit.sensitivity;
		change.exchanged = dp_unit_total_exchanged(&sum->unit);
	}
	else if (call->of_units)
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
dp_prepare_mean(const DpCall *call, DpPrepared *prepared)
{
	DpMean *mean = &prepared->mean;
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
dp_prepare_extreme(const DpCall *call, DpPrepared *prepared)
{
	dp_call_report(call, dp_extreme_init(&prepared->extreme, &call->choice,
										 call->epsilon, &call->grid,
										 call->contribution));
}

void
dp_prepare_median(const DpCall *call, DpPrepared *prepared)
{
	dp_call_report(call, dp_median_init(&prepared->median, &call->choice,
										call->epsilon, &call->grid,
										call->contribution));
}

void
dp_prepare_quantile(const DpCall *call, DpPrepared *prepared)
{
	dp_call_report(call, dp_quantile_init(&prepared->quantile, call->fraction,
										  call->epsilon, call->contribution));
}

void
dp_prepare_quantiles(const DpCall *call, DpPrepared *prepared)
{
	prepared->quantiles = palloc(dp_quantiles_size(call->fraction_count));
	dp_call_report(call, dp_quantiles_init(prepared->quantiles, call->fractions,
										   call->fraction_count, call->epsilon,
										   call->contribution));
}

void
dp_prepare_bounds(const DpCall *call, DpPrepared *prepared)
{
	dp_call_report(call, dp_bounds_init(&prepared->bounds,
										dp_bins_of_type(call->type),
										call->epsilon, call->contribution));
}

void
dp_prepare_variance(const DpCall *call, DpPrepared *prepared)
{
	dp_call_report(call, dp_variance_init(
							 &prepared->variance, &call->choice, call->epsilon,
							 dp_grid_span(&call->grid), call->contribution));
	prepared->variance.of_population =
		dp_aggregate_get(call->aggregate)->of_population;
}

void
dp_prepare_regression(const DpCall *call, DpPrepared *prepared)
{
	uint64 spans[2] = {dp_grid_span(&call->grid), dp_grid_span(&call->second)};

	dp_call_report(call, dp_regression_init(&prepared->regression,
											&call->choice, call->epsilon, spans,
											call->contribution));
}

void
dp_prepare_selection(const DpCall *call, DpPrepared *prepared)
{
	dp_call_report(call, dp_selection_init(&prepared->selection, &call->choice,
										   call->epsilon, call->contribution));
}

void
dp_prepare_call(const DpCall *call, DpPrepared *prepared)
{
	static DpMemo memo = {.key_size = sizeof(DpCall),
						  .value_size = sizeof(DpPrepared)};
	DpCall key;
	bool is_whole = dp_call_key(call, &key);

	if (is_whole && dp_memo_find(&memo, &key, prepared))
		return;
	memset(prepared, 0, sizeof(*prepared));
	dp_aggregate_get(call->aggregate)->prepare(call, prepared);
	if (is_whole)
		dp_memo_keep(&memo, &key, prepared);
}

DpCall *
dp_prepare_get(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	DpCall *call = dp_call_get(fcinfo, aggregate);

	if (call->prepared == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
		DpPrepared *prepared = palloc(sizeof(DpPrepared));

		dp_prepare_call(call, prepared);
		call->prepared = prepared;
		MemoryContextSwitchTo(old);
	}
	return call;
}
