/*
 * describe.c
 *		Mechanism, sensitivity and expected error of a call.
 */
#include "postgres.h"

#include "utils/float.h"

#include "aggregates/describe.h"
#include "mechanisms/expected_error.h"
#include "mechanisms/extreme.h"
#include "mechanisms/mean.h"
#include "mechanisms/median.h"
#include "mechanisms/quantile.h"
#include "mechanisms/selection.h"
#include "mechanisms/sensitivity.h"
#include "mechanisms/two_stage.h"

/* Additive noise, in the unit of the answer. */
static void
describe_noise(const DpCall *call, const DpNoise *noise,
			   DpDescription *description)
{
	double step = call->aggregate == DP_AGGREGATE_COUNT
					  ? 1
					  : dp_grid_to_double(&call->grid, 1);
	DpError error;

	dp_expected_error_of(noise, call->epsilon_asked, &error);
	description->mechanism = noise->mechanism;
	description->sensitivity = (double) noise->sensitivity * step;
	description->half_width_95 = error.half_width_95 * step;
}

/* Levels over a span that is in the unit of the answer. */
static void
describe_levels(const DpTwoStage *two_stage, double span,
				DpDescription *description)
{
	DpError error;

	dp_two_stage_error(two_stage, &error);
	description->half_width_95 = error.half_width_95 * span;
}

void
dp_describe_call(const DpCall *call, DpDescription *description)
{
	const DpGrid *grid = &call->grid;
	double span = dp_call_has_bounds(call->aggregate)
					  ? dp_grid_to_double(grid, (double) dp_grid_span(grid))
					  : 0;
	DpNoise noise;
	DpMean mean;
	DpExtreme extreme;
	DpMedian median;
	DpSelection selection;

	description->sensitivity = span;
	description->half_width_95 = get_float8_nan();
	switch (call->aggregate)
	{
		case DP_AGGREGATE_COUNT:
			dp_call_report(call,
						   dp_noise_init_groups(
							   &noise, &call->choice, call->epsilon,
							   call->contribution.rows * dp_sensitivity_count(),
							   call->contribution));
			describe_noise(call, &noise, description);
			break;
		case DP_AGGREGATE_SUM:
			dp_call_report(
				call, dp_noise_init_groups(
						  &noise, &call->choice, call->epsilon,
						  Max(dp_sensitivity_sum(grid, dp_contribution_within(
														   call->contribution)),
							  1),
						  call->contribution));
			describe_noise(call, &noise, description);
			break;
		case DP_AGGREGATE_MEAN:
			dp_call_report(call,
						   dp_mean_init(&mean, &call->choice, call->epsilon,
										grid, call->contribution));
			description->mechanism = mean.mechanism;
			if (mean.mechanism == DP_TWO_STAGE)
			{
				description->sensitivity =
					mean.two_stage.half ? span / 2 : span;
				describe_levels(&mean.two_stage, span, description);
			}
			break;
		case DP_AGGREGATE_MAX:
		case DP_AGGREGATE_MIN:
			dp_call_report(call, dp_extreme_init(&extreme, &call->choice,
												 call->epsilon, grid,
												 call->contribution));
			description->mechanism = extreme.mechanism;
			if (extreme.mechanism == DP_ABOVE_THRESHOLD ||
				extreme.mechanism == DP_EXPONENTIAL)
				description->sensitivity = 1;
			else if (extreme.mechanism == DP_TWO_STAGE)
				describe_levels(&extreme.two_stage, span, description);
			else if (extreme.span > 0)
				describe_noise(call, &extreme.noise, description);
			break;
		case DP_AGGREGATE_MEDIAN:
			dp_call_report(call,
						   dp_median_init(&median, &call->choice, call->epsilon,
										  grid, call->contribution));
			description->mechanism = median.mechanism;
			if (median.mechanism == DP_EXPONENTIAL)
				description->sensitivity = 0.5;
			break;
		case DP_AGGREGATE_MEDIAN_EXP:
		case DP_AGGREGATE_QUANTILE:
			description->mechanism = DP_EXPONENTIAL;
			description->sensitivity = Max(call->fraction, 1 - call->fraction);
			break;
		case DP_AGGREGATE_MODE:
			dp_call_report(call, dp_selection_init(&selection, &call->choice,
												   call->epsilon,
												   call->contribution));
			description->mechanism = selection.mechanism;
			description->sensitivity = call->contribution.rows;
			break;
	}
}
