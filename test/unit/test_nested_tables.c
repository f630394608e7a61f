/*
 * test_nested_tables.c
 *		Tables that refine each other: against least squares that are known, and
 *		whole numbers that add up.
 */
#include <math.h>
#include <stddef.h>

#include "core/nested_tables.h"
#include "support/tap.h"

static const int64_t of_total[] = {0, 0};
static const int64_t of_towns[] = {0, 0, 1};

/*
 * A total of 10, two towns of 4 and 8, stores of 1, 2 and 6: the second town's
 * only store weighs as much as the town.
 */
static void
test_known(void)
{
	double total[] = {10};
	double towns[] = {4, 8};
	double stores[] = {1, 2, 6};
	const DpNestedTable tables[] = {
		{1, NULL, total, 1}, {2, of_total, towns, 1}, {3, of_towns, stores, 1}};

	/*
	 * Upwards: town 1 has z = (4 + 3/2) / (1 + 1/2) = 11/3, v = 2/3; town 2 z = 7,
	 * v = 1/2; so the total (10 + (32/3) / (7/6)) / (1 + 6/7) = 134/13.
	 */
	ok(dp_nested_tables_agree(tables, 3) == DP_OK, "two passes");
	ok(fabs(total[0] - 134. / 13) < 1e-12, "the total");
	ok(fabs(towns[0] - (11. / 3 + (134. / 13 - 32. / 3) * 4 / 7)) < 1e-12 &&
		   fabs(towns[1] - (7 + (134. / 13 - 32. / 3) * 3 / 7)) < 1e-12,
	   "the towns");
	ok(fabs(towns[0] - stores[0] - stores[1]) < 1e-12 &&
		   fabs(towns[1] - stores[2]) < 1e-12 &&
		   fabs(stores[1] - stores[0] - 1) < 1e-12,
	   "the stores");
}

/*
 * Errors: the answers to a noisy value of 1 among zeros are its weights, from which
 * variances follow; their greatest terms are never more than is said.
 */
static void
test_errors(void)
{
	double total[1];
	double towns[2];
	double stores[3];
	double *const cells[] = {total, towns, stores};
	const DpNestedTable tables[] = {{1, NULL, total, 1.5},
									{2, of_total, towns, 0.5},
									{3, of_towns, stores, 2}};
	double room[4][3];
	double few[2][2];
	double *variances[] = {few[0], room[0], room[1]};
	double *greatest[] = {few[1], room[2], room[3]};
	double sums[3][3] = {{0}};
	double most[3][3] = {{0}};
	double worst = 0;
	double excess = INFINITY;
	double least = 0;
	int from;
	int to;
	int i;
	int j;

	ok(dp_nested_tables_errors(tables, 3, variances, greatest) == DP_OK,
	   "errors");
	for (from = 0; from < 3; from++)
	{
		for (i = 0; i < tables[from].count; i++)
		{
			for (to = 0; to < 3; to++)
			{
				for (j = 0; j < tables[to].count; j++)
					cells[to][j] = to == from && j == i ? 1 : 0;
			}
			(void) dp_nested_tables_agree(tables, 3);
			for (to = 0; to < 3; to++)
			{
				for (j = 0; j < tables[to].count; j++)
				{
					double part =
						cells[to][j] * cells[to][j] * tables[from].variance;

					sums[to][j] += part;
					most[to][j] = fmax(most[to][j], part);
				}
			}
		}
	}
	for (to = 0; to < 3; to++)
	{
		for (j = 0; j < tables[to].count; j++)
		{
			worst = fmax(worst, fabs(sums[to][j] - variances[to][j]));
			excess = fmin(excess, greatest[to][j] - most[to][j]);
			least = fmax(least, greatest[to][j] / variances[to][j]);
		}
	}
	ok(worst < 1e-12, "variances are those of the weights (%g)", worst);
	ok(excess > -1e-12, "no noisy value has a greater part (%g)", excess);
	ok(least < 1, "the parts are parts (%g)", least);
}

static void
test_whole(void)
{
	double total[] = {10.6};
	double towns[] = {3.4, 7.2};
	double stores[] = {-1.25, 4.65, 7.2};
	const DpNestedTable tables[] = {
		{1, NULL, total, 1}, {2, of_total, towns, 1}, {3, of_towns, stores, 1}};

	ok(dp_nested_tables_round(tables, 3) == DP_OK, "rounded");
	ok(total[0] == 11 && towns[0] == 4 && towns[1] == 7, "the towns add up");
	ok(stores[0] == -1 && stores[1] == 5 && stores[2] == 7,
	   "and so do their stores");
	ok(dp_nested_tables_agree(tables, 0) == DP_OK &&
		   dp_nested_tables_round(tables, 0) == DP_OK,
	   "no tables");
}

int
main(void)
{
	test_known();
	test_errors();
	test_whole();
	return done_testing();
}
