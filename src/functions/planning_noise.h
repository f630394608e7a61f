/*
 * planning_noise.h
 *		Noise by name, in the unit of the query: for planning and teaching.
 */
#ifndef DP_FUNCTIONS_PLANNING_NOISE_H
#define DP_FUNCTIONS_PLANNING_NOISE_H

#include "mechanisms/noise.h"

typedef struct DpPlanningNoise
{
	DpNoise noise;
	double step; /* one integer of the noise, in the query's unit */
} DpPlanningNoise;

/*
 * Prepares noise for a query of the given sensitivity (> 0, in the query's
 * unit). geometric and discrete_staircase are integers, and need an integer
 * sensitivity of at most 2^42; the others are drawn on a grid of
 * sensitivity / 2^40.
 *
 * Errors: invalid_parameter_value; feature_not_supported for mechanisms whose
 * error depends on the data (exponential, above_threshold and the like), for
 * two_stage, which is no noise of its own, and for auto.
 */
extern void dp_planning_noise_init(DpPlanningNoise *planning,
								   const char *mechanism, double epsilon,
								   double sensitivity);

#endif
