/*
 * premises.h
 *		What must hold when a statement asks, before it is charged.
 */
#ifndef DP_GATE_RELEASE_PREMISES_H
#define DP_GATE_RELEASE_PREMISES_H

#include "gate/release/release_state.h"

/*
 * Refuses to ask for releases where an answer would not be paid for, or would
 * be seen elsewhere: feature_not_supported, insufficient_privilege.
 */
extern void dp_premises_check_payer(List *states);

/*
 * Refuses a plan that was made under other settings of what a privacy unit may
 * contribute: object_not_in_prerequisite_state.
 */
extern void dp_premises_check_caps(const DpReleaseState *state);

/*
 * What the plan relies on: the shapes of all relations, the owners' settings, and
 * that the rows are not older than what is known of them. Errors: those of
 * dp_shapes_check, dp_reliance_check and dp_definition_compare_ages.
 */
extern void dp_premises_check(const DpReleaseState *state);

/*
 * Refuses samples of units that might not fit into memory, or into a value of
 * the server's. This depends on the caps alone and comes before the charge, so
 * it does not reveal whether a unit has so many rows. Error:
 * program_limit_exceeded.
 */
extern void dp_premises_check_samples(const DpReleaseState *state,
									  const DpCall *call);

#endif
