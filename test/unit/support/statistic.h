/*
 * statistic.h
 *		Is a sample what a closed form says?
 *
 * One test for every sampler: a G-test of counts against probabilities, cells
 * with few expected draws pooled. A point fails at p < 1e-11; with fewer than
 * a hundred of them false alarms stay below 1e-9 a run. The tests draw
 * from seeded sources besides, so that a run repeats the one before it: only a
 * change of the code or of a seed can bring a new verdict.
 */
#ifndef STATISTIC_H
#define STATISTIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/tap.h"

#define STATISTIC_ALARM 1e-11

/* Cells are pooled with the next until so many draws are expected. */
#define STATISTIC_LEAST_EXPECTED 50.0

/* Q(a, x), the regularised upper incomplete gamma function; a > 0, x >= 0. */
extern double gamma_upper(double a, double x);

/* P(chi-square of so many degrees of freedom >= statistic). */
extern double chi_square_tail(double statistic, double degrees);

/*
 * The p-value of counts[0 .. cells-1] against probabilities[0 .. cells-1].
 * What they lack of 1, and of draws, makes up one more cell. The pooled cells
 * are stored in *pooled unless it is NULL; with fewer than two of them nothing
 * was tested and the p-value is 0.
 */
extern double fit_p_value(const uint64_t *counts, const double *probabilities,
						  size_t cells, uint64_t draws, size_t *pooled);

/* One test point: does the sample fit? */
extern bool fits(const uint64_t *counts, const double *probabilities,
				 size_t cells, uint64_t draws, const char *name, ...)
	TAP_PRINTF(5, 6);

/* The same for a coin: so many of draws came up, with this probability. */
extern bool fits_coin(uint64_t count, double probability, uint64_t draws,
					  const char *name, ...) TAP_PRINTF(4, 5);

#endif
