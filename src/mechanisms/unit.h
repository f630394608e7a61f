/*
 * unit.h
 *		The bounded contribution of a privacy unit of several rows to an answer.
 *
 * The unit's rows are added up first, and the total is bounded instead of the
 * rows: a total in [lower, upper] changes a sum by no more than the greater of
 * |lower| and |upper|, which is the sensitivity, however many rows it comes
 * from. With c rows allowed:
 *
 * count: min(n, c). Sensitivity c.
 *
 * sum: the sum of the grid points in [L, U], clamped to the interval [c min(L,
 * 0), c max(U, 0)]. That interval contains the sum of any c or fewer rows, so
 * the noise is the same as for c rows chosen at random. The clamped sum is the
 * point of the interval nearest to the true sum, so it is never further from
 * that than a sum of chosen rows: nothing is lost as long as c rows could have
 * the unit's sum, and otherwise less than by leaving rows out. So no rows are
 * chosen.
 *
 * sum of different values: of all units together, of which each adds up to c grid
 * points in [L, U] (distinct_basis.h). It is exact, and rounded once, in the end,
 * so that what changes by d grid steps changes by at most d / 2^shift steps of the
 * answer, rounded up.
 *
 * mean: the pair (A, B) of mean.h scaled to w = min(n, c) rows, that is (w a, w
 * M - w a), where a is the unit's own mean. In L1 it is w M <= c M whatever the
 * unit holds. It is the expectation for w rows chosen at random, without their
 * variance.
 *
 * Means and sums are kept in steps coarse enough for the noise to be in range
 * (DP_SENSITIVITY_MAX): a unit's contribution has up to about 2^42 steps, and
 * fewer with very many groups.
 *
 * Values (medians, quantiles, modes, bounds): at most c of them, chosen at
 * random (samplers/reservoir.h). They change c ranks, or a count by c. Maxima
 * and minima: the unit's extreme value, the only one that can be the extreme of
 * all; it changes 1 rank, and c does not matter.
 *
 * Contributions may be random, but a unit's contribution must depend only on
 * its own rows and its own random choices. Then data sets that differ by a unit
 * differ by its contribution alone, for every outcome of the others' choices.
 */
#ifndef DP_MECHANISMS_UNIT_H
#define DP_MECHANISMS_UNIT_H

#include "core/grid.h"
#include "mechanisms/contribution.h"

/* The rows that count. count: not negative. */
static inline int64_t
dp_unit_count(int64_t count, DpContribution contribution)
{
	return count < (int64_t) contribution.rows ? count
											   : (int64_t) contribution.rows;
}

/* Prepared sums of units: plain data. */
typedef struct DpUnitSum
{
	dp_int128 lower;	  /* of a unit's sum, in grid steps; not above 0 */
	dp_int128 upper;	  /* not below 0 */
	int shift;			  /* a step of the answer is 2^shift grid steps */
	uint64_t sensitivity; /* in steps of the answer; may be 0 */
} DpUnitSum;

extern void dp_unit_sum_init(DpUnitSum *unit, const DpGrid *grid,
							 DpContribution contribution);

/*
 * The contribution of a unit with this sum of grid points, in steps of the
 * answer: monotone, 0 for 0.
 */
static inline int64_t
dp_unit_sum_of(const DpUnitSum *unit, dp_int128 sum)
{
	dp_int128 half = unit->shift > 0 ? (dp_int128) 1 << (unit->shift - 1) : 0;

	sum = dp_int128_clamp(sum, unit->lower, unit->upper);
	return (int64_t) ((sum + half) >> unit->shift);
}

/* The most that an exchange of a unit changes. */
static inline uint64_t
dp_unit_sum_exchanged(const DpUnitSum *unit)
{
	return (uint64_t) (dp_unit_sum_of(unit, unit->upper) -
					   dp_unit_sum_of(unit, unit->lower));
}

/*
 * The same for a sum of points of which each unit adds up to c, which is no sum of
 * what units contribute: of different values.
 */
extern void dp_unit_total_init(DpUnitSum *unit, const DpGrid *grid,
							   DpContribution contribution);

/* Such a sum in steps of the answer: monotone, 0 for 0. */
static inline dp_int128
dp_unit_total_of(const DpUnitSum *unit, dp_int128 sum)
{
	dp_int128 half = unit->shift > 0 ? (dp_int128) 1 << (unit->shift - 1) : 0;

	return (sum + half) >> unit->shift;
}

/* The most that an exchange of a unit changes it. */
extern uint64_t dp_unit_total_exchanged(const DpUnitSum *unit);

/*
 * Prepared means of units: plain data. A row at the upper bound counts `steps`
 * steps, as many as the noise allows, since a unit's mean may lie between the
 * grid's points.
 */
typedef struct DpUnitMean
{
	uint64_t span;		  /* M, of the grid */
	uint64_t steps;		  /* M 2^shift; less than M where it must be */
	int shift;			  /* 0 there */
	uint64_t rows;		  /* c */
	uint64_t sensitivity; /* of the pair, in L1, in such steps; may be 0 */
} DpUnitMean;

/* Errors: DP_SENSITIVITY_OUT_OF_RANGE (no step is coarse enough). */
extern DpStatus dp_unit_mean_init(DpUnitMean *unit, const DpGrid *grid,
								  DpContribution contribution);

/*
 * The weight w of a unit with this many values, of the given sum(k - lower), and
 * its sum in steps of the answer, 0 .. w * steps. Impossible values are
 * clamped.
 */
extern void dp_unit_mean_of(const DpUnitMean *unit, dp_int128 sum,
							int64_t count, dp_int128 *contribution,
							int64_t *weight);

#endif
