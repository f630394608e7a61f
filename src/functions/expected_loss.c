/*
 * expected_loss.c
 *		dp_expected_loss() and dp_remap(): what answers are worth, and how an
 *		analyst makes the most of one.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/builtins.h"

#include "functions/count_arguments.h"
#include "functions/planning_noise.h"
#include "mechanisms/two_stage.h"
#include "server/report.h"
#include "planning/remap.h"

PG_FUNCTION_INFO_V1(dp_expected_loss);
PG_FUNCTION_INFO_V1(dp_remap);

/* Probabilities that a remapped loss may go through: about a second. */
#define WORK_MAX 2e8

/* The loss of noise without clamping, for the least favourable answer. */
static double
raw_loss(text *mechanism, const DpMechanismChoice *choice, double epsilon,
		 double sensitivity, DpLoss loss)
{
	DpPlanningNoise planning;
	DpTwoStage levels;
	DpEpsilon rounded;

	if (choice->mechanism != DP_TWO_STAGE)
	{
		dp_planning_noise_init(&planning, text_to_cstring(mechanism), epsilon,
							   sensitivity);
		return dp_loss_raw(&planning.noise, epsilon, planning.step, loss);
	}
	dp_report_status(dp_epsilon_from_double(epsilon, &rounded));
	if (!isfinite(sensitivity) || sensitivity <= 0)
		dp_report_status(DP_SENSITIVITY_OUT_OF_RANGE);
	dp_report_status(dp_two_stage_init(&levels, choice, rounded, true));
	return dp_loss_levels(&levels, 2 * sensitivity, loss);
}

static double
remapped_loss(const DpCountLaw *law, DpLoss loss, const double *prior)
{
	double result;
	int answers = dp_remap_answers(law);

	if (answers > DP_REMAP_MAX || (double) answers * law->n > WORK_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the noise is too wide to enumerate all answers"),
				 errhint("Write a truncated mechanism, geometric, or a greater "
						 "epsilon.")));
	dp_report_status(dp_remap_loss(law, loss, prior, &result));
	return result;
}

/* Refuses combinations of prior, upper and remap that make no sense. */
static void
check_domain(bool has_prior, bool has_upper, int upper, bool remap)
{
	if (has_prior && has_upper)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("prior and upper cannot be given together"),
			 errhint(
				 "The length of the prior is the upper limit; without a prior, "
				 "the least favourable count of 0 .. upper is taken.")));
	if (remap && !has_prior)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("answers are remapped with a prior"),
						errhint("Write the prior, or remap => false.")));
	if (has_upper && (upper < 1 || upper > DP_COUNT_MAX))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("upper must be between 1 and %d", DP_COUNT_MAX),
				 errhint("Leave it out where counts have no upper limit.")));
}

/*
 * (mechanism, epsilon, sensitivity, loss, prior, upper, remap) -> the expected
 * loss. Only prior and upper may be null, for none.
 */
Datum
dp_expected_loss(PG_FUNCTION_ARGS)
{
	bool has_prior = !PG_ARGISNULL(4);
	bool has_upper = !PG_ARGISNULL(5);
	double epsilon;
	double sensitivity;
	bool remap;
	DpMechanismChoice choice;
	DpCountLaw law;
	DpPrior prior = {NULL, 0};
	DpLoss loss;
	double result;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) ||
		PG_ARGISNULL(3) || PG_ARGISNULL(6))
		PG_RETURN_NULL();
	epsilon = PG_GETARG_FLOAT8(1);
	sensitivity = PG_GETARG_FLOAT8(2);
	remap = PG_GETARG_BOOL(6);
	choice = dp_argument_mechanism(PG_GETARG_TEXT_PP(0));
	loss = dp_argument_loss(PG_GETARG_TEXT_PP(3));
	check_domain(has_prior, has_upper, has_upper ? PG_GETARG_INT32(5) : 0,
				 remap);
	if (!has_prior && !has_upper)
		PG_RETURN_FLOAT8(raw_loss(PG_GETARG_TEXT_PP(0), &choice, epsilon,
								  sensitivity, loss));
	if (has_prior)
		prior = dp_argument_prior(PG_GETARG_ARRAYTYPE_P(4));
	dp_argument_count_law(&law, &choice, epsilon, sensitivity,
						  has_prior ? prior.n : PG_GETARG_INT32(5));
	if (remap)
		PG_RETURN_FLOAT8(remapped_loss(&law, loss, prior.weights));
	dp_report_status(has_prior
						 ? dp_loss_bayes(&law, loss, prior.weights, &result)
						 : dp_loss_worst(&law, loss, &result));
	PG_RETURN_FLOAT8(result);
}

/* (answer, mechanism, epsilon, sensitivity, prior, loss) -> the best guess */
Datum
dp_remap(PG_FUNCTION_ARGS)
{
	double answer = PG_GETARG_FLOAT8(0);
	DpMechanismChoice choice = dp_argument_mechanism(PG_GETARG_TEXT_PP(1));
	DpPrior prior = dp_argument_prior(PG_GETARG_ARRAYTYPE_P(4));
	DpLoss loss = dp_argument_loss(PG_GETARG_TEXT_PP(5));
	DpCountLaw law;
	double guess;

	if (!isfinite(answer))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("answer must be a finite number"),
						errhint("Write what a private aggregate answered.")));
	dp_argument_count_law(&law, &choice, PG_GETARG_FLOAT8(2),
						  PG_GETARG_FLOAT8(3), prior.n);
	dp_report_status(
		dp_remap_answer(&law, loss, prior.weights, answer, &guess));
	PG_RETURN_FLOAT8(guess);
}
