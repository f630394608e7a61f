/*
 * data_sets.c
 *		Small data sets.
 */
#include <math.h>
#include <stdlib.h>

#include "support/data_sets.h"

Set sets[SETS_MAX];
size_t set_count;

static void
list_sets(Set set, int64_t least, int64_t upper, size_t rows)
{
	int64_t v;

	if (set_count < SETS_MAX)
		sets[set_count] = set;
	set_count++;
	if (set.count == rows)
		return;
	for (v = least; v <= upper; v++)
	{
		Set longer = set;

		longer.rows[longer.count++] = v;
		list_sets(longer, v, upper, rows);
	}
}

void
all_sets(int64_t lower, int64_t upper, size_t rows)
{
	set_count = 0;
	list_sets((Set){{0}, 0}, lower, upper, rows);
	if (set_count > SETS_MAX)
		abort();
}

size_t
rows_not_in(const Set *a, const Set *b)
{
	size_t i;
	size_t j = 0;
	size_t missing = 0;

	for (i = 0; i < a->count; i++)
	{
		while (j < b->count && b->rows[j] < a->rows[i])
			j++;
		if (j < b->count && b->rows[j] == a->rows[i])
			j++;
		else
			missing++;
	}
	return missing;
}

bool
are_neighbours(const Set *a, const Set *b, DpNeighbours neighbours)
{
	size_t less = rows_not_in(a, b);
	size_t more = rows_not_in(b, a);

	/* An exchanged row may be one that the query's condition leaves out. */
	if (neighbours == DP_SUBSTITUTE)
		return less <= 1 && more <= 1 && less + more > 0;
	return less + more == 1;
}

DpGrid
grid_of(int64_t lower, int64_t upper)
{
	DpGrid grid;

	dp_grid_for_integers(lower, upper, DP_GRID_SPAN, &grid);
	return grid;
}

int64_t
sum_of(const Set *set)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < set->count; i++)
		sum += set->rows[i];
	return sum;
}

double
distribution_loss(const double *p, const double *q, int64_t points)
{
	double worst = 1;
	int64_t i;

	for (i = 0; i < points; i++)
		worst = fmax(worst, p[i] / q[i]);
	return log(worst);
}

static double
divergence(const double *p, const double *q, int64_t points, double a)
{
	double greatest = -INFINITY;
	double sum = 0;
	int64_t i;

	if (a == 1)
	{
		for (i = 0; i < points; i++)
			sum += p[i] > 0 ? p[i] * log(p[i] / q[i]) : 0;
		return sum;
	}
	for (i = 0; i < points; i++)
	{
		if (p[i] > 0)
			greatest = fmax(greatest, a * log(p[i]) + (1 - a) * log(q[i]));
	}
	for (i = 0; i < points; i++)
	{
		if (p[i] > 0)
			sum += exp(a * log(p[i]) + (1 - a) * log(q[i]) - greatest);
	}
	return (greatest + log(sum)) / (a - 1);
}

double
distribution_rho(const double *p, const double *q, int64_t points)
{
	static const double orders[] = {1, 1.05, 1.3, 2, 3.7, 8, 30, 200};
	double worst = 0;
	size_t i;

	for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		worst = fmax(worst, divergence(p, q, points, orders[i]) / orders[i]);
	return worst;
}

/* The greatest of all neighbours, by one way to tell two laws apart. */
static double
greatest_of_sets(double (*apart)(const double *, const double *, int64_t),
				 const double *laws, size_t points, DpNeighbours neighbours)
{
	double worst = 0;
	size_t i;
	size_t j;

	for (i = 0; i < set_count; i++)
	{
		for (j = 0; j < set_count; j++)
		{
			if (are_neighbours(&sets[i], &sets[j], neighbours))
				worst = fmax(worst, apart(laws + i * points, laws + j * points,
										  (int64_t) points));
		}
	}
	return worst;
}

double
greatest_set_rho(const double *laws, size_t points, DpNeighbours neighbours)
{
	return greatest_of_sets(distribution_rho, laws, points, neighbours);
}

double
greatest_set_loss(const double *laws, size_t points, DpNeighbours neighbours)
{
	return greatest_of_sets(distribution_loss, laws, points, neighbours);
}
