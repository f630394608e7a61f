/*
 * regression_ends.c
 *		Intervals of regressions.
 *
 * Ends are computed in doubles, and widened by more than the rounding errors.
 */
#include <math.h>

#include "mechanisms/regression_ends.h"
#include "mechanisms/regression_width.h"

/* How often ranges are made smaller. */
#define ROUNDS 4

/* The shares of the tail: of a mean, a variance, the covariance, the rows. */
typedef struct Shares
{
	double mean;
	double variance;
	double covariance;
	double rows;
} Shares;

/* What the sums say. */
typedef struct State
{
	const DpRegressionEnds *of;
	const Shares *shares;
	double tail;
	double total; /* T~ */
	double slack; /* more than the rounding errors of sums */
	double centers[2];
	double squares[2];
	double product;
	DpRange means[2];
	DpRange variances[2];
	DpRange covariance;
} State;

static const Shares shares_of[DP_REGRESSION_VALUES] = {
	[DP_REGRESSION_CORR] = {0.05, 0.3, 0.3, 0},
	[DP_REGRESSION_COVAR_POP] = {0.05, 0, 0.9, 0},
	[DP_REGRESSION_COVAR_SAMP] = {0.05, 0, 0.88, 0.02},
	[DP_REGRESSION_AVGX] = {1, 0, 0, 0},
	[DP_REGRESSION_AVGY] = {1, 0, 0, 0},
	[DP_REGRESSION_INTERCEPT] = {0.2, 0.3, 0.3, 0},
	[DP_REGRESSION_R2] = {0.05, 0.3, 0.3, 0},
	[DP_REGRESSION_SLOPE] = {0.05, 0.45, 0.45, 0},
	[DP_REGRESSION_SXX] = {0.1, 0.9, 0, 0},
	[DP_REGRESSION_SXY] = {0.05, 0, 0.9, 0},
	[DP_REGRESSION_SYY] = {0.1, 0.9, 0, 0}};

/* A width at a share of the tail, as a distance of what is divided by T~. */
static double
distance_of(const State *state, double share, const double *weights)
{
	return (dp_regression_width(state->of->law, state->tail * share,
								state->of->width, weights) +
			state->slack) /
		   state->total * (1 + DP_RANGE_ERROR);
}

/*
 * Moments
 */

static void
begin(State *state, const DpRegressionEnds *ends, const Shares *shares)
{
	double sums[DP_REGRESSION_SUMS];
	double size = 0;
	double scale;
	int i;
	int k;

	*state =
		(State){.of = ends, .shares = shares, .tail = dp_law_tail(ends->level)};
	for (i = 0; i < DP_REGRESSION_SUMS; i++)
	{
		sums[i] = (double) ends->sums[i];
		state->total += sums[i];
		size += fabs(sums[i]);
	}
	if (!(state->total > 0))
		return;
	for (i = 0; i < DP_REGRESSION_SUMS; i++)
	{
		int of[2] = {i / 3, i % 3};
		double share = sums[i] / state->total;

		for (k = 0; k < 2; k++)
		{
			state->centers[k] += share * of[k] / 2;
			state->squares[k] += of[k] == 2 ? share : 0;
		}
		state->product += share * of[0] * of[1] / 4;
	}
	for (k = 0; k < 2; k++)
		state->squares[k] -= state->centers[k] * state->centers[k];
	state->product -= state->centers[0] * state->centers[1];
	scale = 1 + fabs(state->centers[0]) + fabs(state->centers[1]);
	state->slack =
		16 * size * (size / state->total) * scale * scale * DP_RANGE_ERROR;
}

/* Which of the three polynomials of a column a sum belongs to. */
static int
part_of(int sum, int column)
{
	return column == 0 ? sum / 3 : sum % 3;
}

static void
find_mean(State *state, int k)
{
	double c = state->centers[k];
	DpRange range = {0, 1};
	int round;
	int i;

	for (round = 0; round < ROUNDS; round++)
	{
		double weights[DP_REGRESSION_SUMS];
		double distance;

		for (i = 0; i < DP_REGRESSION_SUMS; i++)
			weights[i] = dp_range_size(
				dp_range_minus(dp_range_just(part_of(i, k) / 2.0), range));
		distance = distance_of(state, state->shares->mean, weights);
		range = dp_range_within(range, c - distance, c + distance);
	}
	state->means[k] = range;
}

/* m (1-m) */
static DpRange
spread_of(DpRange mean)
{
	return dp_range_outwards(
		dp_range_times(mean, dp_range_minus(dp_range_just(1), mean)));
}

/* The size of the weights of a variance, v being taken off; or of T v, of 0. */
static void
weigh_variance(const State *state, int k, DpRange v, double *weights)
{
	DpRange m = state->means[k];
	DpRange rest = dp_range_minus(dp_range_just(1), m);
	DpRange terms[3];
	int i;

	terms[0] = dp_range_times(m, m);
	terms[1] = dp_range_minus(dp_range_just(0), dp_range_times(m, rest));
	terms[2] = dp_range_times(rest, rest);
	for (i = 0; i < DP_REGRESSION_SUMS; i++)
		weights[i] = dp_range_size(dp_range_minus(terms[part_of(i, k)], v));
}

/* Where the variance of the sums is around the true mean: q + (c-m)^2. */
static DpRange
variance_around(const State *state, int k)
{
	DpRange moved =
		dp_range_minus(state->means[k], dp_range_just(state->centers[k]));

	return dp_range_plus(dp_range_just(state->squares[k]),
						 dp_range_squared(moved));
}

static void
find_variance(State *state, int k)
{
	DpRange around = variance_around(state, k);
	DpRange range = {0, fmin(spread_of(state->means[k]).high, 0.25)};
	int round;

	for (round = 0; round < ROUNDS; round++)
	{
		double weights[DP_REGRESSION_SUMS];
		double distance;

		weigh_variance(state, k, range, weights);
		distance = distance_of(state, state->shares->variance, weights);
		range = dp_range_within(range, around.low - distance,
								around.high + distance);
	}
	state->variances[k] = range;
}

static void
weigh_covariance(const State *state, DpRange g, double *weights)
{
	int i;

	for (i = 0; i < DP_REGRESSION_SUMS; i++)
	{
		DpRange one =
			dp_range_minus(dp_range_just(part_of(i, 0) / 2.0), state->means[0]);
		DpRange other =
			dp_range_minus(dp_range_just(part_of(i, 1) / 2.0), state->means[1]);

		weights[i] =
			dp_range_size(dp_range_minus(dp_range_times(one, other), g));
	}
}

static DpRange
covariance_around(const State *state)
{
	return dp_range_plus(
		dp_range_just(state->product),
		dp_range_times(
			dp_range_minus(state->means[0], dp_range_just(state->centers[0])),
			dp_range_minus(state->means[1], dp_range_just(state->centers[1]))));
}

/* limit: of its size */
static void
find_covariance(State *state, double limit)
{
	DpRange around = covariance_around(state);
	DpRange range = {-limit, limit};
	int round;

	for (round = 0; round < ROUNDS; round++)
	{
		double weights[DP_REGRESSION_SUMS];
		double distance;

		weigh_covariance(state, range, weights);
		distance = distance_of(state, state->shares->covariance, weights);
		range = dp_range_within(range, around.low - distance,
								around.high + distance);
	}
	state->covariance = range;
}

/* The greatest covariance of columns whose variances are no greater. */
static double
greatest_covariance(double one, double other)
{
	return fmin(sqrt(one * other) * (1 + DP_RANGE_ERROR), 0.25);
}

static void
find_both_means(State *state)
{
	find_mean(state, 0);
	find_mean(state, 1);
}

static void
find_covariance_of_means(State *state)
{
	find_both_means(state);
	find_covariance(state,
					greatest_covariance(spread_of(state->means[0]).high,
										spread_of(state->means[1]).high));
}

/*
 * Values
 */

/* n, as far as it is above 1. */
static DpRange
rows_of(const State *state)
{
	static const double ones[DP_REGRESSION_SUMS] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
	double steps = (double) state->of->law->steps;
	double distance =
		distance_of(state, state->shares->rows, ones) * state->total;
	double low =
		floor((state->total - distance) / steps * (1 - DP_RANGE_ERROR));
	double high =
		ceil((state->total + distance) / steps * (1 + DP_RANGE_ERROR));

	return (DpRange){fmax(low, 2), fmax(high, 2)};
}

static DpRange
covariance_value(State *state, bool of_sample)
{
	find_covariance_of_means(state);
	if (of_sample)
	{
		DpRange rows = rows_of(state);

		return dp_range_times(
			state->covariance,
			(DpRange){rows.high / (rows.high - 1), rows.low / (rows.low - 1)});
	}
	return state->covariance;
}

/* n v */
static DpRange
squares_value(State *state, int k)
{
	double steps = (double) state->of->law->steps;
	double weights[DP_REGRESSION_SUMS];
	double distance;
	DpRange around;

	find_mean(state, k);
	weigh_variance(state, k, dp_range_just(0), weights);
	distance = distance_of(state, state->shares->variance, weights);
	around = variance_around(state, k);
	return (DpRange){fmax((around.low - distance) * state->total / steps, 0),
					 fmax((around.high + distance) * state->total / steps, 0)};
}

/* n g */
static DpRange
products_value(State *state)
{
	double steps = (double) state->of->law->steps;
	double weights[DP_REGRESSION_SUMS];
	double distance;
	DpRange around;

	find_both_means(state);
	weigh_covariance(state, dp_range_just(0), weights);
	distance = distance_of(state, state->shares->covariance, weights);
	around = covariance_around(state);
	return (DpRange){(around.low - distance) * state->total / steps,
					 (around.high + distance) * state->total / steps};
}

static DpRange
slope_value(State *state)
{
	find_both_means(state);
	find_variance(state, 1);
	find_covariance(state, greatest_covariance(spread_of(state->means[0]).high,
											   state->variances[1].high));
	return dp_range_divided(state->covariance, state->variances[1]);
}

static DpRange
correlation_value(State *state)
{
	DpRange roots;

	find_both_means(state);
	find_variance(state, 0);
	find_variance(state, 1);
	find_covariance(state, greatest_covariance(state->variances[0].high,
											   state->variances[1].high));
	roots.low = sqrt(state->variances[0].low * state->variances[1].low) *
				(1 - DP_RANGE_ERROR);
	roots.high = sqrt(state->variances[0].high * state->variances[1].high) *
				 (1 + DP_RANGE_ERROR);
	return dp_range_within(
		(DpRange){-1, 1},
		dp_range_outwards(dp_range_divided(state->covariance, roots)).low,
		dp_range_outwards(dp_range_divided(state->covariance, roots)).high);
}

/* In units of the column; no further than its bounds. */
static DpRange
mean_value(const State *state, int k)
{
	double lower = state->of->lower[k];
	double span = state->of->spans[k];
	double slack = (fabs(lower) + span) * DP_RANGE_ERROR;
	DpRange m = state->means[k];

	return (DpRange){m.low <= 0 ? lower : lower + m.low * span - slack,
					 m.high >= 1 ? lower + span
								 : lower + m.high * span + slack};
}

static DpRange
intercept_value(State *state, DpRange unit)
{
	DpRange slope = dp_range_outwards(dp_range_times(slope_value(state), unit));

	return dp_range_minus(mean_value(state, 0),
						  dp_range_times(slope, mean_value(state, 1)));
}

DpRange
dp_regression_range(const DpRegressionEnds *ends, DpRegressionValue value)
{
	const DpRange all = {-INFINITY, INFINITY};
	const double *spans = ends->spans;
	const DpRange unit = dp_range_just(spans[0] * spans[1]);
	const DpRange ratio = dp_range_just(spans[1] > 0 ? spans[0] / spans[1] : 0);
	State state;

	begin(&state, ends, &shares_of[value]);
	if (!(state.total > 0))
		return all;
	switch (value)
	{
		case DP_REGRESSION_CORR:
			return correlation_value(&state);
		case DP_REGRESSION_R2:
			return dp_range_outwards(
				dp_range_squared(correlation_value(&state)));
		case DP_REGRESSION_COVAR_POP:
			return dp_range_outwards(
				dp_range_times(covariance_value(&state, false), unit));
		case DP_REGRESSION_COVAR_SAMP:
			return dp_range_outwards(
				dp_range_times(covariance_value(&state, true), unit));
		case DP_REGRESSION_AVGX:
			find_mean(&state, 1);
			return mean_value(&state, 1);
		case DP_REGRESSION_AVGY:
			find_mean(&state, 0);
			return mean_value(&state, 0);
		case DP_REGRESSION_INTERCEPT:
			return dp_range_outwards(intercept_value(&state, ratio));
		case DP_REGRESSION_SLOPE:
			return dp_range_outwards(
				dp_range_times(slope_value(&state), ratio));
		case DP_REGRESSION_SXX:
			return dp_range_outwards(dp_range_times(
				squares_value(&state, 1), dp_range_just(spans[1] * spans[1])));
		case DP_REGRESSION_SXY:
			return dp_range_outwards(
				dp_range_times(products_value(&state), unit));
		case DP_REGRESSION_SYY:
			return dp_range_outwards(dp_range_times(
				squares_value(&state, 0), dp_range_just(spans[0] * spans[0])));
		case DP_REGRESSION_COUNT:
		case DP_REGRESSION_VALUES:
			break;
	}
	return all;
}
