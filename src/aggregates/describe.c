/*
 * describe.c
 *		Mechanism, sensitivity and expected error of a call.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"

#include "aggregates/categories.h"
#include "aggregates/describe.h"
#include "aggregates/law.h"
#include "aggregates/prepare.h"
#include "mechanisms/expected_error.h"
#include "server/memo.h"
#include "server/report.h"

/* How often an answer may exceed the error that is shown for it. */
#define TAIL 0.05

/*
 * The cost, of which rho is the mechanism's own. Where auto has chosen by rho
 * there is no epsilon; else the mechanism is epsilon-DP, but for its delta,
 * which rho covers for gaussian and does not for the others.
 */
static void
describe_cost(const DpCall *call, DpRho rho, DpDescription *description)
{
	DpPrivacyCost *cost = &description->cost;
	DpAmount delta;

	if (!dp_amount_from_double(call->epsilon_asked, &description->asked) ||
		!dp_amount_from_double(call->choice.delta, &delta))
		elog(ERROR, "epsilon or delta out of range");
	*cost = (DpPrivacyCost){.rho = {rho.ticks}, .delta = delta};
	if (description->mechanism == DP_GAUSSIAN)
	{
		if (call->choice.mechanism == DP_AUTO)
		{
			dp_cost_set_unbounded(cost);
			return;
		}
	}
	else
		cost->pool = delta;
	cost->epsilon = description->asked;
}

/* The 95% of additive noise in steps of 2^exponent. */
static void
describe_noise(const DpCall *call, const DpNoise *noise, int exponent,
			   DpDescription *description)
{
	/* What is divided among groups is less than was asked for. */
	double epsilon = call->epsilon_asked * (double) noise->epsilon.ticks /
					 (double) call->epsilon.ticks;
	DpError error;

	dp_expected_error_of(noise, epsilon, &error);
	description->mechanism = noise->mechanism;
	description->error_unit = DP_ERROR_VALUES;
	description->half_width_95 = ldexp(error.half_width_95, exponent);
}

/* The levels that two_stage spreads over the span of the bounds. */
static void
describe_levels(const DpTwoStage *two_stage, DpDescription *description)
{
	DpError error;

	dp_two_stage_error(two_stage, &error);
	description->error_unit = DP_ERROR_VALUES;
	description->half_width_95 = error.half_width_95 * description->sensitivity;
}

/*
 * Of means and variances of n rows, for many of these: the half-width of their
 * interval (mechanisms/confidence.h) times n.
 */
static void
describe_by_rows(const DpCall *call, DpDescription *description)
{
	DpLaw law;
	dp_uint128 width;
	double span;

	dp_law_of_call(call, &law);
	if (law.kind == DP_LAW_EXACT ||
		dp_aggregate_get(call->aggregate)->sums == 0)
		return;
	dp_report_status(dp_law_known_width(&law, 0.95, false, &width));
	span = ldexp((double) law.greatest - (double) law.least, law.exponent);
	description->error_unit = dp_aggregate_get(call->aggregate)->is_root
								  ? DP_ERROR_ROOT_BY_ROWS
								  : DP_ERROR_BY_ROWS;
	description->half_width_95 = (double) width / (double) law.steps * span;
	if (law.kind != DP_LAW_RATIO)
		description->half_width_95 *= span;
}

static void
describe_error(DpDescription *description, DpErrorUnit unit, double error)
{
	description->error_unit = unit;
	description->half_width_95 = error;
}

static double
points_of(const DpCall *call)
{
	return (double) dp_grid_span(&call->grid) + 1;
}

DpStatus
dp_describe_count(const DpCall *call, const DpPrepared *prepared,
				  DpDescription *description, DpRho *rho)
{
	if (call->aggregate == DP_AGGREGATE_COUNT_DISTINCT && !call->of_values)
		description->sensitivity = 1;
	describe_noise(call, &prepared->noise, 0, description);
	return dp_noise_rho(&prepared->noise, 1, call->contribution, rho);
}

DpStatus
dp_describe_sum(const DpCall *call, const DpPrepared *prepared,
				DpDescription *description, DpRho *rho)
{
	const DpSum *sum = &prepared->sum;

	describe_noise(call, &sum->noise, sum->exponent, description);
	description->sensitivity =
		ldexp((double) Max(sum->sensitivity, 1), sum->exponent);
	return dp_noise_rho(&sum->noise, 1, call->contribution, rho);
}

DpStatus
dp_describe_extreme(const DpCall *call, const DpPrepared *prepared,
					DpDescription *description, DpRho *rho)
{
	const DpExtreme *extreme = &prepared->extreme;

	description->mechanism = extreme->mechanism;
	if (extreme->mechanism == DP_ABOVE_THRESHOLD ||
		extreme->mechanism == DP_EXPONENTIAL)
	{
		description->sensitivity = 1;
		description->is_of_values = false;
		describe_error(description, DP_ERROR_RANKS,
					   dp_extreme_rank_error(extreme, points_of(call), TAIL));
		if (extreme->mechanism == DP_ABOVE_THRESHOLD &&
			extreme->steps < extreme->span)
			description->step =
				dp_grid_to_double(&call->grid, (double) extreme->span) /
				(double) Max(extreme->steps, 1);
	}
	else if (extreme->mechanism == DP_TWO_STAGE)
		describe_levels(&extreme->two_stage, description);
	else if (extreme->span > 0)
		describe_noise(call, &extreme->noise, call->grid.exponent, description);
	return dp_extreme_rho(extreme, call->epsilon, call->contribution, rho);
}

DpStatus
dp_describe_mean(const DpCall *call, const DpPrepared *prepared,
				 DpDescription *description, DpRho *rho)
{
	const DpMean *mean = &prepared->mean;

	description->mechanism = mean->mechanism;
	if (mean->mechanism == DP_TWO_STAGE)
	{
		describe_levels(&mean->two_stage, description);
		if (mean->two_stage.half)
			description->sensitivity /= 2;
	}
	else
		describe_by_rows(call, description);
	return dp_mean_rho(mean, call->epsilon, call->contribution, rho);
}

DpStatus
dp_describe_variance(const DpCall *call, const DpPrepared *prepared,
					 DpDescription *description, DpRho *rho)
{
	const DpVariance *variance = &prepared->variance;

	description->mechanism = variance->mechanism;
	describe_by_rows(call, description);
	if (!dp_aggregate_get(call->aggregate)->is_root)
		description->sensitivity *= description->sensitivity;
	return dp_noise_rho(&variance->noise, 3, call->contribution, rho);
}

/*
 * The sensitivity is in rows, whose terms add up to one each; how far a correlation
 * or a slope is off depends on how far the values are apart.
 */
DpStatus
dp_describe_regression(const DpCall *call, const DpPrepared *prepared,
					   DpDescription *description, DpRho *rho)
{
	const DpRegression *regression = &prepared->regression;

	description->mechanism = regression->mechanism;
	description->sensitivity = call->contribution.rows;
	description->is_of_values = false;
	return dp_noise_rho(&regression->noise, DP_REGRESSION_SUMS,
						call->contribution, rho);
}

/* For mechanisms whose score moves by this many ranks. */
static void
describe_ranks(const DpCall *call, const DpQuantile *quantile,
			   DpDescription *description)
{
	description->sensitivity = (double) call->contribution.rows *
							   (double) quantile->rank.sensitivity /
							   (double) DP_RANK_ONE;
	description->is_of_values = false;
	describe_error(description, DP_ERROR_RANKS,
				   dp_rank_error(&quantile->rank, points_of(call), TAIL));
}

DpStatus
dp_describe_median(const DpCall *call, const DpPrepared *prepared,
				   DpDescription *description, DpRho *rho)
{
	const DpMedian *median = &prepared->median;

	description->mechanism = median->mechanism;
	if (median->mechanism == DP_EXPONENTIAL)
		describe_ranks(call, &median->quantile, description);
	return dp_median_rho(median, call->epsilon, call->contribution, rho);
}

DpStatus
dp_describe_quantile(const DpCall *call, const DpPrepared *prepared,
					 DpDescription *description, DpRho *rho)
{
	description->mechanism = DP_EXPONENTIAL;
	describe_ranks(call, &prepared->quantile, description);
	return dp_quantile_rho(call->epsilon, call->contribution, rho);
}

DpStatus
dp_describe_quantiles(const DpCall *call, const DpPrepared *prepared,
					  DpDescription *description, DpRho *rho)
{
	const DpQuantiles *quantiles = prepared->quantiles;

	description->mechanism = DP_EXPONENTIAL;
	description->sensitivity =
		(double) call->contribution.rows * dp_quantiles_sensitivity(quantiles);
	description->is_of_values = false;
	describe_error(description, DP_ERROR_RANKS,
				   dp_quantiles_error(quantiles, call->grid.lower,
									  call->grid.upper, TAIL));
	return dp_quantiles_rho(quantiles, call->epsilon, call->contribution, rho);
}

DpStatus
dp_describe_selection(const DpCall *call, const DpPrepared *prepared,
					  DpDescription *description, DpRho *rho)
{
	const DpSelection *selection = &prepared->selection;

	description->mechanism = selection->mechanism;
	describe_error(
		description, DP_ERROR_ROWS,
		dp_selection_error(selection, call->categories->count, TAIL));
	return dp_selection_rho(selection, call->epsilon, call->contribution, rho);
}

DpStatus
dp_describe_bounds(const DpCall *call, const DpPrepared *prepared,
				   DpDescription *description, DpRho *rho)
{
	const DpBounds *bounds = &prepared->bounds;

	description->mechanism = bounds->noise.mechanism;
	dp_report_status(
		dp_bounds_error(bounds, TAIL, &description->half_width_95));
	description->error_unit = DP_ERROR_ROWS;
	if (dp_contribution_within(call->contribution) == DP_SUBSTITUTE)
		description->sensitivity *= 2;
	return dp_noise_rho(&bounds->noise, 1, call->contribution, rho);
}

static void
describe(const DpCall *call, DpDescription *description)
{
	const DpAggregateTraits *traits = dp_aggregate_get(call->aggregate);
	DpPrepared prepared;
	DpRho rho;

	description->step = 0;
	description->sensitivity = call->contribution.rows;
	description->is_of_values = traits->takes_bounds;
	if (description->is_of_values)
		description->sensitivity =
			dp_grid_to_double(&call->grid, (double) dp_grid_span(&call->grid));
	describe_error(description, DP_ERROR_UNKNOWN, get_float8_nan());
	dp_prepare_call(call, &prepared);
	dp_report_status(traits->describe(call, &prepared, description, &rho));
	describe_cost(call, rho, description);
}

/* Each statement asks for it several times. */
void
dp_describe_call(const DpCall *call, DpDescription *description)
{
	static DpMemo memo = {.key_size = sizeof(DpCall),
						  .value_size = sizeof(DpDescription)};
	DpCall key;
	bool is_whole = dp_call_key(call, &key);

	if (is_whole && dp_memo_find(&memo, &key, description))
		return;
	describe(call, description);
	if (is_whole)
		dp_memo_keep(&memo, &key, description);
}

char *
dp_describe_difference(const DpCall *call, double difference)
{
	const DpOrderedType *intervals = dp_ordered_type(INTERVALOID);
	const DpOrderedType *ordered = call->ordered;

	if (ordered == NULL)
		return float8out_internal(difference);
	if (ordered->in_days)
		return psprintf("%s days", float8out_internal(difference));
	return DatumGetCString(DirectFunctionCall1(
		interval_out,
		dp_ordered_value(intervals, difference < (double) intervals->greatest
										? (int64) rint(difference)
										: intervals->greatest)));
}

/* dp_describe_difference, with the number rounded to three digits. */
static char *
describe_short(const DpCall *call, double difference)
{
	return call->ordered != NULL ? dp_describe_difference(call, difference)
								 : psprintf("%.3g", difference);
}

/* An error rounded up to six digits, or to a whole number. */
static double
round_up(double error)
{
	double steps;

	if (error <= 0 || !isfinite(error) || error == rint(error))
		return error;
	steps = pow(10, Max(5 - floor(log10(error)), 0));
	return isfinite(steps) ? ceil(error * steps) / steps : error;
}

char *
dp_describe_error(const DpCall *call, const DpDescription *description)
{
	char *number;

	if (description->step > 0)
		return psprintf("%s ranks, in steps of %s",
						float8out_internal(description->half_width_95),
						describe_short(call, description->step));
	if (isnan(description->half_width_95))
		return pstrdup("depends on the data");
	if (description->error_unit == DP_ERROR_VALUES)
		return dp_describe_difference(call,
									  round_up(description->half_width_95));
	if (description->error_unit == DP_ERROR_RANKS ||
		description->error_unit == DP_ERROR_ROWS)
		return psprintf("%s %s", float8out_internal(description->half_width_95),
						description->error_unit == DP_ERROR_RANKS ? "ranks"
																  : "rows");

	/* It is divided by a number that nobody knows. */
	number = describe_short(call, description->half_width_95);
	return psprintf(description->error_unit == DP_ERROR_BY_ROWS
						? "%s / number of rows"
						: "root of (%s / number of rows)",
					number);
}

const char *
dp_describe_bound(const DpCall *call)
{
	if (!call->of_units)
		return NULL;
	if (call->aggregate == DP_AGGREGATE_COUNT_DISTINCT && !call->of_values)
		return "a unit counts once";
	return psprintf(dp_aggregate_get(call->aggregate)->bound,
					call->contribution.rows);
}
