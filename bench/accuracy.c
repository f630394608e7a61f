/*
 * accuracy.c
 *		Errors of the mechanisms: published, in closed form, and measured.
 *
 *	accuracy DRAWS TRIALS [CSV]
 *
 * Every measured figure of dp_noise comes from draws of the shipped samplers
 * and is followed by its standard error. The methods that dp_noise is compared
 * with are plain reference implementations in doubles, here and only here, and
 * are marked so. Data sets come from drand48 with a fixed seed; the noise of
 * dp_noise cannot be seeded, so its last digits differ from run to run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/marginal_shares.h"
#include "core/marginal_weights.h"
#include "mechanisms/bounds.h"
#include "mechanisms/chosen_cap.h"
#include "mechanisms/combination.h"
#include "mechanisms/expected_error.h"
#include "mechanisms/extreme.h"
#include "mechanisms/gaussian_threshold.h"
#include "mechanisms/group_threshold.h"
#include "mechanisms/mean.h"
#include "mechanisms/median.h"
#include "mechanisms/noise.h"
#include "mechanisms/sums_ends.h"
#include "mechanisms/variance.h"

#include "program.h"

/* The grid of a continuous value: 2^40 steps. */
#define SPAN ((uint64_t) 1 << 40)

/* The data sets of Duff's table 1. */
#define ROWS 1000
#define LOWER (-10.0)
#define UPPER 10.0

/* Answers drawn for each data set, so that the noise is averaged too. */
#define ANSWERS 20

static DpRandom *source;
static FILE *csv;

/* A mean in the making. */
typedef struct Sample
{
	double count;
	double sum;
	double squares;
} Sample;

static void
add(Sample *sample, double value)
{
	sample->count++;
	sample->sum += value;
	sample->squares += value * value;
}

static double
mean_of(const Sample *sample)
{
	return sample->sum / sample->count;
}

static double
standard_error(const Sample *sample)
{
	double mean = mean_of(sample);
	double variance = sample->squares / sample->count - mean * mean;

	return sqrt(fmax(variance, 0) / sample->count);
}

/* NAN stands for a figure that there is none of. */
static void
write_csv(const char *table, const char *method, const char *quantity,
		  double epsilon, double published, double closed, double measured,
		  double error)
{
	double figures[] = {published, closed, measured, error};
	size_t i;

	if (csv == NULL)
		return;
	fprintf(csv, "%s,\"%s\",%s,%g", table, method, quantity, epsilon);
	for (i = 0; i < sizeof(figures) / sizeof(*figures); i++)
	{
		if (isnan(figures[i]))
			fputs(",", csv);
		else
			fprintf(csv, ",%.9g", figures[i]);
	}
	fputs("\n", csv);
}

/****************************************************************************
 * Data
 */

static double
uniform(void)
{
	return 1 - drand48();
}

static double
normal(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(6.283185307179586 * drand48());
}

static double
naive_laplace(double scale)
{
	double size = -scale * log(uniform());

	return drand48() < 0.5 ? -size : size;
}

static double
clamp(double x, double lower, double upper)
{
	return fmin(fmax(x, lower), upper);
}

static int
compare_doubles(const void *a, const void *b)
{
	double left = *(const double *) a;
	double right = *(const double *) b;

	return (left > right) - (left < right);
}

/* ROWS standard normal values in ascending order. */
static void
make_data(double *data)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		data[i] = clamp(normal(), LOWER, UPPER);
	qsort(data, ROWS, sizeof(double), compare_doubles);
}

/****************************************************************************
 * Noise: Geng and Viswanath's moments
 */

typedef struct Moments
{
	const char *name;
	DpMechanismChoice choice;
	uint64_t sensitivity;
	double published[6][2]; /* E|X|, E X^2 for each epsilon */
} Moments;

static const double moment_epsilons[6] = {0.1, 0.5, 1, 2, 5, 10};

static const Moments moments[] = {
	{"laplace",
	 {.mechanism = DP_LAPLACE},
	 SPAN,
	 {{10, 200}, {2, 8}, {1, 2}, {0.5, 0.5}, {0.2, 0.08}, {0.1, 0.02}}},
	{"staircase(cost=l1)",
	 {.mechanism = DP_STAIRCASE, .cost = DP_COST_ABSOLUTE},
	 SPAN,
	 {{9.995835, 199.916698},
	  {1.979318, 7.917441},
	  {0.959517, 1.919682},
	  {0.425459, 0.427568},
	  {0.0826418, 0.0370273},
	  {0.00673825, 0.00230683}}},
	{"staircase(cost=l2)",
	 {.mechanism = DP_STAIRCASE, .cost = DP_COST_SQUARED},
	 SPAN,
	 {{9.995835, 199.916681},
	  {1.979423, 7.917017},
	  {0.960287, 1.918104},
	  {0.429914, 0.422733},
	  {0.0982080, 0.0297110},
	  {0.0149598, 0.000847210}}},
	{"geometric, count",
	 {.mechanism = DP_GEOMETRIC},
	 1,
	 {{9.983353, 199.833417},
	  {1.919035, 7.835396},
	  {0.850918, 1.841347},
	  {0.275721, 0.362031},
	  {0.0134765, 0.0136593},
	  {9.07999e-5, 9.08081e-5}}}};

/* Both moments of one noise at one epsilon, in units of the sensitivity. */
static void
measure_moments(const Moments *row, double epsilon, uint64_t draws,
				double closed[2], Sample samples[2])
{
	DpNoise noise;
	DpError error;
	double unit = (double) row->sensitivity;
	uint64_t i;

	check(dp_noise_init(&noise, &row->choice, epsilon_of(epsilon),
						row->sensitivity));
	dp_expected_error_of(&noise, epsilon, &error);
	closed[0] = error.mean_absolute / unit;
	closed[1] = pow(error.root_mean_square / unit, 2);
	samples[0] = samples[1] = (Sample){0};
	for (i = 0; i < draws; i++)
	{
		dp_int128 value;
		double x;

		check(dp_noise_draw(source, &noise, &value));
		x = fabs((double) value) / unit;
		add(&samples[0], x);
		add(&samples[1], x * x);
	}
}

static void
print_moments(uint64_t draws)
{
	static const char *const quantities[2] = {"E|X|", "E X^2"};
	enum
	{
		ROWS_OF_TABLE = sizeof(moments) / sizeof(*moments)
	};
	double closed[ROWS_OF_TABLE][6][2];
	Sample samples[ROWS_OF_TABLE][6][2];
	int q;
	int row;
	int e;

	printf("\n-- additive noise, sensitivity 1; %llu draws each\n",
		   (unsigned long long) draws);
	for (row = 0; row < ROWS_OF_TABLE; row++)
		for (e = 0; e < 6; e++)
			measure_moments(&moments[row], moment_epsilons[e], draws,
							closed[row][e], samples[row][e]);
	for (q = 0; q < 2; q++)
	{
		printf("%-6s %-20s %8s %13s %13s %13s %13s\n", "", "noise", "epsilon",
			   "published", "closed form", "measured", "+-");
		for (row = 0; row < ROWS_OF_TABLE; row++)
		{
			for (e = 0; e < 6; e++)
			{
				const Sample *sample = &samples[row][e][q];

				printf("%-6s %-20s %8g %13.6g %13.6g %13.6g %13.2g\n",
					   quantities[q], moments[row].name, moment_epsilons[e],
					   moments[row].published[e][q], closed[row][e][q],
					   mean_of(sample), standard_error(sample));
				write_csv("noise",
						  row == ROWS_OF_TABLE - 1 ? "geometric"
												   : moments[row].name,
						  quantities[q], moment_epsilons[e],
						  moments[row].published[e][q], closed[row][e][q],
						  mean_of(sample), standard_error(sample));
			}
		}
	}
	puts("published: Laplace 1/epsilon and 2/epsilon^2, Geng and Viswanath "
		 "(44) and (51),\nGhosh, Roughgarden and Sundararajan.");
}

/****************************************************************************
 * Medians: Duff, table 1
 */

#define DUFF_EPSILONS 3
static const double duff_epsilons[DUFF_EPSILONS] = {0.5, 1, 2};

typedef struct DuffRow
{
	const char *name;
	bool reference;			  /* of smooth sensitivity in doubles, below */
	DpMechanismChoice choice; /* of dp_median; a reference: its delta */
	double published[DUFF_EPSILONS]; /* times 100; NAN: not there */
} DuffRow;

static const DuffRow duff_rows[] = {
	{"smooth sensitivity delta=0 (reference)", true, {0}, {64.3, 22.6, 7.9}},
	{"smooth_cauchy(constants=nrs)",
	 false,
	 {.mechanism = DP_SMOOTH_CAUCHY, .constants = DP_CONSTANTS_NRS},
	 {64.3, 22.6, 7.9}},
	{"smooth_cauchy", false, {.mechanism = DP_SMOOTH_CAUCHY}, {NAN, NAN, NAN}},
	{"smooth sensitivity delta=0.001 (reference)",
	 true,
	 {.delta = 0.001},
	 {14.8, 4.0, 1.2}},
	{"smooth_laplace(delta=0.001,constants=nrs)",
	 false,
	 {.mechanism = DP_SMOOTH_LAPLACE,
	  .constants = DP_CONSTANTS_NRS,
	  .delta = 0.001},
	 {14.8, 4.0, 1.2}},
	{"smooth_laplace(delta=0.001)",
	 false,
	 {.mechanism = DP_SMOOTH_LAPLACE, .delta = 0.001},
	 {NAN, NAN, NAN}},
	{"smooth sensitivity delta=0.9 (reference)",
	 true,
	 {.delta = 0.9},
	 {2.8, 1.1, 0.4}},
	{"smooth_laplace(delta=0.9,constants=nrs)",
	 false,
	 {.mechanism = DP_SMOOTH_LAPLACE,
	  .constants = DP_CONSTANTS_NRS,
	  .delta = 0.9},
	 {2.8, 1.1, 0.4}},
	{"smooth_laplace(delta=0.9)",
	 false,
	 {.mechanism = DP_SMOOTH_LAPLACE, .delta = 0.9},
	 {NAN, NAN, NAN}},
	{"exponential, as dp_median_exp",
	 false,
	 {.mechanism = DP_EXPONENTIAL, .rank = -1},
	 {0.6, 0.3, 0.2}}};

/* The value at a rank, with the bounds repeated on both sides. */
static double
padded(const double *data, long rank)
{
	if (rank < 0)
		return LOWER;
	return rank >= ROWS ? UPPER : data[rank];
}

/*
 * Reference implementation. Nissim, Raskhodnikova, Smith 2007, proposition
 * 3.4: max over k of exp(-k beta) times the widest of the k + 2 windows of
 * k + 1 gaps around the median.
 */
static double
smooth_sensitivity(const double *data, double beta)
{
	long middle = (ROWS - 1) / 2;
	double best = 0;
	long k;

	for (k = 0; k <= ROWS; k++)
	{
		double factor = exp(-beta * (double) k);
		double widest = 0;
		long t;

		if (factor * (UPPER - LOWER) <= best)
			break;
		for (t = 0; t <= k + 1; t++)
		{
			double width =
				padded(data, middle + t) - padded(data, middle + t - k - 1);

			widest = fmax(widest, width);
		}
		best = fmax(best, factor * widest);
	}
	return best;
}

/*
 * Reference implementation. delta 0: Cauchy noise, alpha = beta = epsilon/6,
 * else Laplace noise, alpha = epsilon/2, beta = epsilon/(2 ln(2/delta)).
 */
static void
answer_by_smooth_sensitivity(const double *data, double epsilon, double delta,
							 double *answers)
{
	double alpha = delta == 0 ? epsilon / 6 : epsilon / 2;
	double beta = delta == 0 ? epsilon / 6 : epsilon / (2 * log(2 / delta));
	double scale = smooth_sensitivity(data, beta) / alpha;
	double median = data[(ROWS - 1) / 2];
	int i;

	for (i = 0; i < ANSWERS; i++)
	{
		double noise = delta == 0
						   ? scale * tan(3.141592653589793 * (uniform() - 0.5))
						   : naive_laplace(scale);

		answers[i] = clamp(median + noise, LOWER, UPPER);
	}
}

static void
answer_by_dp_median(const double *data, double epsilon,
					const DpMechanismChoice *choice, double *answers)
{
	DpGrid grid;
	DpMedian median;
	int64_t values[ROWS];
	int i;
	int v;

	check(dp_grid_for_doubles(LOWER, UPPER, DP_GRID_SPAN, &grid));
	check(dp_median_init(&median, choice, epsilon_of(epsilon), &grid,
						 dp_contribution_of_row(DP_ADD_REMOVE)));
	for (v = 0; v < ROWS; v++)
		values[v] = dp_grid_from_double(&grid, data[v]);
	for (i = 0; i < ANSWERS; i++)
	{
		int64_t point;

		check(dp_median_draw(source, &median, values, ROWS, grid.lower,
							 grid.upper, &point));
		answers[i] = dp_grid_to_double(&grid, (double) point);
	}
}

static void
print_medians(uint64_t trials)
{
	enum
	{
		ROWS_OF_TABLE = sizeof(duff_rows) / sizeof(*duff_rows)
	};
	Sample samples[ROWS_OF_TABLE][DUFF_EPSILONS] = {0};
	double data[ROWS];
	double answers[ANSWERS];
	uint64_t trial;
	int row;
	int e;
	int i;

	for (trial = 0; trial < trials; trial++)
	{
		double truth;

		make_data(data);
		truth = (data[(ROWS - 1) / 2] + data[ROWS / 2]) / 2;
		for (row = 0; row < ROWS_OF_TABLE; row++)
		{
			for (e = 0; e < DUFF_EPSILONS; e++)
			{
				double error = 0;

				if (duff_rows[row].reference)
					answer_by_smooth_sensitivity(data, duff_epsilons[e],
												 duff_rows[row].choice.delta,
												 answers);
				else
					answer_by_dp_median(data, duff_epsilons[e],
										&duff_rows[row].choice, answers);
				for (i = 0; i < ANSWERS; i++)
					error += fabs(answers[i] - truth) / ANSWERS;
				add(&samples[row][e], 100 * error);
			}
		}
	}

	printf("\n-- median of %d standard normal values in [%g, %g]: "
		   "mean |error| x 100\n"
		   "against the midpoint of the two middle values; "
		   "%llu data sets, %d answers each\n",
		   ROWS, LOWER, UPPER, (unsigned long long) trials, ANSWERS);
	printf("%-44s %8s %13s %13s %13s\n", "method", "epsilon", "published",
		   "measured", "+-");
	for (row = 0; row < ROWS_OF_TABLE; row++)
	{
		for (e = 0; e < DUFF_EPSILONS; e++)
		{
			const Sample *sample = &samples[row][e];
			char published[16] = "";

			if (!isnan(duff_rows[row].published[e]))
				snprintf(published, sizeof(published), "%g",
						 duff_rows[row].published[e]);
			printf("%-44s %8g %13s %13.4g %13.2g\n", duff_rows[row].name,
				   duff_epsilons[e], published, mean_of(sample),
				   standard_error(sample));
			write_csv("median", duff_rows[row].name, "mean |error| x 100",
					  duff_epsilons[e], duff_rows[row].published[e], NAN,
					  mean_of(sample), standard_error(sample));
		}
	}
	puts("published: Munoz Medina and Gillenwater, Duff, table 1. (reference): "
		 "the method\ncompared with, in plain doubles; not part of dp_noise.");
}

/****************************************************************************
 * Means
 */

#define MEAN_WAYS 3
static const char *const mean_names[MEAN_WAYS] = {
	"split budget (reference)", "centred sum, as Google's (reference)",
	"dp_mean"};

#define MEAN_PLACES 3
static const double mean_places[MEAN_PLACES] = {0.05, 0.3, 0.5};

/*
 * One private mean of ROWS values of [0, 1] with the given true mean. The
 * error of all three ways depends on the values only through their mean.
 */
static double
answer_mean(int way, double truth, double epsilon, const DpMean *prepared)
{
	DpFraction fraction;
	dp_int128 sum;

	switch (way)
	{
		case 0: /* half of epsilon each for the sum and the count */
			return clamp((ROWS * truth + naive_laplace(2 / epsilon)) /
							 (ROWS + naive_laplace(2 / epsilon)),
						 0, 1);
		case 1: /* the same with the sum of x - 1/2 */
			return clamp(
				0.5 + (ROWS * (truth - 0.5) + naive_laplace(1 / epsilon)) /
						  (ROWS + naive_laplace(2 / epsilon)),
				0, 1);
		default:
			sum = (dp_int128) rint(ROWS * truth * (double) prepared->span);
			check(dp_mean_draw(source, prepared, sum, ROWS, &fraction));
			return (double) fraction.numerator / (double) fraction.denominator;
	}
}

static void
print_means(uint64_t draws)
{
	/* From the variances, to first order in 1/n; n epsilon = 1000. */
	double closed[MEAN_WAYS][MEAN_PLACES];
	DpMechanismChoice automatic = {.mechanism = DP_AUTO};
	DpGrid grid;
	DpMean prepared;
	int way;
	int place;

	check(dp_grid_for_doubles(0, 1, DP_GRID_SPAN, &grid));
	check(dp_mean_init(&prepared, &automatic, epsilon_of(1), &grid,
					   dp_contribution_of_row(DP_ADD_REMOVE)));
	for (place = 0; place < MEAN_PLACES; place++)
	{
		double m = mean_places[place];

		closed[0][place] = sqrt(2.0) / ROWS * 2 * hypot(1, m);
		closed[1][place] = sqrt(2.0) / ROWS * hypot(1, 2 * (m - 0.5));
		closed[2][place] = sqrt(2.0) / ROWS * hypot(m, 1 - m);
	}

	printf("\n-- mean of %d values, epsilon 1: root mean square error in units "
		   "of the range;\n%llu answers each\n",
		   ROWS, (unsigned long long) draws);
	printf("%-44s %8s %13s %13s %13s\n", "method", "mean", "first order",
		   "measured", "+-");
	for (way = 0; way < MEAN_WAYS; way++)
	{
		for (place = 0; place < MEAN_PLACES; place++)
		{
			double truth = mean_places[place];
			Sample squares = {0};
			double measured;
			double error;
			uint64_t i;

			for (i = 0; i < draws; i++)
				add(&squares,
					pow(answer_mean(way, truth, 1, &prepared) - truth, 2));
			measured = sqrt(mean_of(&squares));
			error = standard_error(&squares) / (2 * measured);
			printf("%-44s %8g %13.5f %13.5f %13.1g\n", mean_names[way], truth,
				   closed[way][place], measured, error);
			write_csv(truth == 0.05	 ? "mean at 0.05"
					  : truth == 0.3 ? "mean at 0.3"
									 : "mean at 0.5",
					  mean_names[way], "RMSE", 1, NAN, closed[way][place],
					  measured, error);
		}
	}
}

/****************************************************************************
 * Maxima
 */

typedef struct MaximumRow
{
	const char *name;
	DpMechanismChoice choice;
} MaximumRow;

static const MaximumRow maximum_rows[] = {
	{"above_threshold", {.mechanism = DP_ABOVE_THRESHOLD}},
	{"exponential", {.mechanism = DP_EXPONENTIAL, .rank = -1}},
	{"exponential(rank=0), as Duff", {.mechanism = DP_EXPONENTIAL}},
	{"laplace", {.mechanism = DP_LAPLACE}},
	{"staircase", {.mechanism = DP_STAIRCASE}},
	{"auto", {.mechanism = DP_AUTO}}};

static const double maximum_epsilons[] = {0.1, 0.2, 0.5, 1,	 2,	 3,	 4, 5,
										  6,   8,	9,	 10, 11, 12, 15};

static void
print_maxima(uint64_t trials)
{
	enum
	{
		COLUMNS = sizeof(maximum_rows) / sizeof(*maximum_rows),
		EPSILONS = sizeof(maximum_epsilons) / sizeof(*maximum_epsilons)
	};
	Sample samples[EPSILONS][COLUMNS] = {0};
	DpMechanism chosen[EPSILONS];
	DpExtreme extremes[EPSILONS][COLUMNS];
	DpGrid grid;
	double data[ROWS];
	int64_t points[ROWS]; /* descending */
	int64_t values[ROWS];
	uint64_t trial;
	int e;
	int c;
	int v;

	check(dp_grid_for_doubles(LOWER, UPPER, DP_GRID_SPAN, &grid));
	for (e = 0; e < EPSILONS; e++)
		for (c = 0; c < COLUMNS; c++)
		{
			check(dp_extreme_init(&extremes[e][c], &maximum_rows[c].choice,
								  epsilon_of(maximum_epsilons[e]), &grid,
								  dp_contribution_of_row(DP_ADD_REMOVE)));
			chosen[e] = extremes[e][c].mechanism; /* the last one: auto */
		}
	for (trial = 0; trial < trials; trial++)
	{
		make_data(data);
		for (v = 0; v < ROWS; v++)
			points[v] = dp_grid_from_double(&grid, data[ROWS - 1 - v]);
		for (e = 0; e < EPSILONS; e++)
		{
			for (c = 0; c < COLUMNS; c++)
			{
				DpExtreme *extreme = &extremes[e][c];
				size_t count = extreme->limit < ROWS ? extreme->limit : ROWS;
				double error = 0;
				int i;

				memcpy(values, points, count * sizeof(int64_t));
				for (i = 0; i < ANSWERS; i++)
				{
					int64_t point;

					check(dp_extreme_draw(source, extreme, values, count,
										  grid.lower, grid.upper, &point));
					error += fabs(dp_grid_to_double(&grid, (double) point) -
								  data[ROWS - 1]) /
							 ANSWERS;
				}
				add(&samples[e][c], error);
			}
		}
	}

	printf("\n-- maximum of %d standard normal values in [%g, %g]: "
		   "mean |error|;\n%llu data sets, %d answers each\n",
		   ROWS, LOWER, UPPER, (unsigned long long) trials, ANSWERS);
	printf("%8s", "epsilon");
	for (c = 0; c < COLUMNS; c++)
		printf(" %*s", (int) fmax(12, (double) strlen(maximum_rows[c].name)),
			   maximum_rows[c].name);
	puts(" auto is");
	for (e = 0; e < EPSILONS; e++)
	{
		printf("%8g", maximum_epsilons[e]);
		for (c = 0; c < COLUMNS; c++)
		{
			const Sample *sample = &samples[e][c];

			printf(" %*.4f",
				   (int) fmax(12, (double) strlen(maximum_rows[c].name)),
				   mean_of(sample));
			write_csv("maximum", maximum_rows[c].name, "mean |error|",
					  maximum_epsilons[e], NAN, NAN, mean_of(sample),
					  standard_error(sample));
		}
		printf(" %s\n", dp_mechanism_name(chosen[e]));
	}
}

/****************************************************************************
 * Sums within chosen bounds
 */

#define CHOSEN_ROWS 10000
#define CHOSEN_POWERS 16 /* fixed bounds: 0 and 1, 2, 4, ... */

static const double chosen_epsilons[] = {0.1, 0.2, 0.5, 1, 2, 5};
static const double chosen_shares[] = {0.1, 0.2, 0.4};

/* The error of a sum of values that are not negative, clamped to a bound. */
static double
clamped_error(const double *data, double bound, double epsilon)
{
	DpMechanismChoice automatic = {.mechanism = DP_AUTO};
	double cut = 0;
	DpNoise noise;
	dp_int128 drawn;
	DpGrid grid;
	int v;

	check(dp_grid_for_doubles(0, bound, DP_GRID_MAGNITUDE, &grid));
	check(dp_noise_init(&noise, &automatic, epsilon_of(epsilon),
						(uint64_t) grid.upper));
	check(dp_noise_draw(source, &noise, &drawn));
	for (v = 0; v < CHOSEN_ROWS; v++)
		cut += fmax(data[v] - bound, 0);
	return fabs(ldexp((double) drawn, grid.exponent) - cut);
}

/* The upper bound that a share of epsilon buys; 0: none. */
static double
choose_bound(const double *data, double epsilon)
{
	DpBins bins = {-64, 127};
	int64_t counts[DP_BINS_MAX] = {0};
	DpBounds bounds;
	DpEdge edge;
	uint32_t first;
	uint32_t last;
	int v;

	check(dp_bounds_init(&bounds, bins, epsilon_of(epsilon),
						 dp_contribution_of_row(DP_ADD_REMOVE)));
	for (v = 0; v < CHOSEN_ROWS; v++)
		counts[dp_bin_of_double(bins, data[v])]++;
	check(dp_bounds_draw(source, &bounds, counts, &first, &last));
	if (first > last)
		return 0;
	edge = dp_bin_upper(bins, last);
	return edge.sign * ldexp(1, edge.exponent);
}

/* exp of normal values, as incomes are. */
static void
make_skewed(double *data)
{
	int v;

	for (v = 0; v < CHOSEN_ROWS; v++)
		data[v] = exp(4 + sqrt(-2 * log(1 - drand48())) *
							  cos(2 * 3.14159265358979323846 * drand48()));
}

static void
print_chosen(uint64_t trials)
{
	enum
	{
		EPSILONS = sizeof(chosen_epsilons) / sizeof(*chosen_epsilons),
		SHARES = sizeof(chosen_shares) / sizeof(*chosen_shares)
	};
	static double data[CHOSEN_ROWS];
	Sample fixed[EPSILONS][CHOSEN_POWERS] = {0};
	Sample chosen[EPSILONS][SHARES] = {0};
	uint64_t trial;
	int e;
	int i;

	for (trial = 0; trial < trials; trial++)
	{
		make_skewed(data);
		for (e = 0; e < EPSILONS; e++)
		{
			double epsilon = chosen_epsilons[e];

			for (i = 0; i < CHOSEN_POWERS; i++)
				add(&fixed[e][i], clamped_error(data, ldexp(1, i), epsilon));
			for (i = 0; i < SHARES; i++)
			{
				double share = chosen_shares[i] * epsilon;
				double bound = choose_bound(data, share);

				if (bound > 0)
					add(&chosen[e][i],
						clamped_error(data, bound, epsilon - share));
			}
		}
	}

	printf("\n-- sum of %d log-normal values, about 900000: mean |error| "
		   "within the "
		   "best fixed\nbound, and within one that a share of epsilon chooses; "
		   "%llu data sets\n",
		   CHOSEN_ROWS, (unsigned long long) trials);
	printf("%8s %8s %10s", "epsilon", "bound", "error");
	for (i = 0; i < SHARES; i++)
		printf("  share %4g", chosen_shares[i]);
	puts("");
	for (e = 0; e < EPSILONS; e++)
	{
		int best = 0;

		for (i = 1; i < CHOSEN_POWERS; i++)
			if (mean_of(&fixed[e][i]) < mean_of(&fixed[e][best]))
				best = i;
		printf("%8g %8g %10.0f", chosen_epsilons[e], ldexp(1, best),
			   mean_of(&fixed[e][best]));
		write_csv("chosen bounds", "best fixed", "mean |error|",
				  chosen_epsilons[e], NAN, NAN, mean_of(&fixed[e][best]),
				  standard_error(&fixed[e][best]));
		for (i = 0; i < SHARES; i++)
		{
			char name[32];

			snprintf(name, sizeof(name), "share %g", chosen_shares[i]);
			printf(" %11.0f", mean_of(&chosen[e][i]));
			write_csv("chosen bounds", name, "mean |error|", chosen_epsilons[e],
					  NAN, NAN, mean_of(&chosen[e][i]),
					  standard_error(&chosen[e][i]));
		}
		puts("");
	}
}

/****************************************************************************
 * Counts within chosen caps
 */

#define CAP_UNITS 3000
#define CAP_MOST 1000

/* Rows of a unit. */
static double
lines_of_customer(void)
{
	double lines = 0;
	int orders = 0;
	int i;

	/* as in TPC-H: a third has none, the others 15 orders of 1 to 7 lines each */
	for (i = 0; i < 30; i++)
		orders += drand48() < 0.5;
	for (i = 0; i < orders; i++)
		lines += 1 + floor(7 * drand48());
	return drand48() < 2.0 / 3 ? lines : 0;
}

static double
geometric_rows(void)
{
	return 1 + floor(log(uniform()) / log(5.0 / 6));
}

static double
pareto_rows(void)
{
	return floor(pow(uniform(), -1 / 1.5));
}

static double
heavy_rows(void)
{
	return fmin(floor(pow(uniform(), -1 / 1.1)), 1e6);
}

static double
lognormal_rows(void)
{
	return fmax(1, floor(exp(1.5 + 1.2 * normal())));
}

static const struct
{
	const char *name;
	double (*rows)(void);
} cap_cases[] = {
	{"customers", lines_of_customer}, {"geometric", geometric_rows},
	{"log-normal", lognormal_rows},	  {"Pareto 1.5", pareto_rows},
	{"Pareto 1.1", heavy_rows},
};
static const double cap_epsilons[] = {0.1, 0.5, 1, 4};
static const double cap_shares[] = {0.05, 0.1, 0.2, 0.3};

/* Thresholds x/r + y/b: the first one is dp_chosen_cap_init's. */
static const double cap_factors[][2] = {{1, 1.5}, {1, 0}, {1, 1},
										{1, 2},	  {1, 3}, {3, 1}};

enum
{
	CAP_CASES = sizeof(cap_cases) / sizeof(*cap_cases),
	CAP_EPSILONS = sizeof(cap_epsilons) / sizeof(*cap_epsilons),
	CAP_SHARES = sizeof(cap_shares) / sizeof(*cap_shares),
	CAP_FACTORS = sizeof(cap_factors) / sizeof(*cap_factors)
};

/* Of some units: for each candidate how many exceed it, and what it cuts off. */
typedef struct CapData
{
	uint64_t exceeding[DP_CHOSEN_CAP_MAX];
	double cut[DP_CHOSEN_CAP_MAX + 1]; /* last: of the greatest cap */
} CapData;

static uint32_t
cap_of(uint32_t number)
{
	return number < dp_chosen_cap_candidates(CAP_MOST)
			   ? dp_chosen_cap_candidate(number)
			   : CAP_MOST;
}

static CapData
make_units(double (*rows)(void))
{
	CapData data = {{0}, {0}};
	uint32_t count = dp_chosen_cap_candidates(CAP_MOST);
	uint32_t i;
	int unit;

	for (unit = 0; unit < CAP_UNITS; unit++)
	{
		double n = rows();

		for (i = 0; i <= count; i++)
		{
			if (i < count)
				data.exceeding[i] += n > cap_of(i);
			data.cut[i] += fmax(n - cap_of(i), 0);
		}
	}
	return data;
}

/* The error of a count within a cap, by its number. */
static double
capped_error(const CapData *data, uint32_t number, double epsilon)
{
	DpMechanismChoice automatic = {.mechanism = DP_AUTO};
	DpNoise noise;
	dp_int128 drawn;

	check(
		dp_noise_init(&noise, &automatic, epsilon_of(epsilon), cap_of(number)));
	check(dp_noise_draw(source, &noise, &drawn));
	return fabs((double) drawn - data->cut[number]);
}

static uint32_t
choose_cap(const CapData *data, double choice, double rest,
		   const double *factors)
{
	DpAboveThreshold walk;
	size_t stop;

	dp_chosen_cap_init(&walk, epsilon_of(choice), rest, DP_ADD_REMOVE);
	if (factors != cap_factors[0])
		walk.threshold =
			(uint64_t) floor(factors[0] / rest + factors[1] / choice);
	check(dp_above_threshold_draw(source, &walk, data->exceeding,
								  dp_chosen_cap_candidates(CAP_MOST), &stop));
	return (uint32_t) stop;
}

/* Of errors: their median, what 90% do not exceed, their mean. */
enum
{
	CAP_MEDIAN,
	CAP_NINETY,
	CAP_MEAN,
	CAP_FIGURES
};

static const char *const cap_figures[] = {"median", "90%", "mean"};

typedef struct CapErrors
{
	double figures[CAP_FIGURES];
} CapErrors;

static CapErrors
summary_of(double *errors, uint64_t count)
{
	CapErrors result = {{0}};
	uint64_t i;

	qsort(errors, count, sizeof(double), compare_doubles);
	result.figures[CAP_MEDIAN] = errors[count / 2];
	result.figures[CAP_NINETY] = errors[count * 9 / 10];
	for (i = 0; i < count; i++)
		result.figures[CAP_MEAN] += errors[i] / (double) count;
	return result;
}

/* The errors within a cap of that number or, where it is negative, a chosen one. */
static CapErrors
capped_errors(const CapData *data, int number, double epsilon, double share,
			  const double *factors, uint64_t trials)
{
	double *errors = malloc(trials * sizeof(double));
	double choice = share * epsilon;
	CapErrors result;
	uint64_t i;

	if (errors == NULL)
		die("no memory");
	for (i = 0; i < trials; i++)
	{
		uint32_t cap =
			number >= 0 ? (uint32_t) number
						: choose_cap(data, choice, epsilon - choice, factors);

		errors[i] = capped_error(data, cap, epsilon - choice);
	}
	result = summary_of(errors, trials);
	free(errors);
	return result;
}

/* Of the fixed caps the one of the least median. */
static CapErrors
best_errors(const CapData *data, double epsilon, uint64_t trials, uint32_t *cap)
{
	CapErrors best = {{INFINITY, 0, 0}};
	uint32_t i;

	for (i = 0; i <= dp_chosen_cap_candidates(CAP_MOST); i++)
	{
		CapErrors errors =
			capped_errors(data, (int) i, epsilon, 0, NULL, trials);

		if (errors.figures[CAP_MEDIAN] < best.figures[CAP_MEDIAN])
		{
			best = errors;
			*cap = cap_of(i);
		}
	}
	return best;
}

/* Logarithms of ratios to the errors within the best cap, added up. */
typedef struct CapRatios
{
	double sums[CAP_FIGURES][CAP_SHARES][CAP_FACTORS];
} CapRatios;

static void
add_ratios(CapRatios *ratios, int share, int factor, const CapErrors *errors,
		   const CapErrors *best)
{
	int i;

	for (i = 0; i < CAP_FIGURES; i++)
		ratios->sums[i][share][factor] +=
			log(errors->figures[i] / best->figures[i]);
}

/* One line of the table. */
static void
print_capped(const char *name, const CapData *data, double epsilon,
			 uint64_t trials, CapRatios *ratios)
{
	uint32_t greatest = dp_chosen_cap_candidates(CAP_MOST);
	CapErrors declared =
		capped_errors(data, (int) greatest, epsilon, 0, NULL, trials);
	uint32_t cap = 0;
	CapErrors best = best_errors(data, epsilon, trials, &cap);
	int i;
	int f;

	printf("%-11s %8g %8.0f %6u %8.1f", name, epsilon,
		   declared.figures[CAP_MEDIAN], cap, best.figures[CAP_MEDIAN]);
	write_csv("chosen caps", "best fixed", name, epsilon, NAN, NAN,
			  best.figures[CAP_MEDIAN], NAN);
	for (i = 0; i < CAP_SHARES; i++)
	{
		char method[32];

		for (f = CAP_FACTORS - 1; f >= 0; f--)
		{
			CapErrors errors = capped_errors(data, -1, epsilon, cap_shares[i],
											 cap_factors[f], trials);

			add_ratios(ratios, i, f, &errors, &best);
			if (f > 0)
				continue;
			snprintf(method, sizeof(method), "share %g", cap_shares[i]);
			printf(" %11.1f", errors.figures[CAP_MEDIAN]);
			write_csv("chosen caps", method, name, epsilon, NAN, NAN,
					  errors.figures[CAP_MEDIAN], NAN);
		}
	}
	puts("");
}

static void
print_thresholds(const CapRatios *ratios)
{
	int i;
	int f;
	int k;

	for (k = 0; k < CAP_FIGURES; k++)
	{
		printf("\n-- by threshold, x / (rest of epsilon) + y / (its share): "
			   "geometric means of\nratios to the error within the best fixed "
			   "cap, %s\n",
			   cap_figures[k]);
		for (f = 0; f < CAP_FACTORS; f++)
		{
			printf("x = %-4g y = %-4g", cap_factors[f][0], cap_factors[f][1]);
			for (i = 0; i < CAP_SHARES; i++)
				printf(" %11.2f",
					   exp(ratios->sums[k][i][f] / (CAP_CASES * CAP_EPSILONS)));
			puts("");
		}
	}
}

static void
print_caps(uint64_t trials)
{
	CapRatios ratios = {{{{0}}}};
	CapData units[CAP_CASES];
	int c;
	int e;
	int i;

	printf("\n-- count of the rows of %d units: median |error| within the "
		   "greatest "
		   "cap, %d, the best\nfixed one, and one that a share of epsilon "
		   "chooses; %llu answers\n",
		   CAP_UNITS, CAP_MOST, (unsigned long long) trials);
	printf("%-11s %8s %8s %6s %8s", "rows", "epsilon", "greatest", "best",
		   "error");
	for (i = 0; i < CAP_SHARES; i++)
		printf("  share %4g", cap_shares[i]);
	puts("");
	for (c = 0; c < CAP_CASES; c++)
	{
		units[c] = make_units(cap_cases[c].rows);
		for (e = 0; e < CAP_EPSILONS; e++)
			print_capped(cap_cases[c].name, &units[c], cap_epsilons[e], trials,
						 &ratios);
	}
	print_thresholds(&ratios);
}

/****************************************************************************
 * Counts of other rows each, within one epsilon
 */

/* The root mean square error of a count at an epsilon. */
static double
error_of_counts(double epsilon, uint64_t draws, double *error)
{
	DpMechanismChoice choice = {.mechanism = DP_GEOMETRIC};
	Sample squares = {0, 0, 0};
	DpNoise noise;
	uint64_t i;

	check(dp_noise_init(&noise, &choice, epsilon_of(epsilon), 1));
	for (i = 0; i < draws; i++)
	{
		dp_int128 count;

		check(dp_noise_add(source, &noise, 0, &count));
		add(&squares, (double) count * (double) count);
	}
	*error = standard_error(&squares) / (2 * sqrt(mean_of(&squares)));
	return sqrt(mean_of(&squares));
}

/* k counts within epsilon 1: charged one by one, and as the dearest of them. */
static void
print_disjoint_counts(uint64_t draws)
{
	static const int numbers[] = {2, 5, 10, 20};
	size_t i;

	printf(
		"\n-- counts of other rows each, epsilon 1 for all of them: root mean "
		"square error; %llu draws each\n",
		(unsigned long long) draws);
	printf("%-8s %13s %13s %13s\n", "counts", "one by one", "together", "+-");
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
	{
		double error;
		double apart = error_of_counts(1.0 / numbers[i], draws, &error);
		double together;

		write_csv("disjoint counts", "one by one", "rmse", numbers[i], NAN, NAN,
				  apart, error);
		together = error_of_counts(1, draws, &error);
		write_csv("disjoint counts", "together", "rmse", numbers[i], NAN, NAN,
				  together, error);
		printf("%-8d %13.4g %13.4g %13.2g\n", numbers[i], apart, together,
			   error);
	}
}

/* Half of the widths of 95% intervals, and how many contain the truth. */
typedef struct Intervals
{
	Sample widths; /* times the number of rows and epsilon, in spans */
	Sample covered;
	Sample before; /* with all draws within the width that they have at once */
} Intervals;

/* A number within 0 .. most. */
static double
cut(double x, double most)
{
	return fmin(fmax(x, 0), most);
}

/* Sums of rows * 100^2, of which B0, B1, B2 are these parts. */
static void
measure_variance(const DpVariance *variance, const double parts[3], double rows,
				 Intervals *intervals)
{
	DpLaw law = {.kind = DP_LAW_VARIANCE_POP,
				 .noise = variance->noise,
				 .steps = variance->steps};
	DpSpread spread = {(dp_int128) rint(rows * parts[1] * 5000),
					   (dp_int128) rint(rows * parts[2] * 10000),
					   (int64_t) rows};
	double mean = parts[1] / 2 + parts[2];
	double truth = parts[2] - mean * mean;
	double all = cbrt(0.95);
	double least;
	double total;
	double h;
	dp_int128 sums[3];
	dp_uint128 width;
	double low;
	double high;

	check(dp_variance_draw_sums(source, variance, &spread, sums));
	check(dp_law_width(&law, 0.95, &width));
	low = dp_law_variance_end(&law, 0.95, width, sums, false);
	high = dp_law_variance_end(&law, 0.95, width, sums, true);
	add(&intervals->widths, (high - low) * rows / 2);
	add(&intervals->covered, low <= truth + 1e-9 && high >= truth - 1e-9);
	total = (double) (sums[0] + sums[1] + sums[2]);
	mean = cut(((double) sums[1] / 2 + (double) sums[2]) / total, 1);
	least = mean * mean * (double) sums[0] -
			mean * (1 - mean) * (double) sums[1] +
			(1 - mean) * (1 - mean) * (double) sums[2];
	h = -log(1 - all) * (double) law.noise.t / (double) law.noise.s;
	low = total > h ? cut((least - h) / total, 0.25) : 0;
	high = total > h ? cut((least + h) / (total - h), 0.25) : 0.25;
	add(&intervals->before, (high - low) * rows / 2);
}

/* Of means of values in 0 .. 1000 that are spread around p. */
static void
measure_mean(const DpMean *mean, double p, double rows, Intervals *intervals)
{
	DpLaw law = {.kind = DP_LAW_RATIO, .noise = mean->noise};
	dp_int128 sums[2];
	dp_uint128 width;
	double h = -log(0.05) * (double) law.noise.t / (double) law.noise.s;
	double low;
	double high;

	check(dp_mean_draw_sums(source, mean, (dp_int128) rint(rows * p * 1000),
							(int64_t) rows, sums));
	check(dp_law_width(&law, 0.95, &width));
	low = dp_law_ratio_end(&law, 0.95, width, sums, false);
	high = dp_law_ratio_end(&law, 0.95, width, sums, true);
	add(&intervals->widths, (high - low) * rows / 2);
	add(&intervals->covered, low <= p + 1e-9 && high >= p - 1e-9);
	low = cut(((double) sums[0] - h) / (double) sums[1], 1);
	high = cut(((double) sums[0] + h) / (double) sums[1], 1);
	add(&intervals->before, sums[1] > 0 ? (high - low) * rows / 2 : rows / 2);
}

static void
print_interval(const char *name, double rows, const Intervals *intervals)
{
	printf("%-34s %6.0f %10.3g %10.3g %10.4f %10.2g\n", name, rows,
		   mean_of(&intervals->before), mean_of(&intervals->widths),
		   mean_of(&intervals->covered), standard_error(&intervals->covered));
	write_csv("intervals", name, "half width", rows, NAN,
			  mean_of(&intervals->before), mean_of(&intervals->widths),
			  standard_error(&intervals->widths));
}

/* Intervals of means and variances, epsilon 1. */
static void
print_sums_intervals(uint64_t draws)
{
	static const double rows[] = {30, 100, 1000, 100000};
	static const double means[] = {0.5, 0.1};
	static const struct
	{
		const char *name;
		double parts[3];
	} shapes[] = {{"variance, spread evenly", {1. / 3, 1. / 3, 1. / 3}},
				  {"variance, all in the middle", {0.25, 0.5, 0.25}},
				  {"variance, all at one end", {0.9801, 0.0198, 0.0001}},
				  {"variance, half at either end", {0.5, 0, 0.5}}};
	DpMechanismChoice choice = {.mechanism = DP_LAPLACE};
	DpContribution one = {DP_ADD_REMOVE, 1, 0};
	DpVariance variance;
	DpMean mean;
	DpGrid grid;
	size_t i;
	size_t j;
	uint64_t k;

	dp_grid_for_integers(0, 1000, DP_GRID_SPAN, &grid);
	check(dp_mean_init(&mean, &choice, epsilon_of(1), &grid, one));
	check(dp_variance_init(&variance, &choice, epsilon_of(1), 100, one));
	printf(
		"\n-- 95%% intervals, epsilon 1: half of the width, times the number "
		"of rows, in spans; before: (reference) with one width for all "
		"weights; %llu draws each\n",
		(unsigned long long) draws);
	printf("%-34s %6s %10s %10s %10s %10s\n", "", "rows", "before", "width",
		   "covered", "+-");
	for (j = 0; j < sizeof(rows) / sizeof(*rows); j++)
	{
		for (i = 0; i < 6; i++)
		{
			Intervals intervals = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
			char name[64];

			for (k = 0; k < draws; k++)
			{
				if (i < 2)
					measure_mean(&mean, means[i], rows[j], &intervals);
				else
					measure_variance(&variance, shapes[i - 2].parts, rows[j],
									 &intervals);
			}
			snprintf(name, sizeof(name), "mean at %g of the span",
					 i < 2 ? means[i] : 0);
			print_interval(i < 2 ? name : shapes[i - 2].name, rows[j],
						   &intervals);
		}
	}
}

/*
 * Counts that select groups by private keys and are answers, too: geometric as before,
 * and Gaussian. Thresholds, and the root mean square error of an answer.
 */
static void
print_deciding_counts(uint64_t draws)
{
	static const uint32_t groups[] = {3, 7, 8, 20, 100};
	dp_int128 delta = (dp_int128) (1e-6 * 1e24);
	size_t i;

	printf("\n-- counts that select groups and are answers, epsilon 1, delta "
		   "1e-6, by the groups of a unit: thresholds, 95%% errors and root "
		   "mean squares of %llu draws each\n",
		   (unsigned long long) draws);
	printf("%-12s %8s %10s %10s %10s %10s\n", "", "groups", "threshold", "95%",
		   "rms", "+-");
	for (i = 0; i < 2 * sizeof(groups) / sizeof(*groups); i++)
	{
		DpContribution contribution = {DP_ADD_REMOVE, 1, groups[i / 2]};
		DpMechanismChoice choice = {.mechanism = DP_GEOMETRIC};
		DpChange change = {1, 1, 1};
		DpNoise noise;
		DpError error;
		double squares = 0;
		double fourths = 0;
		int64_t threshold;
		uint64_t k;

		if (i % 2 == 1)
			choice = (DpMechanismChoice){
				.mechanism = DP_GAUSSIAN,
				.delta = dp_gaussian_threshold_noise_delta(delta)};
		check(dp_noise_init_change(&noise, &choice, epsilon_of(1), &change,
								   contribution));
		check(i % 2 == 0 ? dp_group_threshold(&noise, 1, delta, contribution,
											  &threshold)
						 : dp_gaussian_threshold_of_sigma(
							   noise.sigma, epsilon_of(1), delta, 1,
							   contribution, &threshold));
		dp_expected_error_of(&noise, 1, &error);
		for (k = 0; k < draws; k++)
		{
			dp_int128 value;

			check(dp_noise_draw(source, &noise, &value));
			squares += (double) value * (double) value;
			fourths += pow((double) value, 4);
		}
		squares /= (double) draws;
		fourths /= (double) draws;
		printf("%-12s %8u %10lld %10.0f %10.2f %10.2f\n",
			   dp_mechanism_name(noise.mechanism), groups[i / 2],
			   (long long) threshold, error.half_width_95, sqrt(squares),
			   sqrt((fourths - squares * squares) / (double) draws) / 2 /
				   sqrt(squares));
	}
}

/* Groupings that agree: each one's own 95% width, and that of what is shown. */
static void
print_agreeing_intervals(void)
{
	static const struct
	{
		const char *name;
		int64_t sizes[2];
		int tables;
		uint64_t members[4];
	} sets[] = {{"ROLLUP of 5 x 7", {5, 7}, 3, {0, 1, 3}},
				{"ROLLUP of 2 x 2", {2, 2}, 3, {0, 1, 3}},
				{"ROLLUP of 50 x 12", {50, 12}, 3, {0, 1, 3}},
				{"CUBE of 5 x 7", {5, 7}, 4, {0, 1, 2, 3}}};
	size_t i;

	printf(
		"\n-- counts of groupings that agree, epsilon 1: 95%% widths around a "
		"grouping's own noisy answer, and around what is shown\n");
	printf("%-20s %8s %12s %12s %12s\n", "", "cells", "own", "shown",
		   "1.96 sigma");
	for (i = 0; i < sizeof(sets) / sizeof(*sets); i++)
	{
		DpMarginals marginals = {.keys = 2,
								 .sizes = {sets[i].sizes[0], sets[i].sizes[1]},
								 .tables = sets[i].tables};
		DpMechanismChoice choice = {.mechanism = DP_GEOMETRIC};
		DpNoise noise[4];
		double shares[DP_MARGINALS_MAX];
		int table;

		memcpy(marginals.members, sets[i].members, sizeof(sets[i].members));
		dp_marginals_share(&marginals, 1, false, shares);
		for (table = 0; table < marginals.tables; table++)
		{
			check(dp_noise_init(&noise[table], &choice,
								epsilon_of(shares[table]), 1));
			marginals.variances[table] =
				pow(dp_noise_deviation(&noise[table]), 2);
		}
		for (table = 0; table < marginals.tables; table++)
		{
			static DpMarginalWeight weights[DP_MARGINAL_WEIGHTS_MAX];
			static DpCombined parts[DP_MARGINAL_WEIGHTS_MAX];
			int count = dp_marginals_weights(&marginals, table, weights);
			DpLaw law = {.kind = DP_LAW_NOISE, .noise = noise[table]};
			dp_uint128 own;
			double shown;
			int part;

			for (part = 0; part < count; part++)
				parts[part] =
					(DpCombined){&noise[weights[part].table],
								 weights[part].weight, weights[part].cells};
			check(dp_law_width(&law, 0.95, &own));
			check(dp_combination_width(parts, count, 0.05, &shown));
			printf("%-20s %8.0f %12.0f %12.1f %12.1f\n", sets[i].name,
				   dp_marginals_cells(&marginals, table), (double) own, shown,
				   1.96 * sqrt(dp_marginals_variance(&marginals, table)));
		}
	}
}

int
main(int argc, char **argv)
{
	long long draws = argc > 2 ? atoll(argv[1]) : 0;
	long long trials = argc > 2 ? atoll(argv[2]) : 0;

	if (argc > 4 || draws < 1 || trials < 1)
		die("usage: accuracy DRAWS TRIALS [CSV]");
	source = dp_random_system();
	if (source == NULL)
		die("no random source");
	srand48(1);
	if (argc == 4)
	{
		csv = fopen(argv[3], "w");
		if (csv == NULL)
			die("could not write the CSV file");
		fputs("table,method,quantity,epsilon,published,closed_form,measured,"
			  "standard_error\n",
			  csv);
	}
	print_moments((uint64_t) draws);
	print_medians((uint64_t) trials);
	print_means((uint64_t) draws);
	print_maxima((uint64_t) trials);
	print_chosen((uint64_t) trials);
	print_caps((uint64_t) trials);
	print_disjoint_counts((uint64_t) draws);
	print_sums_intervals((uint64_t) trials);
	print_deciding_counts((uint64_t) draws);
	print_agreeing_intervals();
	if (csv != NULL && fclose(csv) != 0)
		die("could not write the CSV file");
	return 0;
}
