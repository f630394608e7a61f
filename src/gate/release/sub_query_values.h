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

/* Adds a value that is passed by value to the parameters of the execution. */
extern void dp_sub_query_values_add(DpReleaseState *state, int number, Oid type,
									Datum value);

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
