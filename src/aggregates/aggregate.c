/*
 * aggregate.c
 *		The table of the private aggregates.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"

#include "aggregates/aggregate.h"
#include "aggregates/describe.h"
#include "aggregates/law.h"
#include "aggregates/noisy_sums.h"
#include "aggregates/prepare.h"

/* Mechanisms, as hints list them. */
#define ADDITIVE "auto, laplace, geometric, staircase, discrete_staircase, "
#define GAUSSIAN "gaussian and the truncated forms"

/* How units are bounded. */
#define SAMPLED "at most %u values of a unit, chosen at random"
#define DIFFERENT \
	"at most %u values of a unit count, chosen so that as many as possible do"

/* What the variances have in common, and what maximum and minimum. */
#define VARIANCE \
	.partial = "variance_state", .mechanisms = ADDITIVE "gaussian", \
	.takes_bounds = true, .may_choose = true, .may_choose_cap = true, \
	.scale = DP_GRID_SQUARE, .is_computed = true, \
	.by_rho = DP_BY_RHO_VARIANCE, .has_count = true, .sums = 3, \
	.has_fixed_state = true, \
	.bound = "a unit counts as its mean squares in at most %u rows", \
	.prepare = dp_prepare_variance, .describe = dp_describe_variance, \
	.law = dp_law_of_variance, .answer = dp_variance_answer
#define EXTREME \
	.mechanisms = \
		ADDITIVE "above_threshold, exponential, two_stage, " GAUSSIAN, \
	.takes_bounds = true, .may_choose = true, .ignores_duplicates = true, \
	.prepare = dp_prepare_extreme, .describe = dp_describe_extreme, \
	.law = dp_law_of_extreme

static const DpAggregateTraits aggregates[] = {
	{
		.aggregate = DP_AGGREGATE_COUNT,
		.name = "dp_count",
		.of_rows = "count_of_rows",
		.of_units = "count_of_units",
		.of_parts = "count_of_parts",
		.partial_of_parts = "add_counts",
		.mechanisms = ADDITIVE GAUSSIAN,
		.may_choose_cap = true,
		.counted_as = ANYOID,
		.takes_money = true,
		.adds_up = true,
		.chain = DP_GEOMETRIC,
		.by_rho = DP_BY_RHO_VARIANCE,
		.has_count = true,
		.has_fixed_state = true,
		.bound = "at most %u rows of a unit count",
		.prepare = dp_prepare_counting,
		.describe = dp_describe_count,
		.law = dp_law_of_count,
	},
	{
		.aggregate = DP_AGGREGATE_SUM,
		.name = "dp_sum",
		.of_rows = "sum_of_rows",
		.of_units = "sum_of_units",
		.partial = "sum_state",
		.of_parts = "sum_of_parts",
		.partial_of_parts = "add_sums",
		.mechanisms = ADDITIVE GAUSSIAN,
		.takes_bounds = true,
		.may_choose = true,
		.may_choose_cap = true,
		.scale = DP_GRID_MAGNITUDE,
		.is_computed = true,
		.adds_up = true,
		.chain = DP_LAPLACE,
		.by_rho = DP_BY_RHO_VARIANCE,
		.has_fixed_state = true,
		.bound = "a unit's sum is clamped to what %u rows can have",
		.prepare = dp_prepare_sum,
		.describe = dp_describe_sum,
		.law = dp_law_of_sum,
	},
	{
		.aggregate = DP_AGGREGATE_MEAN,
		.name = "dp_mean",
		.of_rows = "mean_of_rows",
		.of_units = "mean_of_units",
		.partial = "mean_state",
		.of_parts = "mean_of_parts",
		.partial_of_parts = "add_sums",
		.mechanisms = ADDITIVE "two_stage, " GAUSSIAN,
		.takes_bounds = true,
		.may_choose = true,
		.may_choose_cap = true,
		.is_computed = true,
		.by_rho = DP_BY_RHO_VARIANCE,
		.has_count = true,
		.sums = 2,
		.has_fixed_state = true,
		.bound = "a unit counts as its mean in at most %u rows",
		.prepare = dp_prepare_mean,
		.describe = dp_describe_mean,
		.law = dp_law_of_mean,
		.answer = dp_mean_answer,
	},
	{
		.aggregate = DP_AGGREGATE_MAX,
		.name = "dp_max",
		.of_rows = "max_of_rows",
		.of_units = "max_of_units",
		.of_points = "max_of_points",
		.partial = "max_point",
		.bound = "a unit counts with its greatest value",
		EXTREME,
	},
	{
		.aggregate = DP_AGGREGATE_MIN,
		.name = "dp_min",
		.of_rows = "min_of_rows",
		.of_units = "min_of_units",
		.of_points = "min_of_points",
		.partial = "min_point",
		.bound = "a unit counts with its least value",
		EXTREME,
	},
	{
		.aggregate = DP_AGGREGATE_VARIANCE,
		.name = "dp_variance",
		.of_rows = "variance_of_rows",
		.of_units = "variance_of_units",
		VARIANCE,
	},
	{
		.aggregate = DP_AGGREGATE_STDDEV,
		.name = "dp_stddev",
		.of_rows = "stddev_of_rows",
		.of_units = "stddev_of_units",
		.is_root = true,
		VARIANCE,
	},
	{
		.aggregate = DP_AGGREGATE_VAR_POP,
		.name = "dp_var_pop",
		.of_rows = "var_pop_of_rows",
		.of_units = "var_pop_of_units",
		.of_population = true,
		VARIANCE,
	},
	{
		.aggregate = DP_AGGREGATE_STDDEV_POP,
		.name = "dp_stddev_pop",
		.of_rows = "stddev_pop_of_rows",
		.of_units = "stddev_pop_of_units",
		.is_root = true,
		.of_population = true,
		VARIANCE,
	},
	{
		.aggregate = DP_AGGREGATE_MEDIAN,
		.name = "dp_median",
		.of_rows = "median_of_rows",
		.of_units = "median_of_units",
		.of_points = "median_of_points",
		.partial = "sample_points",
		.mechanisms = "auto, exponential, smooth_cauchy and smooth_laplace",
		.takes_bounds = true,
		.is_median = true,
		.samples_units = true,
		.bound = SAMPLED,
		.prepare = dp_prepare_median,
		.describe = dp_describe_median,
	},
	{
		.aggregate = DP_AGGREGATE_MEDIAN_EXP,
		.name = "dp_median_exp",
		.of_rows = "median_exp_of_rows",
		.of_units = "median_exp_of_units",
		.of_points = "median_exp_of_points",
		.partial = "sample_points",
		.takes_bounds = true,
		.is_median = true,
		.samples_units = true,
		.bound = SAMPLED,
		.prepare = dp_prepare_median,
		.describe = dp_describe_median,
	},
	{
		.aggregate = DP_AGGREGATE_QUANTILE,
		.name = "dp_quantile_exp",
		.of_rows = "quantile_of_rows",
		.of_units = "quantile_of_units",
		.of_points = "quantile_of_points",
		.partial = "sample_points",
		.own = DP_OWN_FRACTION,
		.takes_bounds = true,
		.samples_units = true,
		.bound = SAMPLED,
		.prepare = dp_prepare_quantile,
		.describe = dp_describe_quantile,
	},
	{
		.aggregate = DP_AGGREGATE_QUANTILES,
		.name = "dp_quantiles_exp",
		.of_rows = "quantiles_of_rows",
		.of_units = "quantiles_of_units",
		.of_points = "quantiles_of_points",
		.partial = "sample_points",
		.own = DP_OWN_FRACTIONS,
		.takes_bounds = true,
		.samples_units = true,
		.bound = SAMPLED,
		.prepare = dp_prepare_quantiles,
		.describe = dp_describe_quantiles,
	},
	{
		.aggregate = DP_AGGREGATE_MODE,
		.name = "dp_mode",
		.of_rows = "mode_of_rows",
		.of_units = "mode_of_units",
		.partial = "sample_categories",
		.mechanisms = "auto, permute_and_flip, exponential and "
					  "abstract_staircase",
		.own = DP_OWN_CATEGORIES,
		.takes_money = true,
		.by_rho = DP_BY_RHO_PRICE,
		.has_fixed_state = true,
		.samples_units = true,
		.bound = SAMPLED,
		.prepare = dp_prepare_selection,
		.describe = dp_describe_selection,
	},
	{
		.aggregate = DP_AGGREGATE_BOUNDS,
		.name = "dp_bounds",
		.of_rows = "bounds_of_rows",
		.of_units = "bounds_of_units",
		.partial = "sample_bins",
		.needs_type = true,
		.has_fixed_state = true,
		.samples_units = true,
		.bound = SAMPLED,
		.prepare = dp_prepare_bounds,
		.describe = dp_describe_bounds,
	},
	{
		.aggregate = DP_AGGREGATE_COUNT_DISTINCT,
		.name = "dp_count_distinct",
		.of_rows = "count_distinct_of_rows",
		.of_units = "count_distinct_of_units",
		.partial = "different_values",
		.mechanisms = ADDITIVE GAUSSIAN,
		.takes_cap = true,
		.counted_as = ANYELEMENTOID,
		.takes_money = true,
		.by_rho = DP_BY_RHO_VARIANCE,
		.has_count = true,
		.bound = DIFFERENT,
		.prepare = dp_prepare_counting,
		.describe = dp_describe_count,
		.law = dp_law_of_count,
	},
	{
		.aggregate = DP_AGGREGATE_REGRESSION,
		.name = "dp_regression",
		.of_rows = "regression_of_rows",
		.of_units = "regression_of_units",
		.partial = "regression_state",
		.mechanisms = ADDITIVE "gaussian",
		.own = DP_OWN_VALUE,
		.takes_bounds = true,
		.scale = DP_GRID_SQUARE,
		.is_computed = true,
		.by_rho = DP_BY_RHO_VARIANCE,
		.sums = DP_REGRESSION_SUMS,
		.has_fixed_state = true,
		.bound = "a unit counts as the means of its rows in at most %u rows",
		.prepare = dp_prepare_regression,
		.describe = dp_describe_regression,
		.law = dp_law_of_regression,
		.answer = dp_regression_answer,
	},
	{
		.aggregate = DP_AGGREGATE_SUM_DISTINCT,
		.name = "dp_sum_distinct",
		.of_rows = "sum_distinct_of_rows",
		.of_units = "sum_distinct_of_units",
		.partial = "sum_distinct_points",
		.mechanisms = ADDITIVE GAUSSIAN,
		.takes_bounds = true,
		.may_choose = true,
		.scale = DP_GRID_MAGNITUDE,
		.is_computed = true,
		.of_different = true,
		.by_rho = DP_BY_RHO_VARIANCE,
		.bound = DIFFERENT ", those furthest from 0 first",
		.prepare = dp_prepare_sum,
		.describe = dp_describe_sum,
		.law = dp_law_of_sum,
	},
	{
		.aggregate = DP_AGGREGATE_MEAN_DISTINCT,
		.name = "dp_mean_distinct",
		.of_rows = "mean_distinct_of_rows",
		.of_units = "mean_distinct_of_units",
		.partial = "mean_distinct_points",
		.mechanisms = ADDITIVE "two_stage, " GAUSSIAN,
		.takes_bounds = true,
		.may_choose = true,
		.is_computed = true,
		.of_different = true,
		.by_rho = DP_BY_RHO_VARIANCE,
		.has_count = true,
		.sums = 2,
		.bound = DIFFERENT,
		.prepare = dp_prepare_mean,
		.describe = dp_describe_mean,
		.law = dp_law_of_mean,
		.answer = dp_mean_answer,
	},
};

StaticAssertDecl(lengthof(aggregates) == DP_AGGREGATE_NONE,
				 "every aggregate has a row");

/* Whether a row has what every row must have. */
static bool
is_complete(const DpAggregateTraits *traits)
{
	return traits->name != NULL && traits->of_rows != NULL &&
		   traits->of_units != NULL && traits->bound != NULL &&
		   traits->prepare != NULL && traits->describe != NULL &&
		   (traits->sums > 0) == (traits->answer != NULL) &&
		   (traits->partial != NULL || OidIsValid(traits->counted_as));
}

void
dp_aggregate_init(void)
{
	size_t i;

	for (i = 0; i < lengthof(aggregates); i++)
	{
		if (aggregates[i].aggregate != (DpAggregate) i ||
			!is_complete(&aggregates[i]))
			elog(ERROR, "the row of aggregate %zu is not complete", i);
	}
}

const DpAggregateTraits *
dp_aggregate_get(DpAggregate aggregate)
{
	if ((size_t) aggregate >= lengthof(aggregates))
		elog(ERROR, "not a private aggregate: number %d", (int) aggregate);
	return &aggregates[aggregate];
}

const DpAggregateTraits *
dp_aggregate_find(const char *name)
{
	size_t i;

	for (i = 0; i < lengthof(aggregates); i++)
	{
		if (strcmp(aggregates[i].name, name) == 0)
			return &aggregates[i];
	}
	return NULL;
}

const char *
dp_aggregate_name(DpAggregate aggregate)
{
	return dp_aggregate_get(aggregate)->name;
}

char *
dp_aggregate_names(void)
{
	StringInfoData names;
	size_t i;

	initStringInfo(&names);
	for (i = 0; i < lengthof(aggregates); i++)
		appendStringInfo(&names, "%s%s",
						 i == 0							? ""
						 : i + 1 < lengthof(aggregates) ? ", "
														: " or ",
						 aggregates[i].name);
	return names.data;
}

int
dp_aggregate_values(const DpAggregateTraits *traits)
{
	return traits->own == DP_OWN_VALUE ? 2 : 1;
}

int
dp_aggregate_data_arguments(const DpAggregateTraits *traits)
{
	return traits->own == DP_OWN_FRACTION || traits->own == DP_OWN_FRACTIONS
			   ? 2
			   : dp_aggregate_values(traits);
}

int
dp_aggregate_bounding_arguments(const DpAggregateTraits *traits, Oid value_type)
{
	if (!traits->takes_bounds)
		return 0;
	return value_type == TEXTOID ? 1 : 2 * dp_aggregate_values(traits);
}
