/*
 * staircase_attack.c
 *		Posteriors of a location under staircase noise, simulated.
 *
 * With D = 1 and s(x) the number of steps down from 0 to x, of which one is at
 * each of |x| = gamma, gamma + 1, gamma + 2, ..., the density is in proportion
 * to exp(-epsilon s(x)). The posterior of the truth t, given the answers y, is
 * in proportion to exp(-epsilon S(t)), S(t) = sum of s(y - t): constant between
 * the points y - gamma - j, at which t comes nearer to y and S falls by one,
 * and y + gamma + j, at which it rises.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "mechanisms/staircase_shape.h"
#include "planning/median_error.h"
#include "planning/staircase_attack.h"

#define FINE_STEPS 1099511627776.0 /* 2^40, the grid's */

/* Roughly how many answers and points one call processes. */
#define WORK 1.5e7
#define TRIALS_MAX 40000
#define TRIALS_MIN 300

/* The most colluders that are simulated; for more, scaling laws are used. */
#define SIMULATED 1000

/* Above this product k epsilon^2 the error falls as 1/k. */
#define SHARP 90.0

/*
 * The standard deviation of a median, in sensitivities, above which the steps
 * hardly matter; and the number of colluders from which the median is as good
 * as any attack.
 */
#define BLURRED 2.0
#define VERY_BLURRED 5.0
#define MANY 50

double
dp_staircase_gamma(const DpMechanismChoice *choice, double epsilon)
{
	if (choice->gamma > 0)
		return choice->gamma;
	if (choice->cost == DP_COST_ABSOLUTE)
		return 1 / (1 + exp(epsilon / 2));
	return dp_staircase_best_step(FINE_STEPS, epsilon, choice->cost) /
		   FINE_STEPS;
}

/* Pseudo-random numbers for a simulation, not for noise: splitmix64. */
static uint64_t
next_word(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
	return z ^ (z >> 31);
}

/* In (0, 1]. */
static double
next_uniform(uint64_t *state)
{
	return (double) ((next_word(state) >> 11) + 1) / 9007199254740992.0;
}

/* first: the probability of a distance below gamma */
static double
next_answer(uint64_t *state, double epsilon, double gamma, double first)
{
	double sign = next_word(state) >> 63 ? 1 : -1;

	if (next_uniform(state) <= first)
		return sign * gamma * next_uniform(state);
	return sign * (gamma + floor(-log(next_uniform(state)) / epsilon) +
				   next_uniform(state));
}

/* Where S changes, and by how much: 1 or -1. */
typedef struct Point
{
	double at;
	double change;
} Point;

static int
compare_points(const void *one, const void *two)
{
	double a = ((const Point *) one)->at;
	double b = ((const Point *) two)->at;

	return (a > b) - (a < b);
}

/*
 * The points of one answer in (-window, window): at most two for each unit of
 * length, and one more.
 */
static size_t
add_points(Point *points, double y, double gamma, double window)
{
	size_t count = 0;
	double at;

	/* S falls as t approaches from the left, and rises beyond */
	for (at = y - gamma - fmax(0, ceil(y - gamma - window)); at > -window; at--)
	{
		if (at < window)
			points[count++] = (Point){at, -1};
	}
	for (at = y + gamma + fmax(0, ceil(-window - y - gamma)); at < window; at++)
	{
		if (at > -window)
			points[count++] = (Point){at, 1};
	}
	return count;
}

/*
 * The weight where S is so far above its least value; 0 where it is negligible.
 */
static double
density(double epsilon, double above)
{
	return epsilon * above > 42 ? 0 : exp(-epsilon * above);
}

/* The median of the density exp(-epsilon S) over (-window, window). */
static double
posterior_median(Point *points, size_t count, double epsilon, double window)
{
	double least = 0;
	double height = 0;
	double total = 0;
	double below = 0;
	double from = -window;
	size_t i;

	qsort(points, count, sizeof(Point), compare_points);
	points[count] = (Point){window, 0};
	for (i = 0; i < count; i++)
	{
		height += points[i].change;
		least = fmin(least, height);
	}
	height = 0;
	for (i = 0; i <= count; i++)
	{
		total += density(epsilon, height - least) * (points[i].at - from);
		from = points[i].at;
		height += points[i].change;
	}
	height = 0;
	from = -window;
	for (i = 0; i < count; i++)
	{
		double here = density(epsilon, height - least);
		double mass = here * (points[i].at - from);

		if (below + mass >= total / 2)
			return from + (total / 2 - below) / here;
		below += mass;
		from = points[i].at;
		height += points[i].change;
	}
	return from + (total / 2 - below) / density(epsilon, height - least);
}

static DpStatus
simulate(double epsilon, double gamma, int k, double *error)
{
	/* as far as the posterior extends, which is far for few answers */
	double deviation = dp_staircase_median_deviation(epsilon, gamma) / sqrt(k);
	double window = deviation * (4 + 24 / sqrt(k));
	double width = 4 * window + 4; /* points of one answer, at most */
	double b = exp(-epsilon);
	double first = gamma * (1 - b) / (gamma * (1 - b) + b);
	int trials =
		(int) fmin(fmax(WORK / (k * (1 + 4 * window)), TRIALS_MIN), TRIALS_MAX);
	Point *points = malloc(((size_t) (k * width) + 1) * sizeof(Point));
	uint64_t state = 20160520;
	double sum = 0;
	int trial;

	if (points == NULL)
		return DP_OUT_OF_MEMORY;
	for (trial = 0; trial < trials; trial++)
	{
		size_t count = 0;
		int i;

		for (i = 0; i < k; i++)
			count += add_points(points + count,
								next_answer(&state, epsilon, gamma, first),
								gamma, window);
		sum += fabs(posterior_median(points, count, epsilon, window));
	}
	free(points);
	*error = sum / trials;
	return DP_OK;
}

/*
 * The scaling laws, for k colluders and x = k epsilon^2. The error depends on x
 * alone while epsilon is small and k large; it is that of Laplace noise, in
 * proportion to 1/epsilon, while x is small; and in proportion to 1/k once x is
 * large.
 */
DpStatus
dp_staircase_attack(const DpMechanismChoice *choice, double epsilon,
					int colluders, double *error)
{
	double k = colluders;
	double x = k * epsilon * epsilon;
	double deviation = 1 / (epsilon * sqrt(k)); /* of Laplace noise */
	double factor = 1;

	if (colluders == 1)
	{
		double first_step =
			fmax(rint(dp_staircase_gamma(choice, epsilon) * FINE_STEPS), 1);

		*error = dp_staircase_mean_absolute(FINE_STEPS, first_step, epsilon) /
				 FINE_STEPS;
		return DP_OK;
	}
	if (deviation > BLURRED && colluders >= MANY)
	{
		*error = dp_laplace_median_error(epsilon, colluders);
		return DP_OK;
	}
	if (deviation > VERY_BLURRED)
	{
		factor = deviation / VERY_BLURRED;
		epsilon *= factor;
	}
	else if (colluders > SIMULATED)
	{
		double greatest = sqrt(SHARP / SIMULATED);

		if (epsilon >= greatest)
			factor = SIMULATED / k;
		else if (x >= SHARP)
		{
			factor = SHARP / x;
			epsilon = greatest;
		}
		else
			epsilon = sqrt(x / SIMULATED);
		colluders = SIMULATED;
	}
	epsilon = fmin(epsilon, 700);
	DP_TRY(simulate(epsilon, dp_staircase_gamma(choice, epsilon), colluders,
					error));
	*error *= factor;
	return DP_OK;
}
