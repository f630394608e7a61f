/*
 * medians.c
 *		Duff's table 1: medians of 1000 standard normal values in [-10, 10].
 *
 * Errors are mean absolute errors times 100, against the midpoint of the two
 * middle values, over fixed data sets. The mean over the noise is also taken in
 * closed form ("theory"): that of heavy-tailed answers converges so slowly that
 * a few hundred of them can be far from it. medians-published.csv says how far:
 * there stand the formula of Nissim, Raskhodnikova and Smith in doubles, and the
 * standard error of one answer to each of so many data sets as the paper had.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "mechanisms/median.h"

#define ROWS 1000
#define BOUND 10.0
#define SETS 1000
#define PUBLISHED_SETS 200 /* of the paper */
#define EPSILONS 3
static const double epsilons[EPSILONS] = {0.5, 1, 2};

static double data[SETS][ROWS]; /* ascending */
static DpGrid grid;

typedef struct Row
{
	const char *name;
	DpMechanismChoice choice;
	int answers; /* for each data set, times 1/epsilon */
	double published[EPSILONS];
} Row;

/* clang-format off */
#define NONE {NAN, NAN, NAN}

static const Row rows[] = {
	{"smooth_cauchy(constants=nrs)",
	 {.mechanism = DP_SMOOTH_CAUCHY, .constants = DP_CONSTANTS_NRS},
	 2000, {64.3, 22.6, 7.9}},
	{"smooth_cauchy", {.mechanism = DP_SMOOTH_CAUCHY}, 4000, NONE},
	{"smooth_laplace(delta=0.001 constants=nrs)",
	 {.mechanism = DP_SMOOTH_LAPLACE, .constants = DP_CONSTANTS_NRS,
	  .delta = 0.001},
	 200, {14.8, 4.0, 1.2}},
	{"smooth_laplace(delta=0.001)",
	 {.mechanism = DP_SMOOTH_LAPLACE, .delta = 0.001},
	 200, NONE},
	{"smooth_laplace(delta=0.9 constants=nrs)",
	 {.mechanism = DP_SMOOTH_LAPLACE, .constants = DP_CONSTANTS_NRS,
	  .delta = 0.9},
	 200, {2.8, 1.1, 0.4}},
	{"exponential", {.mechanism = DP_EXPONENTIAL, .rank = -1},
	 200, {0.6, 0.3, 0.2}}};
/* clang-format on */

/* The sum of P(X > x) over 0 <= x <= room: E min(|X|, room) / 2. */
static double
one_side(DpMechanism mechanism, double scale, double room)
{
	double z = room / scale;

	if (mechanism == DP_SMOOTH_LAPLACE)
		return scale * -expm1(-z) / 2;
	return scale * (z / 2 - (z * atan(z) - log1p(z * z) / 2) / acos(-1.0));
}

/* The sum of 2 x P(X > x): E min(|X|, room)^2 / 2. */
static double
square_side(DpMechanism mechanism, double scale, double room)
{
	double z = room / scale;
	double part = mechanism == DP_SMOOTH_LAPLACE
					  ? 1 - exp(-z) * (1 + z)
					  : z * z / 2 - ((z * z + 1) * atan(z) - z) / acos(-1.0);

	return scale * scale * part;
}

/* Moments of the error of noise of such a scale on the lower median. */
typedef struct Law
{
	double mean;
	double square; /* of the noise alone */
} Law;

static Law
law_of_noise(const double *set, DpMechanism mechanism, double scale)
{
	double centre = set[(ROWS - 1) / 2];
	double shift = (set[ROWS / 2] - centre) / 2; /* of the midpoint */

	return (Law){one_side(mechanism, scale, BOUND - centre) +
					 one_side(mechanism, scale, BOUND + centre) + shift -
					 2 * one_side(mechanism, scale, shift),
				 square_side(mechanism, scale, BOUND - centre) +
					 square_side(mechanism, scale, BOUND + centre)};
}

/****************************************************************************
 * The formula as published, in doubles
 */

static double
padded(const double *set, long rank)
{
	if (rank < 0)
		return -BOUND;
	return rank >= ROWS ? BOUND : set[rank];
}

/* Proposition 3.4: the greatest of exp(-k beta) times the widest window of
 * k + 1 gaps around the median. */
static double
smooth_sensitivity(const double *set, double beta)
{
	long middle = (ROWS - 1) / 2;
	double best = 0;
	long k;

	for (k = 0; k <= ROWS; k++)
	{
		double factor = exp(-beta * (double) k);
		double widest = 0;
		long t;

		if (factor * 2 * BOUND <= best)
			break;
		for (t = 0; t <= k + 1; t++)
			widest = fmax(widest, padded(set, middle + t) -
									  padded(set, middle + t - k - 1));
		best = fmax(best, factor * widest);
	}
	return best;
}

static Law
law_as_published(const double *set, const DpMechanismChoice *choice,
				 double epsilon)
{
	bool cauchy = choice->mechanism == DP_SMOOTH_CAUCHY;
	double alpha = cauchy ? epsilon / 6 : epsilon / 2;
	double beta = cauchy ? epsilon / 6 : epsilon / (2 * log(2 / choice->delta));

	return law_of_noise(set, choice->mechanism,
						smooth_sensitivity(set, beta) / alpha);
}

static void
write_published(void)
{
	size_t row;
	int e;
	int s;

	figure_open_columns("medians-published",
						"epsilon,published,formula,standard_error_of_200");
	for (row = 0; row < sizeof(rows) / sizeof(*rows); row++)
	{
		if (isnan(rows[row].published[0]) ||
			rows[row].choice.mechanism == DP_EXPONENTIAL)
			continue;
		for (e = 0; e < EPSILONS; e++)
		{
			double mean = 0;
			double square = 0;

			for (s = 0; s < SETS; s++)
			{
				Law law =
					law_as_published(data[s], &rows[row].choice, epsilons[e]);

				mean += law.mean / SETS;
				square += law.square / SETS;
			}
			figure_numbers(
				rows[row].name,
				(double[]){epsilons[e], rows[row].published[e], 100 * mean,
						   100 * sqrt((square - mean * mean) / PUBLISHED_SETS)},
				4);
		}
	}
	figure_close();
}

/****************************************************************************
 * dp_median
 */

/* Exactly, from the law of the draw. */
static double
loss_of_exponential(const DpQuantile *quantile, const int64_t *points,
					double truth, double epsilon)
{
	static DpRankPiece pieces[2 * ROWS + 2];
	int64_t values[ROWS];
	double weights = 0;
	double loss = 0;
	size_t count;
	size_t i;

	memcpy(values, points, sizeof(values));
	count = dp_rank_pieces(&quantile->rank, quantile->fraction * ROWS, values,
						   ROWS, grid.lower, grid.upper, pieces, 2 * ROWS + 2);
	for (i = 0; i < count; i++)
	{
		double weight = (double) pieces[i].points *
						exp(-epsilon * (double) pieces[i].k /
							(2 * (double) quantile->rank.sensitivity));
		double first = dp_grid_to_double(&grid, (double) pieces[i].start);
		double length = dp_grid_to_double(&grid, (double) pieces[i].points);
		double off = truth - first;

		weights += weight;

		/* the mean distance of the points from the truth, inside or not */
		if (off > 0 && off < length)
			loss += weight * (off * off + (length - off) * (length - off)) /
					(2 * length);
		else
			loss += weight * fabs(length / 2 - off);
	}
	return loss / weights;
}

/* The error of one answer. What the data alone decide is done once. */
typedef struct Answer
{
	DpMedian *median;
	DpScale scale; /* of smooth sensitivity */
	const int64_t *points;
	double truth;
} Answer;

static double
draw_error(const Answer *answer)
{
	DpMechanism mechanism = answer->median->mechanism;
	int64_t values[ROWS];
	int64_t point;
	int64_t noise;

	if (mechanism == DP_EXPONENTIAL)
	{
		memcpy(values, answer->points, sizeof(values));
		figure_check(dp_median_draw(figure_random, answer->median, values, ROWS,
									grid.lower, grid.upper, &point));
	}
	else
	{
		DpSmooth *smooth = &answer->median->smooth;

		/* as dp_smooth_draw_points */
		figure_check(
			mechanism == DP_SMOOTH_CAUCHY
				? dp_rounded_cauchy_draw(figure_random, answer->scale,
										 smooth->span, smooth->bits, &noise)
				: dp_rounded_laplace_draw(figure_random, answer->scale,
										  smooth->span, smooth->bits, &noise));
		point = (int64_t) dp_int128_clamp(
			(dp_int128) answer->points[(ROWS - 1) / 2] + noise, grid.lower,
			grid.upper);
	}
	return fabs(dp_grid_to_double(&grid, (double) point) - answer->truth);
}

/* Adds the answers about one data set; returns their mean error in theory. */
static double
measure_set(const double *set, DpMedian *median, double epsilon, int answers,
			Sample *sample)
{
	int64_t points[ROWS];
	int64_t values[ROWS];
	Answer answer = {.median = median,
					 .points = points,
					 .truth = (set[(ROWS - 1) / 2] + set[ROWS / 2]) / 2};
	double theory;
	int i;

	for (i = 0; i < ROWS; i++)
		points[i] = values[i] = dp_grid_from_double(&grid, set[i]);
	if (median->mechanism == DP_EXPONENTIAL)
		theory = loss_of_exponential(&median->quantile, points, answer.truth,
									 epsilon);
	else
	{
		answer.scale = dp_smooth_scale(
			&median->smooth, dp_smooth_index(&median->smooth, values, ROWS,
											 grid.lower, grid.upper));
		theory = law_of_noise(
					 set, median->mechanism,
					 dp_grid_to_double(&grid, (double) answer.scale.numerator) /
						 (double) answer.scale.denominator)
					 .mean;
	}
	for (i = 0; i < answers; i++)
		sample_add(sample, 100 * draw_error(&answer));
	return 100 * theory;
}

static void
write_medians(void)
{
	size_t row;
	int e;
	int s;

	figure_open("medians", "epsilon");
	for (row = 0; row < sizeof(rows) / sizeof(*rows); row++)
	{
		for (e = 0; e < EPSILONS; e++)
		{
			DpMedian median;
			Sample sample = {0};
			double theory = 0;

			figure_check(dp_median_init(&median, &rows[row].choice,
										figure_epsilon(epsilons[e]), &grid,
										dp_contribution_of_row(DP_ADD_REMOVE)));
			for (s = 0; s < SETS; s++)
				theory += measure_set(data[s], &median, epsilons[e],
									  (int) (rows[row].answers * epsilons[e]),
									  &sample) /
						  SETS;
			figure_row(rows[row].name, epsilons[e], theory,
					   rows[row].published[e], &sample);
		}
	}
	figure_close();
}

int
main(int argc, char **argv)
{
	int s;
	int v;

	figure_start(argc, argv);
	figure_check(dp_grid_for_doubles(-BOUND, BOUND, DP_GRID_SPAN, &grid));
	for (s = 0; s < SETS; s++)
	{
		for (v = 0; v < ROWS; v++)
			data[s][v] = figure_normal();
		qsort(data[s], ROWS, sizeof(double), figure_compare);
	}
	write_published();
	write_medians();
	return 0;
}
