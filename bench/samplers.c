/*
 * samplers.c
 *		Nanoseconds per draw: exact samplers against naive ones.
 *
 *	samplers REPEATS
 *
 * The naive samplers are what one would write with drand48 and log: a few
 * operations in doubles, whose distribution is only nearly the one wanted and
 * whose seed has 48 bits. They are here for their speed and nothing else.
 *
 * Both sides are timed in turns, after a warm-up, each turn lasting for about
 * TURN seconds; the figures are medians over the turns.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mechanisms/noise.h"
#include "mechanisms/quantile.h"
#include "samplers/discrete_gaussian.h"
#include "samplers/geometric.h"
#include "samplers/rank_exponential.h"
#include "samplers/staircase.h"

#include "program.h"

#define TURN 0.1
#define REPEATS_MAX 1000

/* The grid of a continuous value: 2^40 steps. */
#define SPAN ((uint64_t) 1 << 40)

/* Enough to touch what is drawn, so that no draw is optimised away. */
static volatile double sink;

static DpRandom *source;

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

/* Uniform in (0, 1]. */
static double
uniform(void)
{
	return 1 - drand48();
}

/* What is drawn from; each side reads what it needs. */
typedef struct Task
{
	double epsilon;
	uint64_t sensitivity;
	uint64_t s; /* discrete Laplace */
	uint64_t t;
	DpStaircase staircase;
	double gamma;
	uint64_t sigma;
	DpQuantile median;
	const int64_t *data; /* in no order */
	int64_t *values;	 /* a copy, for the sampler to reorder */
	size_t count;
	int64_t lower;
	int64_t upper;
	double *weights; /* count + 1 places */
} Task;

/* One draw, of which something is returned. */
typedef double (*Draw)(Task *task);

static double
draw_word(Task *task)
{
	uint64_t word;

	(void) task;
	check(dp_random_word(source, &word));
	return (double) word;
}

static double
naive_word(Task *task)
{
	(void) task;
	return drand48();
}

static double
draw_laplace(Task *task)
{
	dp_int128 value;

	check(dp_discrete_laplace_draw(source, task->s, task->t, &value));
	return (double) value;
}

/* The difference of two geometric numbers, each by inversion. */
static double
naive_laplace(Task *task)
{
	double scale = (double) task->t / (double) task->s;

	return floor(-log(uniform()) * scale) - floor(-log(uniform()) * scale);
}

static double
draw_staircase(Task *task)
{
	dp_int128 value;

	check(dp_staircase_draw(source, &task->staircase, &value));
	return (double) value;
}

/* Geng and Viswanath, algorithm 1. */
static double
naive_staircase(Task *task)
{
	double b = exp(-task->epsilon);
	double gamma = task->gamma;
	double sign = drand48() < 0.5 ? -1 : 1;
	double steps = floor(-log(uniform()) / task->epsilon);
	double u = drand48();
	double first = gamma / (gamma + (1 - gamma) * b);

	if (drand48() < first)
		return sign * (steps + gamma * u) * (double) task->sensitivity;
	return sign * (steps + gamma + (1 - gamma) * u) *
		   (double) task->sensitivity;
}

static double
draw_gaussian(Task *task)
{
	dp_int128 value;

	check(dp_discrete_gaussian_draw(source, (DpSigma){task->sigma, 1}, &value));
	return (double) value;
}

/* Box and Muller, rounded. */
static double
naive_gaussian(Task *task)
{
	double radius = sqrt(-2 * log(uniform()));

	return rint((double) task->sigma * radius *
				cos(6.283185307179586 * drand48()));
}

/* A private median of the data, from a copy in no order. */
static double
draw_median(Task *task)
{
	int64_t value;

	memcpy(task->values, task->data, task->count * sizeof(int64_t));
	check(dp_quantile_draw(source, &task->median, task->values, task->count,
						   task->lower, task->upper, &value));
	return (double) value;
}

static int
compare_values(const void *a, const void *b)
{
	int64_t left = *(const int64_t *) a;
	int64_t right = *(const int64_t *) b;

	return (left > right) - (left < right);
}

/* Sorts all data, and weighs all gaps in doubles. */
static double
naive_median(Task *task)
{
	size_t n = task->count;
	double total = 0;
	double rest;
	size_t i;

	memcpy(task->values, task->data, n * sizeof(int64_t));
	qsort(task->values, n, sizeof(int64_t), compare_values);
	for (i = 0; i <= n; i++)
	{
		int64_t from = i == 0 ? task->lower : task->values[i - 1];
		int64_t to = i == n ? task->upper : task->values[i];
		double k = fabs((double) i - (double) (n - i));

		task->weights[i] = (double) (to - from) * exp(-task->epsilon * k / 2);
		total += task->weights[i];
	}
	rest = total * drand48();
	for (i = 0; i < n && rest >= task->weights[i]; i++)
		rest -= task->weights[i];
	return (double) (i == 0 ? task->lower : task->values[i - 1]);
}

/* Draws until TURN seconds are over; nanoseconds per draw. */
static double
turn(Draw draw, Task *task)
{
	double start = now();
	double end;
	uint64_t draws = 0;
	uint64_t batch = 1;
	double sum = 0;

	do
	{
		uint64_t i;

		for (i = 0; i < batch; i++)
			sum += draw(task);
		draws += batch;
		if (batch < 1024)
			batch *= 2;
		end = now();
	} while (end - start < TURN);
	sink = sum;
	return (end - start) * 1e9 / (double) draws;
}

static int
compare_doubles(const void *a, const void *b)
{
	double left = *(const double *) a;
	double right = *(const double *) b;

	return (left > right) - (left < right);
}

static double
median_of(double *times, int count)
{
	qsort(times, (size_t) count, sizeof(double), compare_doubles);
	return (times[(count - 1) / 2] + times[count / 2]) / 2;
}

static void
compare(const char *name, Draw exact, Draw naive, Task *task, int repeats)
{
	double exact_times[REPEATS_MAX];
	double naive_times[REPEATS_MAX];
	double ratios[REPEATS_MAX];
	double exact_ns;
	int i;

	turn(exact, task);
	turn(naive, task);
	for (i = 0; i < repeats; i++)
	{
		exact_times[i] = turn(exact, task);
		naive_times[i] = turn(naive, task);
		ratios[i] = exact_times[i] / naive_times[i];
	}
	exact_ns = median_of(exact_times, repeats);
	printf("%-44s %12.1f %12.1f %7.2f %12.0f\n", name, exact_ns,
		   median_of(naive_times, repeats), median_of(ratios, repeats),
		   1e9 / exact_ns);
	fflush(stdout);
}

static void
compare_noise(double epsilon, uint64_t sensitivity, int repeats)
{
	const char *kind = sensitivity == 1 ? "count" : "2^40 steps";
	DpMechanismChoice laplace = {.mechanism = DP_LAPLACE};
	DpMechanismChoice staircase = {.mechanism = DP_STAIRCASE};
	DpNoise noise;
	Task task = {.epsilon = epsilon, .sensitivity = sensitivity};
	char name[80];

	check(dp_noise_init(&noise, &laplace, epsilon_of(epsilon), sensitivity));
	task.s = noise.s;
	task.t = noise.t;
	snprintf(name, sizeof(name), "discrete Laplace, %s, epsilon %g", kind,
			 epsilon);
	compare(name, draw_laplace, naive_laplace, &task, repeats);
	if (sensitivity == 1)
		return;

	check(dp_noise_init(&noise, &staircase, epsilon_of(epsilon), sensitivity));
	task.staircase = noise.staircase;
	task.gamma =
		(double) noise.staircase.first_step / (double) noise.sensitivity;
	snprintf(name, sizeof(name), "staircase, %s, epsilon %g", kind, epsilon);
	compare(name, draw_staircase, naive_staircase, &task, repeats);
}

static void
compare_medians(size_t count, double epsilon, int repeats)
{
	Task task = {.epsilon = epsilon, .count = count, .upper = (int64_t) SPAN};
	int64_t *data = malloc(count * sizeof(int64_t));
	char name[80];
	size_t i;

	task.values = malloc(count * sizeof(int64_t));
	task.weights = malloc((count + 1) * sizeof(double));
	if (data == NULL || task.values == NULL || task.weights == NULL)
		die("out of memory");
	for (i = 0; i < count; i++)
		data[i] = (int64_t) (drand48() * (double) SPAN);
	task.data = data;
	check(dp_quantile_init(&task.median, 0.5, epsilon_of(epsilon),
						   dp_contribution_of_row(DP_ADD_REMOVE)));
	snprintf(name, sizeof(name), "median of %zu values, epsilon %g", count,
			 epsilon);
	compare(name, draw_median, naive_median, &task, repeats);
	free(data);
	free(task.values);
	free(task.weights);
}

int
main(int argc, char **argv)
{
	static const double epsilons[] = {0.1, 0.5, 1, 2, 5, 10};
	static const uint64_t sigmas[] = {1, 10, 1000, SPAN};
	int repeats = argc == 2 ? atoi(argv[1]) : 0;
	size_t i;

	if (repeats < 1 || repeats > REPEATS_MAX)
		die("usage: samplers REPEATS (1 .. 1000)");
	source = dp_random_system();
	if (source == NULL)
		die("no random source");
	srand48(1);

	printf("%d turns of %g s for each side after a warm-up, medians\n\n",
		   repeats, TURN);
	printf("%-44s %12s %12s %7s %12s\n", "", "exact ns", "naive ns", "ratio",
		   "exact/s");
	compare("one random word (drand48)", draw_word, naive_word, &(Task){0},
			repeats);
	for (i = 0; i < sizeof(epsilons) / sizeof(*epsilons); i++)
		compare_noise(epsilons[i], 1, repeats);
	for (i = 0; i < sizeof(epsilons) / sizeof(*epsilons); i++)
		compare_noise(epsilons[i], SPAN, repeats);
	for (i = 0; i < sizeof(sigmas) / sizeof(*sigmas); i++)
	{
		Task task = {.sigma = sigmas[i]};
		char name[80];

		snprintf(name, sizeof(name), "discrete Gaussian, sigma %llu",
				 (unsigned long long) sigmas[i]);
		compare(name, draw_gaussian, naive_gaussian, &task, repeats);
	}
	for (i = 1; i < 4; i++)
		compare_medians(1000, epsilons[i], repeats);
	compare_medians(1000000, 1, repeats);
	puts("\nMedians start from values in no order: ours selects what matters "
		 "around the\ntarget, the naive one sorts everything.");
	return 0;
}
