/*
 * laws.c
 *		Errors that follow from the laws of noise: no data are needed.
 *
 *	laws DRAWS [CSV]
 *
 * Answers that are derived from stored ones, groups that private keys select, groups
 * of several people alone, and maxima whose price is counted in rho. All figures are
 * added up from the laws, but for what says that it is measured: that comes from
 * draws of the shipped samplers, with its standard error. With CSV lines are added to
 * that file, in the form of accuracy.c.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mechanisms/confidence.h"
#include "mechanisms/expected_error.h"
#include "mechanisms/extreme.h"
#include "mechanisms/group_people.h"
#include "mechanisms/group_threshold.h"
#include "mechanisms/truncated_count.h"
#include "mechanisms/zcdp.h"

#include "program.h"

/* People and towns, by Zipf's law. */
#define PEOPLE 1000000
#define TOWNS 10000

/* The delta of thresholds, as double and in 10^-24. */
#define DELTA 1e-6
#define DELTA_TICKS ((dp_int128) 1000000000 * 1000000000)

/* The values of a maximum, and their bounds. */
#define VALUES 1000
#define LOWER (-10.0)
#define UPPER 10.0

static DpRandom *source;
static FILE *csv;

static int
compare_downwards(const void *a, const void *b)
{
	double left = *(const double *) a;
	double right = *(const double *) b;

	return (left < right) - (left > right);
}

static void
write_csv(const char *table, const char *method, const char *quantity,
		  double epsilon, double closed)
{
	if (csv != NULL)
		fprintf(csv, "%s,\"%s\",%s,%g,,%.9g,,\n", table, method, quantity,
				epsilon, closed);
}

/* Geometric noise of counts of people who are in one group. */
static DpNoise
noise_of_counts(double epsilon)
{
	DpMechanismChoice choice = {.mechanism = DP_GEOMETRIC};
	DpNoise noise;

	check(dp_noise_init_groups(&noise, &choice, epsilon_of(epsilon), 1,
							   (DpContribution){DP_ADD_REMOVE, 1, 1}));
	return noise;
}

/****************************************************************************
 * Derived answers
 */

/* A count of so many groups that are added up. */
static DpLaw
law_of_count(double epsilon, int groups)
{
	return (DpLaw){.kind = DP_LAW_NOISE,
				   .noise = noise_of_counts(epsilon),
				   .levels = (uint64_t) groups - 1};
}

static double
width_of(const DpLaw *law, double level)
{
	dp_uint128 width;

	check(dp_law_width(law, level, &width));
	return (double) width;
}

/* Whether a question is answered by them: it errs no more, at both levels. */
static bool
is_derived(const DpLaw *stored, double epsilon)
{
	DpLaw own = law_of_count(epsilon, 1);

	return width_of(stored, 0.95) <= width_of(&own, 0.95) &&
		   width_of(stored, DP_LEVEL_MAX) <= width_of(&own, DP_LEVEL_MAX);
}

/*
 * Counts of groups, stored at epsilon 1, that are added up, against asking anew. The
 * last column is the greatest epsilon, in hundredths, of a question that is answered
 * from them.
 */
static void
print_derived(void)
{
	static const int groups[] = {1, 2, 4, 8, 16, 32};
	DpNoise one = noise_of_counts(1);
	double deviation = dp_noise_deviation(&one);
	size_t i;

	printf(
		"\n-- a count derived from stored counts of groups at epsilon 1: root "
		"mean square and 95%% width; the same asked anew at epsilon 1; up to "
		"which epsilon a question is answered in this way, free\n");
	printf("%-8s %8s %8s %12s %8s %10s\n", "groups", "rms", "95%", "anew: rms",
		   "95%", "free up to");
	for (i = 0; i < sizeof(groups) / sizeof(*groups); i++)
	{
		DpLaw stored = law_of_count(1, groups[i]);
		DpLaw anew = law_of_count(1, 1);
		int hundredths = 100;
		double rms = sqrt(groups[i]) * deviation;

		while (hundredths > 1 && !is_derived(&stored, hundredths / 100.0))
			hundredths--;
		printf("%-8d %8.2f %8.0f %12.2f %8.0f %10.2f\n", groups[i], rms,
			   width_of(&stored, 0.95), deviation, width_of(&anew, 0.95),
			   hundredths / 100.0);
		write_csv("derived", "sum of stored counts", "rms", groups[i], rms);
		write_csv("derived", "sum of stored counts", "free up to", groups[i],
				  hundredths / 100.0);
	}
}

/****************************************************************************
 * Groups by private keys
 */

/* P(n + X >= t), where X ends at k, or nowhere if that is 0. */
static double
chance_shown(double epsilon, double n, double t, double k)
{
	double a = exp(-epsilon);
	double beyond = k > 0 ? pow(a, k + 1) / (1 + a) : 0;
	double x = t - n;
	double tail = x > 0 ? pow(a, x) / (1 + a) : 1 - pow(a, 1 - x) / (1 + a);

	if (k > 0 && x > k)
		return 0;
	if (k > 0 && x <= -k)
		return 1;
	return (tail - beyond) / (1 - 2 * beyond);
}

/* The people of each town, the greatest first. */
static void
make_towns(double *towns)
{
	double all = 0;
	int i;

	for (i = 1; i <= TOWNS; i++)
		all += 1.0 / i;
	for (i = 1; i <= TOWNS; i++)
		towns[i - 1] = rint(PEOPLE / all / i);
}

static void
thresholds_of(double epsilon, DpNoise *noise, int64_t *endless, int64_t *ending)
{
	DpContribution contribution = {DP_ADD_REMOVE, 1, 1};

	*noise = noise_of_counts(epsilon);
	check(dp_group_threshold(noise, 1, DELTA_TICKS, contribution, endless));
	check(
		dp_truncated_count_threshold(noise, DELTA_TICKS, contribution, ending));
}

/* The mean number of towns that so many draws show, and its standard error. */
static double
measure_shown(const double *towns, const DpNoise *noise, int64_t t, int64_t k,
			  uint64_t draws, double *error)
{
	double sum = 0;
	double squares = 0;
	double mean;
	uint64_t draw;
	int i;

	for (draw = 0; draw < draws; draw++)
	{
		int shown = 0;

		for (i = 0; i < TOWNS; i++)
		{
			dp_int128 truth = (dp_int128) towns[i];
			dp_int128 count;

			check(k > 0
					  ? dp_truncated_count_add(source, noise, k, truth, &count)
					  : dp_noise_add(source, noise, truth, &count));
			shown += count >= t;
		}
		sum += shown;
		squares += (double) shown * shown;
	}
	mean = sum / (double) draws;
	*error =
		sqrt(fmax(squares / (double) draws - mean * mean, 0) / (double) draws);
	return mean;
}

/* Selection alone, where nobody sees the count: noise that ends, and that does not. */
static void
print_selection(uint64_t draws)
{
	static const double epsilons[] = {0.01, 0.1, 0.5, 1};
	static double towns[TOWNS];
	size_t i;
	int ends;

	make_towns(towns);
	printf(
		"\n-- towns shown of %d, where %d people live by Zipf's law, each in "
		"one; delta %g; measured: %llu draws\n",
		TOWNS, PEOPLE, DELTA, (unsigned long long) draws);
	printf("%-8s %-16s %10s %12s %10s %10s\n", "epsilon", "noise", "threshold",
		   "closed form", "measured", "+-");
	for (i = 0; i < sizeof(epsilons) / sizeof(*epsilons); i++)
	{
		DpNoise noise;
		int64_t t[2];

		thresholds_of(epsilons[i], &noise, &t[0], &t[1]);
		for (ends = 0; ends < 2; ends++)
		{
			const char *name = ends ? "that ends" : "without an end";
			int64_t k = ends ? t[1] - 1 : 0;
			double closed = 0;
			double error;
			double measured =
				measure_shown(towns, &noise, t[ends], k, draws, &error);
			int town;

			for (town = 0; town < TOWNS; town++)
				closed += chance_shown(epsilons[i], towns[town],
									   (double) t[ends], (double) k);
			printf("%-8g %-16s %10lld %12.1f %10.1f %10.2g\n", epsilons[i],
				   name, (long long) t[ends], closed, measured, error);
			write_csv("selection", name, "threshold", epsilons[i],
					  (double) t[ends]);
			write_csv("selection", name, "towns shown", epsilons[i], closed);
		}
	}
}

/* Groups of a least number of people: how likely some are shown. */
static void
print_least_people(void)
{
	static const uint32_t people[] = {1, 10, 20, 50, 100};
	static const double epsilons[] = {0.1, 1};
	size_t e;
	size_t i;

	printf("\n-- min_people_per_group => k: the threshold, and the parts of "
		   "groups "
		   "of k, 2k and 3k people that are shown; delta %g\n",
		   DELTA);
	printf("%-8s %8s %10s %10s %10s %10s\n", "epsilon", "k", "threshold", "k",
		   "2k", "3k");
	for (e = 0; e < sizeof(epsilons) / sizeof(*epsilons); e++)
	{
		DpNoise noise;
		int64_t endless;
		int64_t ending;

		thresholds_of(epsilons[e], &noise, &endless, &ending);
		for (i = 0; i < sizeof(people) / sizeof(*people); i++)
		{
			int64_t t = dp_group_people_threshold(ending, 1, people[i]);
			double shown[3];
			int times;

			for (times = 1; times <= 3; times++)
				shown[times - 1] =
					chance_shown(epsilons[e], times * (double) people[i],
								 (double) t, (double) (ending - 1));
			printf("%-8g %8u %10lld %10.2g %10.3g %10.3g\n", epsilons[e],
				   people[i], (long long) t, shown[0], shown[1], shown[2]);
			write_csv("least people", "2k people", "part shown", epsilons[e],
					  shown[1]);
		}
	}
}

/****************************************************************************
 * Maxima in rho
 */

/* Which price of a maximum is asked for: that of any pure mechanism, or its own. */
typedef DpStatus (*Price)(DpEpsilon epsilon, uint64_t parts, DpRho *rho);

/* The greatest epsilon of which the price is at most rho. */
static double
epsilon_for(Price price, double rho)
{
	double low = 0;
	double high = 20;

	while (high - low > 1e-6)
	{
		double middle = (low + high) / 2;
		DpRho cost;

		check(price(epsilon_of(middle), 1, &cost));
		if ((double) cost.ticks / 1e24 <= rho)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Standard normal values within the bounds, the greatest first. */
static void
make_values(double *values)
{
	int i;

	for (i = 0; i < VALUES; i++)
	{
		double radius = sqrt(-2 * log(1 - drand48()));

		values[i] = fmin(
			fmax(radius * cos(6.283185307179586 * drand48()), LOWER), UPPER);
	}
	qsort(values, VALUES, sizeof(double), compare_downwards);
}

/* The mean distance of a maximum to the greatest value, a data set each time. */
static double
measure_maximum(DpExtreme *extreme, const DpGrid *grid, uint64_t draws,
				double *error)
{
	double sum = 0;
	double squares = 0;
	double mean;
	uint64_t draw;

	for (draw = 0; draw < draws; draw++)
	{
		double values[VALUES];
		int64_t points[VALUES];
		int64_t answer;
		double off;
		int i;

		make_values(values);
		for (i = 0; i < VALUES; i++)
			points[i] = dp_grid_from_double(grid, values[i]);
		check(dp_extreme_draw(source, extreme, points,
							  extreme->limit < VALUES ? extreme->limit : VALUES,
							  grid->lower, grid->upper, &answer));
		off = fabs(dp_grid_to_double(grid, (double) answer) - values[0]);
		sum += off;
		squares += off * off;
	}
	mean = sum / (double) draws;
	*error = sqrt((squares / (double) draws - mean * mean) / (double) draws);
	return mean;
}

/*
 * dp_max in a budget of rho: the epsilon that it is drawn at, how many values may lie
 * above the answer, and how far that is from the greatest one, where it costs what any
 * pure mechanism does (before), and what above_threshold.h proves.
 */
static void
print_maxima(uint64_t draws)
{
	static const double rhos[] = {0.005, 0.05, 0.5, 1};
	static const struct
	{
		const char *name;
		Price price;
	} prices[] = {{"any pure", dp_zcdp_of_pure},
				  {"one-sided", dp_zcdp_of_one_sided}};
	DpMechanismChoice choice = {.mechanism = DP_ABOVE_THRESHOLD};
	DpGrid grid;
	size_t i;

	check(dp_grid_for_doubles(LOWER, UPPER, DP_GRID_SPAN, &grid));
	printf(
		"\n-- maximum of %d standard normal values in [%g, %g] by "
		"above_threshold, by its price in rho: values above the answer but for "
		"5%% at most, and mean |error| of %llu data sets\n",
		VALUES, LOWER, UPPER, (unsigned long long) draws);
	printf("%-8s %-12s %10s %10s %10s %10s\n", "rho", "price of", "epsilon",
		   "ranks", "error", "+-");
	for (i = 0; i < 2 * sizeof(rhos) / sizeof(*rhos); i++)
	{
		double rho = rhos[i / 2];
		double epsilon = epsilon_for(prices[i % 2].price, rho);
		double points = (double) (grid.upper - grid.lower) + 1;
		DpExtreme extreme;
		double error;
		double measured;

		check(dp_extreme_init(&extreme, &choice, epsilon_of(epsilon), &grid,
							  dp_contribution_of_row(DP_ADD_REMOVE)));
		measured = measure_maximum(&extreme, &grid, draws, &error);
		printf("%-8g %-12s %10.3f %10.0f %10.3f %10.2g\n", rho,
			   prices[i % 2].name, epsilon,
			   dp_extreme_rank_error(&extreme, points, 0.05), measured, error);
		write_csv("maximum in rho", prices[i % 2].name, "epsilon", rho,
				  epsilon);
	}
}

int
main(int argc, char **argv)
{
	long long draws = argc > 1 ? atoll(argv[1]) : 0;

	if (argc > 3 || draws < 1)
		die("usage: laws DRAWS [CSV]");
	source = dp_random_system();
	if (source == NULL)
		die("no random source");
	srand48(1);
	if (argc == 3)
	{
		csv = fopen(argv[2], "a");
		if (csv == NULL)
			die("could not write the CSV file");
	}
	print_derived();
	print_selection((uint64_t) (draws + 9) / 10);
	print_least_people();
	print_maxima((uint64_t) draws);
	if (csv != NULL && fclose(csv) != 0)
		die("could not write the CSV file");
	return 0;
}
