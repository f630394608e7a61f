/*
 * sensitivity.h
 *		How much one row can change a query, in grid steps.
 *
 * For units of several rows, see unit.h. An exchanged row may pass the query's
 * condition only before or only after the exchange; a row that does not pass
 * counts as nothing.
 */
#ifndef DP_MECHANISMS_SENSITIVITY_H
#define DP_MECHANISMS_SENSITIVITY_H

#include "core/grid.h"
#include "mechanisms/contribution.h"
#include "samplers/rank_exponential.h"

/* A filtered count. */
static inline uint64_t
dp_sensitivity_count(void)
{
	return 1;
}

/*
 * A sum of grid points: max(|lower|, |upper|); for an exchange the span of both
 * bounds and 0, since a row that does not pass the condition counts as 0. May
 * be 0.
 */
static inline uint64_t
dp_sensitivity_sum(const DpGrid *grid, DpNeighbours neighbours)
{
	uint64_t below = grid->lower < 0 ? -(uint64_t) grid->lower : 0;
	uint64_t above = grid->upper > 0 ? (uint64_t) grid->upper : 0;

	if (neighbours == DP_SUBSTITUTE)
		return below + above;
	return below > above ? below : above;
}

/*
 * The pair (A, B) of a mean, A = sum(k - lower) and B = n * span - A, in L1:
 * a row adds a to A and span - a to B. An exchange of (0, span) for (span, 0)
 * is 2 spans. May be 0.
 */
static inline uint64_t
dp_sensitivity_mean(const DpGrid *grid, DpNeighbours neighbours)
{
	return (neighbours == DP_SUBSTITUTE ? 2 : 1) * dp_grid_span(grid);
}

/* The score k of rank_exponential.h for the target fraction * count, where
 * fraction is in units of 2^-20. */
static inline int64_t
dp_sensitivity_rank(int64_t fraction, DpNeighbours neighbours)
{
	int64_t rest = DP_RANK_ONE - fraction;

	if (neighbours == DP_SUBSTITUTE)
		return DP_RANK_ONE;
	return fraction > rest ? fraction : rest;
}

#endif
