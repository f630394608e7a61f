/*
 * intervals.h
 *		Intervals around released answers, and what they are made of.
 *
 * The rows of a release have more columns than are shown: keys, aggregates,
 * ends of intervals, and after them the noisy sums from which means and
 * variances are computed (aggregates/noisy_sums.h). These sums and the law of
 * the noise are stored with the answer, so that a later question for an
 * interval gets the same one, whatever epsilon or mechanism the session has by
 * then. All of it is post-processing: it reads only released values and public
 * parameters.
 */
#ifndef DP_GATE_RELEASE_INTERVALS_H
#define DP_GATE_RELEASE_INTERVALS_H

#include "aggregates/law.h"
#include "gate/release/node.h"

struct DpReleaseState;

/* The columns that are shown: expressions, or nulls, of their types. */
extern List *dp_gate_shown_columns(const DpRelease *release);

/* All that the rows have. */
extern List *dp_gate_kept_columns(const DpRelease *release);

/* Those of a statement beneath: some keys, and what is computed. */
extern List *dp_gate_computed_columns(List *keys, List *aggregates);

/*
 * The columns of the aggregates' noisy sums, by aggno; -1 for those that have none.
 * In the current memory context.
 */
extern int *dp_gate_sums_columns(const DpRelease *release);

/*
 * Sets the answers of a row, and their sums, from what was computed. values,
 * nulls: beginning with the first aggregate.
 */
extern void dp_gate_set_answers(struct DpReleaseState *state, int64 row,
								const Datum *values, const bool *nulls);

/*
 * The law of an aggregate's answers: one that was set, of stored answers and of
 * those at privacy levels, or that of the call in this execution.
 */
extern const DpLaw *dp_gate_law(struct DpReleaseState *state, int aggno);
extern void dp_gate_set_law(struct DpReleaseState *state, int aggno,
							const DpLaw *law);
extern void dp_gate_forget_law(struct DpReleaseState *state, int aggno);

/*
 * Finds the levels of an execution, before anything is charged. Error:
 * invalid_parameter_value.
 */
extern void dp_gate_find_levels(struct DpReleaseState *state);

/* Fills in the ends of intervals, once all answers are there. */
extern void dp_gate_fill_ends(struct DpReleaseState *state);

#endif
