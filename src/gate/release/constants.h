/*
 * constants.h
 *		The values of sub-queries that a release waits for.
 */
#ifndef DP_GATE_RELEASE_CONSTANTS_H
#define DP_GATE_RELEASE_CONSTANTS_H

#include "gate/release/state.h"

/*
 * True where a release has constants (gate/question/expressions/constants.h)
 * that are not found yet.
 */
extern bool dp_gate_awaits_constants(const DpReleaseState *state);

/* True for an expression that names one. */
extern bool dp_gate_names_constant(const DpReleaseState *state,
								   Node *expression);

/* Adds a value that is passed by value to the parameters of the execution. */
extern void dp_gate_add_parameter(DpReleaseState *state, int number, Oid type,
								  Datum value);

/*
 * Runs them, in order, with the rights of whoever asks, and adds their values
 * to the parameters of the execution. To be called before anything is asked,
 * since they may ask, and run what users wrote. Errors: theirs;
 * cardinality_violation for several rows.
 */
extern void dp_gate_find_constants(DpReleaseState *state);

/*
 * The same for EXPLAIN, which asks and runs nothing: only if all constants are
 * the asker's name or settings.
 */
extern void dp_gate_find_askers_constants(DpReleaseState *state);

#endif
