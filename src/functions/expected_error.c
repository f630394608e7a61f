/*
 * expected_error.c
 *		dp_expected_error(): what error to expect of a mechanism.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/builtins.h"

#include "functions/planning_noise.h"
#include "mechanisms/expected_error.h"
#include "mechanisms/two_stage.h"
#include "server/report.h"
#include "server/result_row.h"

PG_FUNCTION_INFO_V1(dp_expected_error);

/*
 * The error of levels over a span of twice the sensitivity, as for a mean.
 * Returns the span, which is the unit of the error.
 */
static double
two_stage_error(const DpMechanismChoice *choice, double epsilon,
				double sensitivity, DpError *error)
{
	DpEpsilon rounded;
	DpTwoStage prepared;

	dp_report_status(dp_epsilon_from_double(epsilon, &rounded));
	if (!isfinite(sensitivity) || sensitivity <= 0)
		dp_report_status(DP_SENSITIVITY_OUT_OF_RANGE);
	dp_report_status(dp_two_stage_init(&prepared, choice, rounded, true));
	dp_two_stage_error(&prepared, error);
	return 2 * sensitivity;
}

/* (mechanism text, epsilon, sensitivity) -> (E|X|, rms, 95% half-width) */
Datum
dp_expected_error(PG_FUNCTION_ARGS)
{
	double epsilon = PG_GETARG_FLOAT8(1);
	const char *mechanism = text_to_cstring(PG_GETARG_TEXT_PP(0));
	double sensitivity = PG_GETARG_FLOAT8(2);
	DpMechanismChoice choice;
	double unit;
	DpError error;
	Datum values[3];
	bool nulls[3] = {false, false, false};

	dp_report_parse_mechanism(mechanism, &choice);
	if (choice.mechanism == DP_TWO_STAGE)
		unit = two_stage_error(&choice, epsilon, sensitivity, &error);
	else
	{
		DpPlanningNoise planning;

		dp_planning_noise_init(&planning, mechanism, epsilon, sensitivity);
		dp_expected_error_of(&planning.noise, epsilon, &error);
		unit = planning.step;
	}
	values[0] = Float8GetDatum(error.mean_absolute * unit);
	values[1] = Float8GetDatum(error.root_mean_square * unit);
	values[2] = Float8GetDatum(error.half_width_95 * unit);
	PG_RETURN_DATUM(dp_result_row(fcinfo, values, nulls));
}
