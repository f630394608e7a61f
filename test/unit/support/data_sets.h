/*
 * data_sets.h
 *		All data sets of a few rows over a small grid, and who are neighbours.
 */
#ifndef DATA_SETS_H
#define DATA_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mechanisms/sensitivity.h"

#define ROWS_MAX 4
#define SETS_MAX 300

/* Rows in ascending order. */
typedef struct Set
{
	int64_t rows[ROWS_MAX];
	size_t count;
} Set;

/* Those of the last all_sets. */
extern Set sets[SETS_MAX];
extern size_t set_count;

/* Lists all sets of up to so many rows (at most ROWS_MAX) in lower .. upper. */
extern void all_sets(int64_t lower, int64_t upper, size_t rows);

/* How many rows of a are not in b. */
extern size_t rows_not_in(const Set *a, const Set *b);

extern bool are_neighbours(const Set *a, const Set *b, DpNeighbours neighbours);

extern int64_t sum_of(const Set *set);

/* A grid of step 1. */
extern DpGrid grid_of(int64_t lower, int64_t upper);

/* The logarithm of the greatest ratio p[i]/q[i]. */
extern double distribution_loss(const double *p, const double *q,
								int64_t points);

/*
 * The greatest D_a(p || q) / a over many orders a > 1, the Renyi divergence: what p
 * and q are apart in rho. D_1 is that of Kullback and Leibler.
 */
extern double distribution_rho(const double *p, const double *q,
							   int64_t points);

/* The same of all neighbours, as below. */
extern double greatest_set_rho(const double *laws, size_t points,
							   DpNeighbours neighbours);

/*
 * The greatest loss over all neighbours, where the answer to sets[i] has the
 * law laws[i * points .. ].
 */
extern double greatest_set_loss(const double *laws, size_t points,
								DpNeighbours neighbours);

#endif
