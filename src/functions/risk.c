/*
 * risk.c
 *		dp_disclosure_risk() and dp_epsilon_for_risk(): how to choose epsilon.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

#include "planning/risk.h"

PG_FUNCTION_INFO_V1(dp_disclosure_risk);
PG_FUNCTION_INFO_V1(dp_epsilon_for_risk);

/* Comparisons are such that NaN fails them. */
static void
check_probability(double value, const char *name)
{
	if (!(value > 0 && value < 1))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be between 0 and 1", name),
						errhint("Write a probability above 0 and below 1, such "
								"as 0.01.")));
}

/* (epsilon, prior) -> the greatest posterior */
Datum
dp_disclosure_risk(PG_FUNCTION_ARGS)
{
	double epsilon = PG_GETARG_FLOAT8(0);
	double prior = PG_GETARG_FLOAT8(1);

	if (!(epsilon >= 0) || isinf(epsilon))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon must be a finite number, 0 or more"),
				 errhint("Write the sum of the epsilons of all answers.")));
	check_probability(prior, "prior");
	PG_RETURN_FLOAT8(dp_disclosure_risk_of(epsilon, prior));
}

/* (risk, prior) -> epsilon */
Datum
dp_epsilon_for_risk(PG_FUNCTION_ARGS)
{
	double risk = PG_GETARG_FLOAT8(0);
	double prior = PG_GETARG_FLOAT8(1);

	check_probability(risk, "risk");
	check_probability(prior, "prior");
	if (risk <= prior)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("risk must be greater than prior"),
						errhint("The adversary believes the prior without any "
								"answer; no epsilon lowers that.")));
	PG_RETURN_FLOAT8(dp_epsilon_for_risk_of(risk, prior));
}
