/*
 * report.c
 *		Errors, each with an errcode and a hint.
 */
#include "postgres.h"

#include "core/epsilon.h"
#include "server/report.h"

void
dp_report_status(DpStatus status)
{
	switch (status)
	{
		case DP_OK:
			return;
		case DP_OUT_OF_MEMORY:
			ereport(ERROR,
					(errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
		case DP_RANDOM_FAILED:
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("could not generate random values"),
					 errhint("The random source of OpenSSL failed; check that "
							 "the operating system provides entropy.")));
		case DP_EPSILON_OUT_OF_RANGE:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("epsilon is out of range"),
					 errdetail("Epsilon must be between 2^-20 (about 9.54e-7) "
							   "and 1000000, and at least twice the minimum "
							   "where it is split in two."),
					 errhint("Write a value such as 0.1 or 1.")));
		case DP_BOUNDS_NOT_FINITE:
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("bounds must be finite"),
							errhint("Write the least and the greatest value "
									"that a row can sensibly have.")));
		case DP_BOUNDS_REVERSED:
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("lower bound is greater than upper bound"),
							errhint("Write the lower bound first.")));
		case DP_SENSITIVITY_OUT_OF_RANGE:
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("sensitivity is out of range"),
							errhint("Sensitivity must be positive, and at most "
									"2^42 where it must be a whole number.")));
		case DP_PARAMETER_OUT_OF_RANGE:
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg(
					 "a parameter of the mechanism is missing or out of range"),
				 errhint(
					 "gaussian and smooth_laplace need delta, as in "
					 "gaussian(delta=1e-6); r of a staircase is at most the "
					 "sensitivity; a quantum is a whole number over integers, "
					 "and not for means.")));
		case DP_MECHANISM_NOT_APPLICABLE:
			ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
							errmsg("the mechanism does not apply here"),
							errhint("Write another mechanism, or auto.")));
	}
	elog(ERROR, "unexpected status %d", (int) status);
}

void
dp_report_parse_mechanism(const char *text, DpMechanismChoice *choice)
{
	switch (dp_mechanism_parse(text, choice))
	{
		case DP_MECHANISM_VALID:
			return;
		case DP_MECHANISM_UNKNOWN:
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("unknown mechanism \"%s\"", text),
							errhint("Available mechanisms: %s.",
									dp_mechanism_names())));
		case DP_MECHANISM_SYNTAX:
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("invalid mechanism \"%s\"", text),
							errhint("Write a name, or name(parameter=value, "
									"...), such as staircase(gamma=0.3).")));
		case DP_MECHANISM_PARAMETER:
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown parameter in mechanism \"%s\"", text),
				 errhint(
					 "staircase takes gamma or cost, discrete_staircase "
					 "also r, geometric quantum, two_stage levels, gaussian "
					 "delta, exponential rank, smooth_cauchy constants, "
					 "smooth_laplace delta and constants, "
					 "abstract_staircase gamma or r.")));
		case DP_MECHANISM_VALUE:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("parameter value out of range in mechanism \"%s\"",
							text),
					 errhint("gamma is in (0, 1], cost is l1 or l2, r is a "
							 "whole number from 1, delta is in (0, 1), rank is "
							 "at least 0, quantum above 0, levels a whole "
							 "number from 2 to 100, constants tight or nrs.")));
	}
}

void
dp_report_short_file(void)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
					errmsg("unexpected end of a temporary file")));
}

DpRandom *
dp_report_random(void)
{
	DpRandom *random = dp_random_system();

	if (random == NULL)
		dp_report_status(DP_OUT_OF_MEMORY);
	return random;
}
