/*
 * figure.c
 *		Measuring until it is precise enough, and tables as CSV.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "figure.h"

DpRandom *figure_random;

static const char *directory;
static FILE *table;

static void
die(const char *what)
{
	fprintf(stderr, "figures: %s\n", what);
	exit(1);
}

void
sample_add(Sample *sample, double value)
{
	sample->count++;
	sample->sum += value;
	sample->squares += value * value;
}

double
sample_mean(const Sample *sample)
{
	return sample->sum / sample->count;
}

double
sample_error(const Sample *sample)
{
	double mean = sample_mean(sample);
	double variance = sample->squares / sample->count - mean * mean;

	return sqrt(fmax(variance, 0) / sample->count);
}

void
sample_measure(Sample *sample, SampleDraw draw, void *context, uint64_t limit)
{
	const uint64_t batch = 10000;
	uint64_t i;

	while (sample->count + (double) batch <= (double) limit)
	{
		for (i = 0; i < batch; i++)
			sample_add(sample, draw(context));

		/* Rare errors: enough of them must have come to judge their spread. */
		if (sample->sum > 0 &&
			sample_error(sample) <= FIGURE_PRECISION * sample_mean(sample))
			return;
	}
}

void
figure_start(int argc, char **argv)
{
	if (argc != 2)
		die("usage: PROGRAM DIRECTORY");
	directory = argv[1];
	figure_random = dp_random_system();
	if (figure_random == NULL)
		die("no random source");
	srand48(1);
}

void
figure_check(DpStatus status)
{
	if (status != DP_OK)
		die(dp_status_message(status));
}

DpEpsilon
figure_epsilon(double value)
{
	DpEpsilon epsilon;

	figure_check(dp_epsilon_from_double(value, &epsilon));
	return epsilon;
}

DpNoise
figure_noise(DpMechanismChoice choice, double epsilon, uint64_t sensitivity)
{
	DpNoise noise;

	figure_check(
		dp_noise_init(&noise, &choice, figure_epsilon(epsilon), sensitivity));
	return noise;
}

double
figure_draw(const DpNoise *noise)
{
	dp_int128 value;

	figure_check(dp_noise_draw(figure_random, noise, &value));
	return (double) value;
}

void
figure_open_columns(const char *name, const char *columns)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.csv", directory, name);
	table = fopen(path, "w");
	if (table == NULL)
		die("could not write a table");
	fprintf(table, "method,%s\n", columns);
}

void
figure_open(const char *name, const char *x)
{
	char columns[100];

	snprintf(columns, sizeof(columns),
			 "%s,theory,published,measured,standard_error", x);
	figure_open_columns(name, columns);
}

void
figure_close(void)
{
	if (fclose(table) != 0)
		die("could not write a table");
}

void
figure_numbers(const char *method, const double *numbers, size_t count)
{
	size_t i;

	fprintf(table, "\"%s\"", method);
	for (i = 0; i < count; i++)
	{
		if (isnan(numbers[i]))
			fputs(",", table);
		else
			fprintf(table, ",%.6g", numbers[i]);
	}
	fputs("\n", table);
}

void
figure_row(const char *method, double x, double theory, double published,
		   const Sample *measured)
{
	double numbers[] = {x, theory, published,
						measured != NULL ? sample_mean(measured) : NAN,
						measured != NULL ? sample_error(measured) : NAN};

	figure_numbers(method, numbers, 5);
}

double
figure_normal(void)
{
	double radius = sqrt(-2 * log(1 - drand48()));

	return radius * cos(6.283185307179586 * drand48());
}

int
figure_compare(const void *a, const void *b)
{
	double left = *(const double *) a;
	double right = *(const double *) b;

	return (left > right) - (left < right);
}
