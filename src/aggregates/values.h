/*
 * values.h
 *		What aggregates that keep grid points have in common.
 */
#ifndef DP_AGGREGATES_VALUES_H
#define DP_AGGREGATES_VALUES_H

#include "aggregates/call.h"
#include "aggregates/values_state.h"

/*
 * Adds a privacy unit's sample of points, the function's last argument, which
 * may be null. Errors: invalid_parameter_value (more points than may count).
 */
extern void dp_values_add_sample(FunctionCallInfo fcinfo, const DpCall *call,
								 DpValuesState *state);

#endif
