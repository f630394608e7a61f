/*
 * figure.h
 *		What the programs that measure for the figures share.
 *
 * Each program writes its tables as CSV into the directory that is its first
 * argument. Noise comes from the shipped samplers, and data sets from drand48
 * with a fixed seed, so that only the last digits of measured figures change.
 */
#ifndef DP_FIGURE_H
#define DP_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/grid.h"
#include "mechanisms/noise.h"

/* A continuous value of sensitivity 1 is so many steps wide. */
#define FIGURE_STEPS ((uint64_t) 1 << 40)

/* The standard error, in parts of the mean, at which measuring ends. */
#define FIGURE_PRECISION 0.003

/* A mean in the making. */
typedef struct Sample
{
	double count;
	double sum;
	double squares;
} Sample;

extern void sample_add(Sample *sample, double value);
extern double sample_mean(const Sample *sample);
extern double sample_error(const Sample *sample);

/*
 * Adds what draw gives until the standard error is FIGURE_PRECISION of the
 * mean, but at most `limit` values.
 */
typedef double (*SampleDraw)(void *context);
extern void sample_measure(Sample *sample, SampleDraw draw, void *context,
						   uint64_t limit);

/* The random source; main's arguments give the directory. */
extern DpRandom *figure_random;
extern void figure_start(int argc, char **argv);

extern void figure_check(DpStatus status);
extern DpEpsilon figure_epsilon(double value);

/* Noise of the given sensitivity, in steps. */
extern DpNoise figure_noise(DpMechanismChoice choice, double epsilon,
							uint64_t sensitivity);
extern double figure_draw(const DpNoise *noise);

/*
 * A table: method, x, theory, published, measured, standard_error; with columns
 * that is the line of names after the method instead.
 */
extern void figure_open(const char *name, const char *x);
extern void figure_open_columns(const char *name, const char *columns);
extern void figure_close(void);

/* A row of such columns. NAN: no such figure. */
extern void figure_numbers(const char *method, const double *numbers,
						   size_t count);

/* A row of the usual columns; measured: may be NULL. */
extern void figure_row(const char *method, double x, double theory,
					   double published, const Sample *measured);

/* Data. */
extern double figure_normal(void);
extern int figure_compare(const void *a, const void *b); /* doubles */

#endif
