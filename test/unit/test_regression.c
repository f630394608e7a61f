/*
 * test_regression.c
 *		Moments of two columns by nine sums: exactness, error, privacy.
 */
#include <math.h>
#include <stdlib.h>

#include "mechanisms/regression.h"
#include "mechanisms/regression_ends.h"
#include "mechanisms/regression_width.h"
#include "support/epsilon.h"
#include "support/random_fixed.h"
#include "support/statistic.h"

static TestRandom source;
static DpRandom *random_bits;

static const DpContribution row = {DP_ADD_REMOVE, 1, 0};

static DpRegression
prepare(DpMechanism mechanism, double epsilon, uint64_t m, uint64_t n,
		DpContribution contribution)
{
	DpMechanismChoice choice = {.mechanism = mechanism, .delta = 1e-6};
	DpRegression regression;

	if (dp_regression_init(&regression, &choice, epsilon_of(epsilon),
						   (uint64_t[]){m, n}, contribution) != DP_OK)
		abort();
	return regression;
}

static DpMoments
draw(const DpRegression *regression, const DpPairs *pairs)
{
	dp_int128 sums[DP_REGRESSION_SUMS];

	if (dp_regression_draw_sums(random_bits, regression, pairs, sums) != DP_OK)
		abort();
	return dp_regression_moments(regression, sums);
}

/* Without noise they are the moments of the rows. */
static void
test_exact(void)
{
	uint64_t state = 561;
	bool good = true;
	int round;

	for (round = 0; round < 2000; round++)
	{
		uint64_t spans[2] = {
			(uint64_t) 1 << (1 + random_next_below(&state, 20)),
			(uint64_t) 1 << (1 + random_next_below(&state, 20))};
		DpRegression regression =
			prepare(DP_LAPLACE, 1000000, spans[0], spans[1], row);
		int64_t count = 2 + (int64_t) random_next_below(&state, 400);
		DpPairs pairs = {0};
		double sums[5] = {0};
		double mean[2];
		DpMoments moments;
		int64_t i;

		for (i = 0; i < count; i++)
		{
			int64_t u = (int64_t) random_next_below(&state, spans[0] + 1);
			int64_t v = (int64_t) random_next_below(&state, spans[1] + 1);
			double a = (double) u / (double) spans[0];
			double b = (double) v / (double) spans[1];

			dp_regression_add_row(&regression, u, v, &pairs);
			sums[0] += a / (double) count;
			sums[1] += b / (double) count;
			sums[2] += a * a / (double) count;
			sums[3] += b * b / (double) count;
			sums[4] += a * b / (double) count;
		}
		moments = draw(&regression, &pairs);
		mean[0] = sums[0];
		mean[1] = sums[1];
		good =
			good && fabs(moments.rows - (double) count) < 1e-3 &&
			fabs(moments.means[0] - mean[0]) < 1e-4 &&
			fabs(moments.means[1] - mean[1]) < 1e-4 &&
			fabs(moments.variances[0] - sums[2] + mean[0] * mean[0]) < 1e-4 &&
			fabs(moments.variances[1] - sums[3] + mean[1] * mean[1]) < 1e-4 &&
			fabs(moments.covariance - sums[4] + mean[0] * mean[1]) < 1e-4;
	}
	ok(good, "the moments of the rows where the noise is nothing");
}

static void
test_ends(void)
{
	uint64_t span = DP_REGRESSION_SPAN_MAX;
	DpRegression regression = prepare(DP_AUTO, 0.01, span, span, row);
	DpPairs pairs = {0};
	bool good = true;
	int i;

	for (i = 0; i < 20000; i++)
	{
		DpMoments moments = draw(&regression, &(DpPairs){.count = i % 3});
		double limit = moments.variances[0] * moments.variances[1];

		good = good && moments.rows >= 0 && moments.means[0] >= 0 &&
			   moments.means[1] <= 1 && moments.variances[0] >= 0 &&
			   moments.variances[1] <= 0.25 &&
			   moments.covariance * moments.covariance <= limit * 1.000001;
	}
	ok(good, "moments that are possible, whatever the noise");

	/* the greatest and the least that a row adds */
	dp_regression_add_row(&regression, -5, (int64_t) span + 5, &pairs);
	ok(pairs.sums[2] == (dp_int128) 1 << 40 && pairs.count == 1,
	   "beyond the bounds is at them");
	for (i = 0; i < DP_REGRESSION_KEPT; i++)
		pairs.sums[i] *= (dp_int128) 1 << 61;
	pairs.count = (int64_t) 1 << 61;
	is_double(draw(&regression, &pairs).rows, 0x1p61, 1e45,
			  "very many rows do not overflow");
	regression = prepare(DP_LAPLACE, 1000000, 0, 7, row);
	pairs = (DpPairs){0};
	for (i = 0; i < 8; i++)
		dp_regression_add_row(&regression, 0, i, &pairs);
	is_double(draw(&regression, &pairs).variances[0], 0, 1e-6,
			  "a column of equal bounds");
	is_double(draw(&regression, &pairs).variances[1], 63.0 / 12 / 49, 1e-5,
			  "beside another");
}

/* The error of a covariance is what the header says, to first order. */
static void
test_error(void)
{
	const int64_t count = 20000;
	const uint64_t span = 1000;
	const int draws = 4000;
	DpRegression regression = prepare(DP_LAPLACE, 1, span, span, row);
	double measured[2] = {0, 0};
	DpPairs pairs = {0};
	int64_t i;

	for (i = 0; i < count; i++)
		dp_regression_add_row(&regression, i % 2 * (int64_t) span,
							  i / 2 % 2 * (int64_t) span, &pairs);
	for (i = 0; i < draws; i++)
	{
		DpMoments moments = draw(&regression, &pairs);

		measured[0] += pow(moments.covariance, 2) / draws;
		measured[1] += pow(moments.means[0] - 0.5, 2) / draws;
	}
	is_double(sqrt(measured[0]) * (double) count, sqrt(0.5), 0.04,
			  "the error of a covariance");
	is_double(sqrt(measured[1]) * (double) count, sqrt(3), 0.1,
			  "the error of a mean");
}

/* The sums that get noise, from rows of this form. */
static void
sums_of(const DpRegression *regression, const DpPairs *pairs,
		dp_int128 sums[DP_REGRESSION_SUMS])
{
	int i;

	sums[DP_REGRESSION_KEPT] =
		(dp_int128) regression->steps * (dp_int128) pairs->count;
	for (i = 0; i < DP_REGRESSION_KEPT; i++)
	{
		sums[i] = pairs->sums[i];
		sums[DP_REGRESSION_KEPT] -= sums[i];
	}
}

/* How far two contributions are apart in L1; and whether a sum is negative. */
static dp_int128
apart(const dp_int128 *a, const dp_int128 *b, bool *is_negative)
{
	dp_int128 l1 = 0;
	int i;

	for (i = 0; i < DP_REGRESSION_SUMS; i++)
	{
		l1 += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
		*is_negative |= a[i] < 0 || b[i] < 0;
	}
	return l1;
}

/*
 * All pairs of rows over small grids, and random ones over such that what they
 * add is rounded: a row changes the sums by exactly the sensitivity, an
 * exchange by at most twice that, which is reached.
 */
static void
test_sensitivity(void)
{
	static const uint64_t spans[][2] = {
		{4, 3}, {1, 1}, {0, 5}, {1u << 20, 1u << 20}, {999999, 123457}};
	uint64_t state = 563;
	size_t s;

	for (s = 0; s < sizeof(spans) / sizeof(spans[0]); s++)
	{
		DpRegression added =
			prepare(DP_LAPLACE, 1, spans[s][0], spans[s][1], row);
		DpRegression exchanged =
			prepare(DP_LAPLACE, 1, spans[s][0], spans[s][1],
					dp_contribution_of_row(DP_SUBSTITUTE));
		static const dp_int128 none[DP_REGRESSION_SUMS];
		bool is_small = spans[s][0] < 10;
		int64_t m = (int64_t) spans[s][0] + 1;
		int64_t n = (int64_t) spans[s][1] + 1;
		int64_t places = is_small ? m * n : 300;
		dp_int128 greatest = 0;
		bool is_exact = true;
		bool is_negative = false;
		int64_t i;
		int64_t j;

		for (i = 0; i < places; i++)
			for (j = 0; j < places; j++)
			{
				DpPairs one = {0};
				DpPairs other = {0};
				dp_int128 a[DP_REGRESSION_SUMS];
				dp_int128 b[DP_REGRESSION_SUMS];
				dp_int128 l1;
				int64_t at[2] = {is_small ? i / n : i % 2 * (m - 1),
								 is_small ? i % n : j % 2 * (n - 1)};
				int64_t to[2] = {
					is_small
						? j / n
						: (int64_t) random_next_below(&state, (uint64_t) m),
					is_small
						? j % n
						: (int64_t) random_next_below(&state, (uint64_t) n)};

				if (!is_small && j < 4) /* the other corner */
				{
					to[0] = m - 1 - at[0];
					to[1] = n - 1 - at[1];
				}
				dp_regression_add_row(&added, at[0], at[1], &one);
				dp_regression_add_row(&added, to[0], to[1], &other);
				sums_of(&added, &one, a);
				sums_of(&added, &other, b);
				is_exact = is_exact && apart(b, none, &is_negative) ==
										   (dp_int128) added.noise.sensitivity;
				l1 = apart(a, b, &is_negative);
				greatest = l1 > greatest ? l1 : greatest;
			}
		ok(is_exact && !is_negative, "what a row adds, %d x %d",
		   (int) spans[s][0], (int) spans[s][1]);
		ok(greatest == (dp_int128) exchanged.noise.sensitivity,
		   "the sensitivity to an exchange is true and reached");
	}
}

/*
 * Units of several rows: whatever they hold, they add steps * weight in all to
 * the nine sums, none of it negative, and in proportion to their rows.
 */
static void
test_units(void)
{
	static const uint32_t caps[] = {1, 2, 3, 1000, 1u << 20, INT32_MAX};
	static const dp_int128 none[DP_REGRESSION_SUMS];
	uint64_t state = 564;
	size_t c;

	for (c = 0; c < sizeof(caps) / sizeof(caps[0]); c++)
	{
		DpContribution contribution = {DP_ADD_REMOVE, caps[c], 0};
		bool good = true;
		bool near = true;
		bool is_negative = false;
		int round;

		for (round = 0; round < 2000; round++)
		{
			uint64_t m = (uint64_t) 1 << random_next_below(&state, 21);
			uint64_t n = 1 + random_next_below(&state, 1u << 20);
			DpRegression regression =
				prepare(DP_LAPLACE, 1, m, n, contribution);
			int64_t count = 1 + (int64_t) random_next_below(&state, 30);
			dp_int128 sums[DP_REGRESSION_SUMS];
			DpPairs rows = {0};
			DpPairs unit;
			int64_t i;

			for (i = 0; i < count; i++)
				dp_regression_add_row(
					&regression, (int64_t) random_next_below(&state, m + 1),
					(int64_t) random_next_below(&state, n + 1), &rows);
			if (round % 10 == 0) /* of no rows there are */
			{
				rows.sums[3] = (dp_int128) 1 << 110;
				rows.sums[5] = -rows.sums[3];
				rows.count = INT64_MAX;
			}
			dp_regression_unit_of(&regression, &rows, &unit);
			sums_of(&regression, &unit, sums);
			good = good &&
				   apart(sums, none, &is_negative) ==
					   (dp_int128) regression.steps * unit.count &&
				   unit.count <= (int64_t) caps[c] &&
				   caps[c] * regression.steps <= regression.noise.sensitivity;
			if (round % 10 > 0)
				near =
					near &&
					fabs((double) unit.sums[4] / (double) regression.steps -
						 (double) rows.sums[4] / (double) regression.row_steps *
							 (double) unit.count / (double) count) <
						2.0 / (double) regression.steps;
		}
		ok(good && !is_negative, "what a unit adds up to, %u rows", caps[c]);
		ok(near, "it is the mean of its rows");
	}
}

/* The widths of sums of one to nine draws are enough, by convolution. */
static void
test_widths(void)
{
	enum
	{
		MOST = 400
	};
	static const DpMechanism mechanisms[] = {DP_LAPLACE, DP_GAUSSIAN,
											 DP_STAIRCASE};
	size_t m;

	for (m = 0; m < 3; m++)
	{
		DpRegression regression =
			prepare(mechanisms[m], m == 2 ? 40 : 0.7, 1, m == 2 ? 4 : 1, row);
		DpLaw law = {.kind = DP_LAW_REGRESSION,
					 .noise = regression.noise,
					 .steps = regression.steps};
		static double law_of[2 * MOST + 1];
		static double next[2 * MOST + 1];
		double weights[DP_REGRESSION_SUMS] = {0};
		double of_one[121];
		dp_uint128 width;
		double least = 1;
		double ratio = 0;
		int draws;
		int i;
		int k;

		if (dp_law_width(&law, 0.95, &width) != DP_OK)
			abort();
		for (i = 0; i <= 2 * MOST; i++)
			law_of[i] = i == MOST;
		for (k = -60; k <= 60; k++)
			of_one[60 + k] = dp_noise_pmf(&regression.noise, k);
		for (draws = 1; draws <= DP_REGRESSION_SUMS; draws++)
		{
			double within = 0;
			double exact = -1;
			double of_sum;

			for (i = 0; i <= 2 * MOST; i++)
			{
				next[i] = 0;
				for (k = -60; k <= 60; k++)
					if (i + k >= 0 && i + k <= 2 * MOST)
						next[i] += law_of[i + k] * of_one[60 + k];
			}
			for (i = 0; i <= 2 * MOST; i++)
				law_of[i] = next[i];
			weights[draws - 1] = 1;
			of_sum = dp_regression_width(&law, 0.05, width, weights);
			for (k = 0; k < MOST; k++)
			{
				within += law_of[MOST + k] + (k > 0 ? law_of[MOST - k] : 0);
				if (k == (int) of_sum)
					least = fmin(least, within);
				if (exact < 0 && within >= 0.95)
					exact = k;
			}
			ratio = fmax(ratio, of_sum / fmax(exact, 1));
		}
		ok(least >= 0.95 && ratio < (m == 2 ? 9 : 1.6),
		   "widths at 0.95 by mechanism %d have %g, and are up to %g of the "
		   "least",
		   (int) m, least, ratio);
	}
}

/* What the server's aggregates give of rows. */
static void
truth_of(const double *y, const double *x, int n, double *values)
{
	double sums[2] = {0, 0};
	double squares[3] = {0, 0, 0};
	int i;

	for (i = 0; i < n; i++)
	{
		sums[0] += y[i] / n;
		sums[1] += x[i] / n;
	}
	for (i = 0; i < n; i++)
	{
		squares[0] += (y[i] - sums[0]) * (y[i] - sums[0]);
		squares[1] += (x[i] - sums[1]) * (x[i] - sums[1]);
		squares[2] += (y[i] - sums[0]) * (x[i] - sums[1]);
	}
	values[DP_REGRESSION_AVGY] = sums[0];
	values[DP_REGRESSION_AVGX] = sums[1];
	values[DP_REGRESSION_SYY] = squares[0];
	values[DP_REGRESSION_SXX] = squares[1];
	values[DP_REGRESSION_SXY] = squares[2];
	values[DP_REGRESSION_COVAR_POP] = squares[2] / n;
	values[DP_REGRESSION_COVAR_SAMP] = n > 1 ? squares[2] / (n - 1) : NAN;
	values[DP_REGRESSION_SLOPE] =
		squares[1] > 1e-9 ? squares[2] / squares[1] : NAN;
	values[DP_REGRESSION_INTERCEPT] =
		sums[0] - values[DP_REGRESSION_SLOPE] * sums[1];
	values[DP_REGRESSION_CORR] =
		squares[0] * squares[1] > 1e-9
			? squares[2] / sqrt(squares[0] * squares[1])
			: NAN;
	values[DP_REGRESSION_R2] = squares[1] > 1e-9 && !(squares[0] > 1e-9)
								   ? 1
								   : pow(values[DP_REGRESSION_CORR], 2);
	values[DP_REGRESSION_COUNT] = NAN;
}

/* Rows of five forms: spread, on a line, at corners, at one point, y alone. */
static void
make_rows(uint64_t *state, int form, double *y, double *x, int n)
{
	int i;

	for (i = 0; i < n; i++)
	{
		double u = (double) random_next_below(state, 11);
		double v = (double) random_next_below(state, 11);

		x[i] = form == 2 ? 10 * floor(u / 6) : form >= 3 ? 9 : u;
		y[i] = form == 1   ? fmin(2 + u / 2, 7)
			   : form == 2 ? 10 * floor(v / 6)
			   : form == 3 ? 1
						   : v;
		y[i] = floor(y[i]);
	}
}

/* Coverage at 0.9 of all values, whatever the rows and the mechanism. */
static void
test_intervals(void)
{
	enum
	{
		MOST = 400
	};
	static const int counts[] = {1, 3, 30, MOST};
	static const DpMechanism mechanisms[] = {DP_LAPLACE, DP_GAUSSIAN,
											 DP_STAIRCASE};
	const int draws = 100;
	uint64_t state = 565;
	double least = 1;
	double spread = 0;
	bool is_possible = true;
	int round;

	for (round = 0; round < 60; round++)
	{
		int n = counts[round % 4];
		DpRegression regression =
			prepare(mechanisms[round % 3], round % 2 ? 1 : 30, 10, 10, row);
		DpLaw law = {.kind = DP_LAW_REGRESSION,
					 .noise = regression.noise,
					 .steps = regression.steps};
		dp_int128 sums[DP_REGRESSION_SUMS];
		DpRegressionEnds ends = {.law = &law,
								 .level = 0.9,
								 .lower = {-3, 5},
								 .spans = {20, 5},
								 .sums = sums};
		double y[MOST];
		double x[MOST];
		double truth[DP_REGRESSION_VALUES];
		int covered[DP_REGRESSION_VALUES] = {0};
		DpPairs pairs = {0};
		int i;
		int value;

		if (dp_law_width(&law, 0.9, &ends.width) != DP_OK)
			abort();
		make_rows(&state, round / 12, y, x, n);
		for (i = 0; i < n; i++)
		{
			dp_regression_add_row(&regression, (int64_t) y[i], (int64_t) x[i],
								  &pairs);
			y[i] = -3 + 2 * y[i];
			x[i] = 5 + x[i] / 2;
		}
		truth_of(y, x, n, truth);
		for (i = 0; i < draws; i++)
		{
			if (dp_regression_draw_sums(random_bits, &regression, &pairs,
										sums) != DP_OK)
				abort();
			for (value = 0; value < DP_REGRESSION_VALUES; value++)
			{
				DpRange range =
					dp_regression_range(&ends, (DpRegressionValue) value);
				double slack;

				is_possible = is_possible && range.low <= range.high;
				slack = 1e-12 * (1 + fabs(truth[value]));
				covered[value] +=
					isnan(truth[value]) || (range.low <= truth[value] + slack &&
											truth[value] - slack <= range.high);
				if (round == 3 && value == DP_REGRESSION_CORR)
					spread += (range.high - range.low) / draws;
			}
		}
		for (value = 0; value < DP_REGRESSION_VALUES; value++)
		{
			least = fmin(least, (double) covered[value] / draws);
			if (covered[value] < 0.7 * draws)
				diag("value %d is covered %d times in round %d", value,
					 covered[value], round);
		}
	}
	/* 720 binomials of 100 at 0.9: below 0.7 with a probability below 1e-5 */
	ok(least >= 0.7 && is_possible,
	   "intervals at 0.9 cover the truth in %g or more", least);
	ok(spread < 0.5, "they are %g wide of a correlation of 400 rows", spread);
}

static void
test_parameters(void)
{
	DpMechanismChoice choice = {.mechanism = DP_LAPLACE};
	DpRegression regression;
	DpRho rho;

	is_int(dp_regression_init(&regression, &choice, epsilon_of(1),
							  (uint64_t[]){1, DP_REGRESSION_SPAN_MAX + 1}, row),
		   DP_SENSITIVITY_OUT_OF_RANGE, "a span too fine");
	choice.mechanism = DP_GEOMETRIC;
	choice.quantum = 2;
	is_int(dp_regression_init(&regression, &choice, epsilon_of(1),
							  (uint64_t[]){9, 9}, row),
		   DP_PARAMETER_OUT_OF_RANGE, "a quantum");
	choice = (DpMechanismChoice){.mechanism = DP_EXPONENTIAL};
	is_int(dp_regression_init(&regression, &choice, epsilon_of(1),
							  (uint64_t[]){0, 0}, row),
		   DP_MECHANISM_NOT_APPLICABLE, "another mechanism");
	is_int((long long) prepare(DP_LAPLACE, 1, 10, 20,
							   (DpContribution){DP_ADD_REMOVE, 5, 0})
			   .noise.sensitivity,
		   200000, "five rows");
	is_int(prepare(DP_AUTO, 1, 10, 10, row).mechanism, DP_LAPLACE,
		   "auto at epsilon 1");
	regression = prepare(DP_STAIRCASE, 1, 10, 10, row);
	is_double(dp_epsilon_to_double(regression.noise.epsilon) * 9, 1, 1e-4,
			  "staircases have a ninth of epsilon each");
	regression = prepare(DP_GAUSSIAN, 1, 10, 10, row);
	is_int(dp_noise_rho(&regression.noise, DP_REGRESSION_SUMS, row, &rho),
		   DP_OK, "gaussian has a rho");
}

int
main(void)
{
	random_bits = random_seeded(&source, 560);
	test_exact();
	test_ends();
	test_error();
	test_sensitivity();
	test_units();
	test_widths();
	test_intervals();
	test_parameters();
	return done_testing();
}
