/*
 * call_grid.h
 *		The grid of a call, from its bounds.
 *
 * Private to the checking of calls.
 */
#ifndef DP_AGGREGATES_CALL_GRID_H
#define DP_AGGREGATES_CALL_GRID_H

#include "aggregates/call.h"
#include "aggregates/parameters.h"

/*
 * Makes the grid of a call, whose aggregate and type are set, from the bounds,
 * the arguments argno and argno + 1. Errors: invalid_parameter_value, and
 * those of dp_parameters_check.
 */
extern void dp_call_set_grid(DpCall *call, const DpParameters *parameters,
							 int argno);

/*
 * Brings the mechanism's quantum from the value's unit into steps of the grid.
 * Over integers, each of them a step, one that is no whole number is kept, and
 * refused when noise is prepared; elsewhere it is rounded.
 */
extern void dp_call_set_quantum(DpCall *call);

#endif
