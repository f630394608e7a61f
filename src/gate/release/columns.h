/*
 * columns.h
 *		Which columns the rows of a release have.
 *
 * Keys, aggregates, ends of intervals; and behind these, which are shown, the
 * noisy sums from which means and variances are computed
 * (aggregates/noisy_sums.h).
 */
#ifndef DP_GATE_RELEASE_COLUMNS_H
#define DP_GATE_RELEASE_COLUMNS_H

#include "gate/release/release_plan.h"

/* The columns that are shown: expressions, or nulls, of their types. */
extern List *dp_columns_shown(const DpReleasePlan *plan);

/* The columns that are kept: those, and the noisy sums. */
extern List *dp_columns_kept(const DpReleasePlan *plan);

/* The columns of a statement beneath: some keys, and what is computed. */
extern List *dp_columns_computed(List *keys, List *aggregates);

/*
 * The columns of the aggregates' noisy sums, by aggno; -1 for those that have
 * none. In the current memory context.
 */
extern int *dp_columns_of_sums(const DpReleasePlan *plan);

#endif
