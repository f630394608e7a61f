/*
 * nested_tables.h
 *		Tables of the same rows, each a refinement of the one before, with noise of
 *		their own, and the best consistent estimate from all of them.
 *
 * As of a ROLLUP by keys of which not every combination occurs (a city, and the
 * stores in it): the cells are a forest, each cell the sum of its children. The
 * weighted least squares among consistent tables is found in two passes (Hay et
 * al. 2010, for any numbers of children and any variances). Upwards, with y and s
 * a cell's own noisy value and its variance, and Z, V the sums of its children's z
 * and v:
 *
 *		1/v = 1/s + 1/V		z = v (y/s + Z/V)		(leaves: z = y, v = s)
 *
 * and downwards, of a child of a cell whose answer is h:
 *
 *		answer = z + (h - Z) v/V						(roots: z)
 *
 * The variance of an answer is v + (v/V)^2 (P - V), P being that of h. As much of it
 * at most comes from a single noisy value: of z, g = v^2 max(1/s, G/V^2), where G is
 * the greatest g of the children. An answer follows its own z by a factor of c, 1 for
 * roots, and the Z beneath it by f = c v/V; a child's c is 1 - (1 - f) v/V. So of a
 * child's answer it is the greatest of c^2 g, (v/V)^2 (1 - f)^2 G (unless it is
 * the only one) and (v/V)^2 times that of h.
 *
 * All of this works on released answers and public numbers: it is
 * post-processing, and doubles suffice.
 */
#ifndef DP_CORE_NESTED_TABLES_H
#define DP_CORE_NESTED_TABLES_H

#include <stdint.h>

#include "core/status.h"

typedef struct DpNestedTable
{
	int64_t count;			/* of cells */
	const int64_t *parents; /* of each, its cell in the table before; of the
							 * first table not read */
	double *cells;
	double variance; /* of the noise of a cell; positive */
} DpNestedTable;

/*
 * Replaces the cells by consistent ones. Errors: DP_OUT_OF_MEMORY, with the cells
 * as they were.
 */
extern DpStatus dp_nested_tables_agree(const DpNestedTable *tables, int count);

/*
 * The variance of each consistent cell, and the most that one noisy value has of it;
 * by table, for each cell. The tables' cells are not read. Errors: DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_nested_tables_errors(const DpNestedTable *tables, int count,
										double **variances, double **greatest);

/*
 * Rounds consistent tables to whole numbers from the coarsest down, so that cells
 * add up to the one above them: those with the greatest fractional parts are
 * rounded up. Errors: DP_OUT_OF_MEMORY.
 */
extern DpStatus dp_nested_tables_round(const DpNestedTable *tables, int count);

#endif
