/*
 * test_marginals.c
 *		Tables by several sets of keys: the closed form against the general least
 *		squares, in known variances and on its own tables; whole numbers; shares.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/marginal_shares.h"
#include "core/marginal_weights.h"
#include "support/tap.h"

#define MOST 64

/* A CUBE or ROLLUP of up to three keys, or any sets. */
static DpMarginals
tables(int keys, const int64_t *sizes, int count, const uint64_t *members,
	   const double *variances)
{
	DpMarginals result = {.keys = keys, .tables = count};
	int i;

	for (i = 0; i < keys; i++)
		result.sizes[i] = sizes[i];
	for (i = 0; i < count; i++)
	{
		result.members[i] = members[i];
		result.variances[i] = variances[i];
	}
	return result;
}

static void
test_known(void)
{
	const int64_t cube_sizes[] = {3, 4};
	const uint64_t cube[] = {0, 1, 2, 3};
	const double cube_noise[] = {1, 1.3, 1.3, 1.6};
	const double cube_variances[] = {.66631073, .79438085, .80885754,
									 .93489470};
	const int64_t rollup_sizes[] = {2, 3, 2};
	const uint64_t rollup[] = {0, 1, 3, 7};
	const double rollup_noise[] = {1, 2, 1.5, 1};
	const double rollup_variances[] = {.69230769, .73557692, .65315934,
									   .66328984};
	DpMarginals of_cube = tables(2, cube_sizes, 4, cube, cube_noise);
	DpMarginals of_rollup = tables(3, rollup_sizes, 4, rollup, rollup_noise);
	int i;

	for (i = 0; i < 4; i++)
		is_double(dp_marginals_variance(&of_cube, i), cube_variances[i], 1e-8,
				  "CUBE of 3 x 4, table %d", i);
	for (i = 0; i < 4; i++)
		is_double(dp_marginals_variance(&of_rollup, i), rollup_variances[i],
				  1e-8, "ROLLUP of 2 x 3 x 2, table %d", i);
}

/* The general least squares by normal equations, over the cells of all keys. */
static int
cells_of(const DpMarginals *m, uint64_t members)
{
	int count = 1;
	int key;

	for (key = 0; key < m->keys; key++)
		count *= (members >> key & 1) != 0 ? (int) m->sizes[key] : 1;
	return count;
}

static int
cell_in(const DpMarginals *m, uint64_t members, int leaf)
{
	int digits[8];
	int cell = 0;
	int key;

	for (key = m->keys - 1; key >= 0; key--)
	{
		digits[key] = leaf % (int) m->sizes[key];
		leaf /= (int) m->sizes[key];
	}
	for (key = 0; key < m->keys; key++)
	{
		if ((members >> key & 1) != 0)
			cell = cell * (int) m->sizes[key] + digits[key];
	}
	return cell;
}

static void
solve(double a[MOST][MOST], double b[MOST], int n)
{
	int i;
	int j;
	int k;

	for (i = 0; i < n; i++)
	{
		for (j = 0; j < n; j++)
		{
			double factor = a[j][i] / a[i][i];

			if (j == i)
				continue;
			for (k = i; k < n; k++)
				a[j][k] -= factor * a[i][k];
			b[j] -= factor * b[i];
		}
	}
	for (i = 0; i < n; i++)
		b[i] /= a[i][i];
}

/* Leaves that fit best; a ridge stands for what no table tells. */
static void
fit(const DpMarginals *m, double **cells, double leaves[MOST])
{
	static double a[MOST][MOST];
	int n = cells_of(m, ~(uint64_t) 0);
	int table;
	int i;
	int j;

	for (i = 0; i < n; i++)
	{
		leaves[i] = 0;
		for (j = 0; j < n; j++)
			a[i][j] = i == j ? 1e-9 : 0;
	}
	for (table = 0; table < m->tables; table++)
	{
		double weight = 1 / m->variances[table];

		for (i = 0; i < n; i++)
		{
			int cell = cell_in(m, m->members[table], i);

			leaves[i] += weight * cells[table][cell];
			for (j = 0; j < n; j++)
				a[i][j] +=
					cell_in(m, m->members[table], j) == cell ? weight : 0;
		}
	}
	solve(a, leaves, n);
}

/* The same numbers in each run, 0 .. 100. */
static double
some_number(void)
{
	static uint32_t state = 7;

	state = state * 1664525 + 1013904223;
	return (state >> 8) / 167772.16;
}

static void
test_against_general(const DpMarginals *m, const char *name)
{
	static double room[8][MOST];
	double *cells[8];
	double leaves[MOST] = {0};
	double worst = 0;
	bool is_no_worse = true;
	int table;
	int i;

	for (table = 0; table < m->tables; table++)
	{
		cells[table] = room[table];
		for (i = 0; i < cells_of(m, m->members[table]); i++)
			room[table][i] = some_number();
	}
	fit(m, cells, leaves);
	is_int(dp_marginals_agree(m, cells), DP_OK, "%s: done", name);
	for (table = 0; table < m->tables; table++)
	{
		double sums[MOST] = {0};

		for (i = 0; i < cells_of(m, ~(uint64_t) 0); i++)
			sums[cell_in(m, m->members[table], i)] += leaves[i];
		for (i = 0; i < cells_of(m, m->members[table]); i++)
			worst = fmax(worst, fabs(sums[i] - cells[table][i]));
		is_no_worse &=
			dp_marginals_variance(m, table) <= m->variances[table] + 1e-12;
	}
	ok(worst < 1e-4, "%s: as the general least squares (%g)", name, worst);
	ok(is_no_worse, "%s: no table is worse than its own noise", name);
}

static int
compare_numbers(const void *a, const void *b)
{
	double one = *(const double *) a;
	double other = *(const double *) b;

	return one < other ? -1 : one > other;
}

/*
 * Weights: of each table, the first cell's are what a noisy 1 among zeros makes of
 * it; and the variance follows from them.
 */
static void
test_weights(const DpMarginals *m, const char *name)
{
	static DpMarginalWeight weights[DP_MARGINAL_WEIGHTS_MAX];
	static double room[8][MOST];
	double *cells[8];
	double worst = 0;
	double apart = 0;
	int to;
	int from;
	int i;

	for (i = 0; i < m->tables; i++)
		cells[i] = room[i];
	for (to = 0; to < m->tables; to++)
	{
		int count = dp_marginals_weights(m, to, weights);
		double variance = 0;

		for (from = 0; from < m->tables; from++)
		{
			double made[MOST] = {0};
			double said[MOST] = {0};
			int n = cells_of(m, m->members[from]);
			int at = 0;
			int w;

			for (i = 0; i < n; i++)
			{
				memset(room, 0, sizeof(room));
				room[from][i] = 1;
				(void) dp_marginals_agree(m, cells);
				made[i] = room[to][0];
			}
			for (w = 0; w < count; w++)
			{
				for (i = 0; weights[w].table == from && i < weights[w].cells;
					 i++)
					said[at++ % MOST] = weights[w].weight;
			}
			apart = fmax(apart, abs(at - n));
			qsort(made, (size_t) n, sizeof(double), compare_numbers);
			qsort(said, (size_t) n, sizeof(double), compare_numbers);
			for (i = 0; i < n; i++)
			{
				worst = fmax(worst, fabs(made[i] - said[i]));
				variance += said[i] * said[i] * m->variances[from];
			}
		}
		worst = fmax(worst, fabs(variance - dp_marginals_variance(m, to)));
	}
	ok(apart == 0 && worst < 1e-12, "%s: weights (%g)", name, worst);
}

static void
test_general(void)
{
	const int64_t sizes[] = {2, 3, 4};
	const uint64_t cube[] = {0, 1, 2, 3, 4, 5, 6, 7};
	const uint64_t rollup[] = {7, 3, 1, 0};
	const uint64_t apart[] = {1, 6};
	const uint64_t around[] = {5, 2, 7, 7};
	const uint64_t crossing[] = {3, 6, 5};
	const double variances[] = {1, 2, .5, 1.3, 4, 1, .7, 2};
	DpMarginals of_cube = tables(3, sizes, 8, cube, variances);
	DpMarginals of_rollup = tables(3, sizes, 4, rollup, variances);
	DpMarginals of_apart = tables(3, sizes, 2, apart, variances);
	DpMarginals of_around = tables(3, sizes, 4, around, variances);
	DpMarginals of_crossing = tables(3, sizes, 3, crossing, variances);

	test_against_general(&of_cube, "CUBE");
	test_against_general(&of_rollup, "ROLLUP");
	test_against_general(&of_apart, "{a}, {b, c}");
	test_against_general(&of_around, "{a, c}, {b}, and all twice");
	test_against_general(&of_crossing, "{a, b}, {b, c}, {a, c}");
	test_weights(&of_cube, "CUBE");
	test_weights(&of_rollup, "ROLLUP");
	test_weights(&of_apart, "{a}, {b, c}");
	test_weights(&of_around, "{a, c}, {b}, and all twice");
	test_weights(&of_crossing, "{a, b}, {b, c}, {a, c}");
}

static void
test_whole(void)
{
	const int64_t sizes[] = {3, 1, 5};
	const uint64_t rollup[] = {0, 7, 1};
	const double variances[] = {1, 1, 1};
	DpMarginals m = tables(3, sizes, 3, rollup, variances);
	double total[1];
	double leaves[15];
	double groups[3];
	double *cells[3] = {total, leaves, groups};
	double sum = 0;
	bool are_close = true;
	bool add_up = true;
	int i;

	for (i = 0; i < 15; i++)
		leaves[i] = i * i / 7.0 - 3;
	for (i = 0; i < 3; i++)
		groups[i] = 10.3 * i;
	total[0] = 17;
	(void) dp_marginals_agree(&m, cells);
	for (i = 0; i < 15; i++)
		sum += leaves[i];
	is_double(sum, total[0], 1e-9, "what agrees adds up");
	(void) dp_marginals_round(&m, cells);
	for (i = 0; i < 3; i++)
	{
		double own = 0;
		int j;

		for (j = 0; j < 5; j++)
		{
			own += leaves[i * 5 + j];
			are_close &= leaves[i * 5 + j] == rint(leaves[i * 5 + j]);
		}
		add_up &= own == groups[i];
	}
	ok(are_close, "whole numbers");
	ok(add_up && groups[0] + groups[1] + groups[2] == total[0],
	   "which add up exactly");
}

static double
loss_of(const DpMarginals *m)
{
	double loss = 0;
	int i;

	for (i = 0; i < m->tables; i++)
		loss += log(dp_marginals_variance(m, i));
	return loss;
}

static void
test_shares(void)
{
	const int64_t wide[] = {10, 20};
	const int64_t small[] = {2, 3};
	const uint64_t cube[] = {0, 1, 2, 3};
	const double variances[] = {1, 1, 1, 1};
	const int64_t *all[] = {wide, small};
	int i;

	for (i = 0; i < 4; i++)
	{
		DpMarginals m = tables(2, all[i / 2], 4, cube, variances);
		double equal = 0;
		double shares[4];
		double sum = 0;
		double least = 1;
		int j;

		dp_marginals_share(&m, 1, i % 2 == 1, shares);
		for (j = 0; j < 4; j++)
		{
			sum += shares[j];
			least = fmin(least, shares[j]);
		}
		is_double(sum, 1, 1e-12, "shares are of all");
		ok(least >= DP_SHARE_LEAST / 4, "none is too small (%g)", least);
		for (j = 0; j < 4; j++)
			diag("share %g, variance %g", shares[j],
				 dp_marginals_variance(&m, j));
		equal = loss_of(&m);
		for (j = 0; j < 4; j++)
			m.variances[j] =
				i % 2 == 1 ? 4 : 2 * exp(-.25) / pow(1 - exp(-.25), 2);
		ok(equal <= loss_of(&m), "no worse than equal shares");
		if (i == 0)
			is_double(dp_marginals_variance(&m, 3), 27.56, .005,
					  "equal shares of epsilon 1, 10 x 20");
	}
}

int
main(void)
{
	test_known();
	test_general();
	test_whole();
	test_shares();
	return done_testing();
}
