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
	test_whole();
	return done_testing();
}
