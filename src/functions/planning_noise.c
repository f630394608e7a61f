/*
 * planning_noise.c
 *		Preparation of noise from SQL arguments.
 */
#include "postgres.h"

#include <math.h>

#include "core/epsilon.h"
#include "core/grid.h"
#include "functions/planning_noise.h"
#include "server/report.h"

void
dp_planning_parse_noise(const char *mechanism, DpMechanismChoice *choice)
{
	dp_report_parse_mechanism(mechanism, choice);
	if (!dp_mechanism_is_noise(choice->mechanism))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("the error of mechanism %s does not follow from "
							   "epsilon and sensitivity alone",
							   dp_mechanism_name(choice->mechanism)),
						errhint("Write laplace, geometric, staircase, "
								"discrete_staircase or gaussian.")));
}

void
dp_planning_noise_init(DpPlanningNoise *planning, const char *mechanism,
					   double epsilon, double sensitivity)
{
	DpMechanismChoice choice;
	DpEpsilon rounded;
	uint64 steps = UINT64CONST(1) << DP_GRID_BITS;

	dp_planning_parse_noise(mechanism, &choice);
	dp_report_status(dp_epsilon_from_double(epsilon, &rounded));
	if (!isfinite(sensitivity) || sensitivity <= 0)
		dp_report_status(DP_SENSITIVITY_OUT_OF_RANGE);

	planning->step = sensitivity / (double) steps;
	if (dp_mechanism_is_integer(choice.mechanism))
	{
		if (sensitivity > (double) DP_SENSITIVITY_MAX ||
			sensitivity != rint(sensitivity))
			dp_report_status(DP_SENSITIVITY_OUT_OF_RANGE);
		steps = (uint64) sensitivity;
		planning->step = 1;
	}
	dp_report_status(dp_noise_init(&planning->noise, &choice, rounded, steps));
}
