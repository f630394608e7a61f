/*
 * sparse_vector.h
 *		Suggestions as questions: how many units exceed each candidate, and the
 *		draw that reveals where about a few are left.
 *
 * A cap cuts off what units have beyond it, and a greater cap means more
 * noise. Both errors are about equal if as many units exceed the cap as the
 * noise of a later answer is units large, 1/epsilon_later. So a walk over
 * public candidates stops where about that many units are left
 * (mechanisms/above_threshold.h).
 *
 * Each unit counts once, by its greatest value, group or number of rows, and
 * needs no cap: one unit changes each count by 0 or 1.
 */
#ifndef DP_GATE_SUGGESTION_SPARSE_VECTOR_H
#define DP_GATE_SUGGESTION_SPARSE_VECTOR_H

#include "core/epsilon.h"
#include "gate/suggestion/candidates.h"
#include "gate/suggestion/unit_paths.h"

/* Two numbers of each unit, for two walks. */
#define DP_WALKS 2

typedef struct DpSparseVector
{
	const DpUnits *units;
	DpCandidates candidates[DP_WALKS];

	/*
	 * Returns for each pair of what candidates keep within, one of either walk,
	 * how many units have it.
	 */
	char *statement;
	uint64_t *exceeding[DP_WALKS]; /* for each candidate; NULL: not read yet */
} DpSparseVector;

/*
 * A unit's rows and, second, its groups: rows in the group that has the most.
 * group_by: columns, as numbers; NIL: there are no groups.
 */
extern DpSparseVector *dp_sparse_vector_of_sizes(const DpUnits *units,
												 List *group_by);

/* A unit's greatest and, second, its least value of a column. */
extern DpSparseVector *dp_sparse_vector_of_values(const DpUnits *units,
												  AttrNumber column);

/*
 * Reads the rows, once, with the rights of their owner, restricted, and without
 * telling of it (gate/release/silent_run.h). What was read is not private.
 */
extern void dp_sparse_vector_read(DpSparseVector *vector);

/*
 * Where a walk stops: epsilon-DP, of what was read. later: epsilon_later. The
 * last candidate stands for all that are greater.
 */
extern const char *dp_sparse_vector_draw(const DpSparseVector *vector, int walk,
										 DpEpsilon epsilon, double later);

#endif
