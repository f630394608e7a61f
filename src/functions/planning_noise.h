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
 * Reads the name and parameters of a mechanism that adds noise, whose error
 * therefore follows from epsilon and sensitivity.
 *
 * Errors: invalid_parameter_value; feature_not_supported for mechanisms whose
 * error depends on the data (exponential, above_threshold and the like), for
 * two_stage, which is no noise of its own, and for auto.
 */
extern void dp_planning_parse_noise(const char *mechanism,
									DpMechanismChoice *choice);

/*
 * Prepares noise for a query of the given sensitivity (> 0, in the query's
 * unit). geometric and discrete_staircase are integers, and need an integer
 * sensitivity of at most 2^42; the others are drawn on a grid of
 * sensitivity / 2^40.
 *
 * Errors: as dp_planning_parse_noise, and those of dp_noise_init.
 */
extern void dp_planning_noise_init(DpPlanningNoise *planning,
								   const char *mechanism, double epsilon,
								   double sensitivity);

#endif
