/*
 * sub_query_values.h
 *		The values of sub-queries that a release waits for.
 */
#ifndef DP_GATE_RELEASE_SUB_QUERY_VALUES_H
#define DP_GATE_RELEASE_SUB_QUERY_VALUES_H

#include "gate/release/release_state.h"

/*
 * True where a release has constants (gate/read/parameter.h)
 * that are not found yet.
 */
extern bool dp_sub_query_values_are_awaited(const DpReleaseState *state);

/* True for an expression that names one. */
extern bool dp_sub_query_values_are_named(const DpReleaseState *state,
										  Node *expression);

/*
 * Adds so many parameters to those of the execution, with numbers from the first on,
 * and returns room for their values, in the memory of the execution. One whose type is
 * not set is none of them. Statements look a parameter up for each row, so those that
 * belong together are added at once.
 */
extern ParamExternData *dp_sub_query_values_room(DpReleaseState *state,
												 int first, int count);

/*
 * Runs them, in order, with the rights of whoever asks, and adds their values
 * to the parameters of the execution. To be called before anything is asked,
 * since they may ask, and run what users wrote. Errors: theirs;
 * cardinality_violation for several rows.
 */
extern void dp_sub_query_values_find(DpReleaseState *state);

/*
 * The same for EXPLAIN, which asks and runs nothing: only if all constants are
 * the asker's name or settings.
 */
extern void dp_sub_query_values_find_of_asker(DpReleaseState *state);

#endif
