/*
 * collusion.c
 *		dp_collusion_loss() and dp_epsilon_for_colluders(): what answers are
 *		worth to analysts who put them together.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "core/epsilon.h"
#include "server/report.h"
#include "server/result_row.h"
#include "planning/collusion.h"

PG_FUNCTION_INFO_V1(dp_collusion_loss);
PG_FUNCTION_INFO_V1(dp_epsilon_for_colluders);

static void
check_arguments(text *mechanism, double epsilon, int colluders,
				DpMechanismChoice *choice)
{
	DpEpsilon rounded;

	dp_report_parse_mechanism(text_to_cstring(mechanism), choice);
	if (!dp_collusion_applies(choice))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("what colluders learn from mechanism %s is not known",
						dp_mechanism_name(choice->mechanism)),
				 errhint("Write laplace, staircase, or geometric without a "
						 "quantum.")));
	dp_report_status(dp_epsilon_from_double(epsilon, &rounded));
	if (colluders < 1 || colluders > DP_COLLUDERS_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("colluders must be between 1 and %d", DP_COLLUDERS_MAX),
				 errhint("Write how many answers are combined.")));
}

static Datum
pair_of(FunctionCallInfo fcinfo, double first, double second)
{
	Datum values[2] = {Float8GetDatum(first), Float8GetDatum(second)};
	bool nulls[2] = {false, false};
	return dp_result_row(fcinfo, values, nulls);
}

/* (mechanism, epsilon, colluders) -> (trend, attack) */
Datum
dp_collusion_loss(PG_FUNCTION_ARGS)
{
	double epsilon = PG_GETARG_FLOAT8(1);
	int colluders = PG_GETARG_INT32(2);
	DpMechanismChoice choice;
	DpCollusion loss;

	check_arguments(PG_GETARG_TEXT_PP(0), epsilon, colluders, &choice);
	dp_report_status(dp_collusion_loss_of(&choice, epsilon, colluders, &loss));
	PG_RETURN_DATUM(pair_of(fcinfo, loss.trend, loss.attack));
}

/* (epsilon, colluders, mechanism) -> (composition, trend) */
Datum
dp_epsilon_for_colluders(PG_FUNCTION_ARGS)
{
	double epsilon = PG_GETARG_FLOAT8(0);
	int colluders = PG_GETARG_INT32(1);
	DpMechanismChoice choice;

	check_arguments(PG_GETARG_TEXT_PP(2), epsilon, colluders, &choice);
	PG_RETURN_DATUM(pair_of(fcinfo, epsilon / colluders,
							dp_epsilon_by_trend(&choice, epsilon, colluders)));
}
