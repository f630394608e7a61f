/*
 * sensitivity.c
 *		dp_noise.sample_sensitivity(): the sensitivity of a user-defined
 *		aggregate, by sampling.
 *
 * For people who plan: what it says is about the rows that are sampled, is not
 * private, and holds in a weaker sense than all other promises of the
 * extension (planning/sensitivity_sampling.h). It runs the aggregate,
 * somebody's code, and what the relation's owner wrote, so it does that as
 * that owner, restricted, and never where the gate or the server act for
 * another.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "functions/planning_noise.h"
#include "functions/sensitivity_samples.h"
#include "planning/sensitivity_sampling.h"
#include "server/ownership.h"
#include "server/result_row.h"

PG_FUNCTION_INFO_V1(dp_sample_sensitivity);

/* The rows of a database that is sampled, at most. */
#define ROWS_MAX 10000000

/*
 * Refuses callers that are not the owner, and code that runs in another role's
 * name.
 */
static void
check_caller(Oid relation)
{
	if (InSecurityRestrictedOperation())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("cannot sample an aggregate within a "
						"security-restricted operation"),
				 errhint("Call the function in a statement of its own.")));
	dp_lock_as_owner(relation);
}

/* The arguments but samples, which may be null, must not be. */
static void
check_nulls(FunctionCallInfo fcinfo)
{
	int i;

	for (i = 0; i < 8; i++)
	{
		if (PG_ARGISNULL(i) && i != 5)
			ereport(
				ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("parameters must not be null"),
				 errhint(
					 "Only samples may be null, for as few as gamma needs.")));
	}
}

static List *
column_names(ArrayType *array)
{
	List *names = NIL;
	Datum *elements;
	bool *nulls;
	int count;
	int i;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements,
					  &nulls, &count);
	for (i = 0; i < count; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("names of columns must not be null"),
							errhint("Name a column for each argument of the "
									"aggregate.")));
		names = lappend(names, TextDatumGetCString(elements[i]));
	}
	return names;
}

static DpPair
pair_of(const char *neighbours)
{
	if (strcmp(neighbours, "substitute") == 0)
		return DP_PAIR_SUBSTITUTE;
	if (strcmp(neighbours, "add_remove") == 0)
		return DP_PAIR_ADD_REMOVE;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unknown neighbours \"%s\"", neighbours),
					errhint("Write substitute or add_remove.")));
}

static DpSensitivityPlan
make_plan(FunctionCallInfo fcinfo)
{
	double gamma = PG_GETARG_FLOAT8(4);
	int32 samples = PG_ARGISNULL(5) ? 0 : PG_GETARG_INT32(5);
	DpSensitivityPlan plan;
	DpSensitivityPlan least;

	if (!PG_ARGISNULL(5) &&
		(samples < 1 || samples > DP_SENSITIVITY_SAMPLES_MAX))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("samples must be between 1 and %d",
							   DP_SENSITIVITY_SAMPLES_MAX),
						errhint("Leave samples out for as few as gamma "
								"needs.")));
	if (dp_sensitivity_plan_init(&least, gamma, 0) != DP_OK)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("gamma is out of range"),
						errdetail("Gamma must be below 1, and so great that "
								  "%d samples suffice.",
								  DP_SENSITIVITY_SAMPLES_MAX),
						errhint("Write a value such as 0.05.")));
	if (samples == 0)
		return least;
	if (dp_sensitivity_plan_init(&plan, gamma, (uint32) samples) != DP_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("samples are too few for gamma"),
				 errhint("This gamma needs %u samples.", least.samples)));
	return plan;
}

static int
compare_doubles(const void *a, const void *b)
{
	double left = *(const double *) a;
	double right = *(const double *) b;

	return (left > right) - (left < right);
}

/* The differences between neighbours in all samples, in ascending order. */
static double *
find_differences(FunctionCallInfo fcinfo, const DpSensitivityPlan *plan)
{
	double *differences = palloc(plan->samples * sizeof(double));
	DpPair pair = pair_of(text_to_cstring(PG_GETARG_TEXT_PP(7)));
	List *columns = column_names(PG_GETARG_ARRAYTYPE_P(2));
	DpSampler sampler;
	uint32 i;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	dp_sampler_open(&sampler, PG_GETARG_OID(0), PG_GETARG_OID(1), columns);
	for (i = 0; i < plan->samples; i++)
	{
		CHECK_FOR_INTERRUPTS();
		differences[i] =
			dp_sampler_difference(&sampler, PG_GETARG_INT32(3), pair);
	}
	SPI_finish();
	qsort(differences, plan->samples, sizeof(double), compare_doubles);
	return differences;
}

/*
 * Runs as the owner: the caller need not trust the code that reading the
 * relation runs.
 */
static double *
sample_differences(FunctionCallInfo fcinfo, const DpSensitivityPlan *plan)
{
	double *volatile differences = NULL;
	DpActing acting;

	dp_act_as(&acting, dp_owner_of(PG_GETARG_OID(1)));
	PG_TRY();
	{
		differences = find_differences(fcinfo, plan);
	}
	PG_FINALLY();
	{
		dp_act_as_before(&acting);
	}
	PG_END_TRY();
	return differences;
}

/*
 * (aggregate, relation, columns, rows, gamma, samples, mechanism, neighbours)
 * -> (sensitivity, greatest_seen, samples, order_statistic, rho, gamma, delta)
 */
Datum
dp_sample_sensitivity(PG_FUNCTION_ARGS)
{
	DpMechanismChoice choice;
	DpSensitivityPlan plan;
	double *differences;
	Datum row[7];
	bool nulls[7] = {false};

	check_nulls(fcinfo);
	check_caller(PG_GETARG_OID(1));
	dp_planning_parse_noise(text_to_cstring(PG_GETARG_TEXT_PP(6)), &choice);
	if (PG_GETARG_INT32(3) < 1 || PG_GETARG_INT32(3) > ROWS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("rows must be between 1 and %d", ROWS_MAX),
						errhint("Write how many rows there are in the table "
								"that the aggregate is for.")));
	plan = make_plan(fcinfo);
	differences = sample_differences(fcinfo, &plan);
	row[0] = Float8GetDatum(differences[plan.order - 1]);
	row[1] = Float8GetDatum(differences[plan.samples - 1]);
	row[2] = Int32GetDatum((int32) plan.samples);
	row[3] = Int32GetDatum((int32) plan.order);
	row[4] = Float8GetDatum(plan.rho);
	row[5] = Float8GetDatum(plan.gamma);
	row[6] = Float8GetDatum(choice.mechanism == DP_GAUSSIAN ? choice.delta : 0);
	PG_RETURN_DATUM(dp_result_row(fcinfo, row, nulls));
}
