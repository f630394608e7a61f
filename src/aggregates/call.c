/*
 * call.c
 *		Checks and prepares the parameters of an aggregate call.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "aggregates/call.h"
#include "aggregates/numeric_value.h"
#include "aggregates/parameters.h"
#include "server/report.h"
#include "server/settings.h"

/* Where an aggregate has which argument; the rest follows the bounds. */
typedef struct Shape
{
	const char *name;
	int data;	  /* arguments before the bounds */
	bool bounded; /* takes lower and upper */
	bool named;	  /* takes a mechanism */
} Shape;

static const Shape shapes[] = {
	[DP_AGGREGATE_COUNT] = {"dp_count", 1, false, true},
	[DP_AGGREGATE_SUM] = {"dp_sum", 1, true, true},
	[DP_AGGREGATE_MEAN] = {"dp_mean", 1, true, true},
	[DP_AGGREGATE_MAX] = {"dp_max", 1, true, true},
	[DP_AGGREGATE_MIN] = {"dp_min", 1, true, true},
	[DP_AGGREGATE_MEDIAN] = {"dp_median_exp", 1, true, false},
	[DP_AGGREGATE_QUANTILE] = {"dp_quantile_exp", 2, true, false},
};

/* Refuses a parameter that may differ between rows, or is NULL. */
static void
check_parameter(const DpParameters *parameters, int place, const char *name)
{
	if (!parameters->known[place])
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s of a private aggregate must be the same for all rows",
					name),
			 errhint("Write a constant or a query parameter such as $1."),
			 dp_parameters_position(parameters, place)));
	if (parameters->nulls[place])
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s of a private aggregate must not be null", name),
				 errhint("Leave the argument out to use its default, or write "
						 "a value."),
				 dp_parameters_position(parameters, place)));
}

static void
set_epsilon(DpCall *call, double epsilon, const DpParameters *parameters,
			int place)
{
	if (dp_epsilon_from_double(epsilon, &call->epsilon) != DP_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon is out of range"),
				 errdetail("Epsilon is %s; it must be between 2^-20 (about "
						   "9.54e-7) and 1000000.",
						   float8out_internal(epsilon)),
				 errhint("Write a value such as 0.1 or 1."),
				 place < 0 ? 0 : dp_parameters_position(parameters, place)));
	call->epsilon_asked = epsilon;
}

/* Least and greatest value of an integer type. */
static void
integer_range(Oid type, int64 *least, int64 *greatest)
{
	switch (type)
	{
		case INT2OID:
			*least = PG_INT16_MIN;
			*greatest = PG_INT16_MAX;
			break;
		case INT4OID:
			*least = PG_INT32_MIN;
			*greatest = PG_INT32_MAX;
			break;
		default:
			*least = PG_INT64_MIN;
			*greatest = PG_INT64_MAX;
	}
}

/* A finite numeric as bigint: rounded up or down, then brought into range. */
static int64
round_bound(Datum bound, bool up, int64 least, int64 greatest)
{
	Datum rounded =
		DirectFunctionCall1(up ? numeric_ceil : numeric_floor, bound);
	Datum low = NumericGetDatum(int64_to_numeric(least));
	Datum high = NumericGetDatum(int64_to_numeric(greatest));

	if (DatumGetBool(DirectFunctionCall2(numeric_le, rounded, low)))
		return least;
	if (DatumGetBool(DirectFunctionCall2(numeric_ge, rounded, high)))
		return greatest;
	return DatumGetInt64(DirectFunctionCall1(numeric_int8, rounded));
}

/*
 * The grid for an integer type. Sums and means clamp to any bounds in the
 * range of bigint; the answers of the others must fit the type.
 */
static void
set_integer_grid(DpCall *call, Datum lower, Datum upper, DpGridScale scale,
				 const DpParameters *parameters, int place)
{
	bool answers_values = call->aggregate != DP_AGGREGATE_SUM &&
						  call->aggregate != DP_AGGREGATE_MEAN;
	int64 least;
	int64 greatest;
	int64 from;
	int64 to;

	if (DatumGetBool(DirectFunctionCall2(numeric_gt, lower, upper)))
		dp_report_status(DP_BOUNDS_REVERSED);
	integer_range(answers_values ? call->type : INT8OID, &least, &greatest);
	from = round_bound(lower, true, least, greatest);
	to = round_bound(upper, false, least, greatest);
	if (from > to ||
		DatumGetBool(DirectFunctionCall2(
			numeric_gt, lower, NumericGetDatum(int64_to_numeric(greatest)))) ||
		DatumGetBool(DirectFunctionCall2(
			numeric_lt, upper, NumericGetDatum(int64_to_numeric(least)))))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("there is no value of type %s between the bounds",
					format_type_be(answers_values ? call->type : INT8OID)),
			 errhint("Write bounds that values of the type can lie between."),
			 dp_parameters_position(parameters, place)));
	dp_report_status(dp_grid_for_integers(from, to, scale, &call->grid));
}

/* A bound of type numeric or double precision; NaN and infinities as double. */
static double
bound_to_double(const DpParameters *parameters, int place)
{
	if (parameters->types[place] == NUMERICOID)
		return dp_numeric_to_double(parameters->values[place]);
	return DatumGetFloat8(parameters->values[place]);
}

static void
set_grid(DpCall *call, const DpParameters *parameters, int place)
{
	DpGridScale scale =
		call->aggregate == DP_AGGREGATE_SUM ? DP_GRID_MAGNITUDE : DP_GRID_SPAN;
	double lower;
	double upper;

	check_parameter(parameters, place, "lower bound");
	check_parameter(parameters, place + 1, "upper bound");
	lower = bound_to_double(parameters, place);
	upper = bound_to_double(parameters, place + 1);
	if (!isfinite(lower) || !isfinite(upper))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bounds must be finite"),
				 errdetail("Bounds must lie in the range of double precision."),
				 errhint("Write the least and the greatest value that a row "
						 "can sensibly have."),
				 dp_parameters_position(parameters,
										isfinite(lower) ? place + 1 : place)));

	if (call->type == INT2OID || call->type == INT4OID || call->type == INT8OID)
		set_integer_grid(call, parameters->values[place],
						 parameters->values[place + 1], scale, parameters,
						 place);
	else
	{
		/* Answers of type real must not become infinite. */
		if (call->type == FLOAT4OID && scale == DP_GRID_SPAN)
		{
			lower = fmin(fmax(lower, -FLT_MAX), FLT_MAX);
			upper = fmin(fmax(upper, -FLT_MAX), FLT_MAX);
		}
		dp_report_status(dp_grid_for_doubles(lower, upper, scale, &call->grid));
	}
}

void
dp_call_check(const DpParameters *given, DpCall *call)
{
	const Shape *shape = &shapes[call->aggregate];
	DpParameters parameters = *given;
	int place = shape->data;

	call->type = shape->bounded ? parameters.types[0] : InvalidOid;
	call->fraction = 0.5;
	call->contribution = dp_contribution_of_row(DP_ADD_REMOVE);
	if (call->aggregate == DP_AGGREGATE_QUANTILE)
	{
		check_parameter(&parameters, 1, "fraction");
		call->fraction = DatumGetFloat8(parameters.values[1]);
		if (!(call->fraction >= 0 && call->fraction <= 1))
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("fraction of dp_quantile_exp must be between 0 and 1"),
				 errhint(
					 "Write 0.5 for the median, 0.25 for the lower quartile."),
				 dp_parameters_position(&parameters, 1)));
	}
	if (shape->bounded)
	{
		if (parameters.count <= place)
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s needs bounds", shape->name),
				 errdetail("The bounds decide how much noise hides one row."),
				 errhint("Write %s(value, %slower, upper).", shape->name,
						 shape->data == 2 ? "fraction, " : "")));
		set_grid(call, &parameters, place);
		place += 2;
	}
	if (parameters.count > place)
	{
		check_parameter(&parameters, place, "epsilon");
		set_epsilon(call, DatumGetFloat8(parameters.values[place]), &parameters,
					place);
	}
	else
		set_epsilon(call, dp_setting_epsilon, &parameters, -1);
	place++;
	if (shape->named && parameters.count > place)
	{
		check_parameter(&parameters, place, "mechanism");
		dp_report_parse_mechanism(TextDatumGetCString(parameters.values[place]),
								  &call->choice);
	}
	else if (shape->named)
		dp_report_parse_mechanism(dp_setting_mechanism, &call->choice);
	else
		call->choice =
			(DpMechanismChoice){.mechanism = DP_EXPONENTIAL, .rank = -1};
}

bool
dp_call_aggregate_of(const char *name, DpAggregate *aggregate)
{
	size_t i;

	for (i = 0; i < lengthof(shapes); i++)
	{
		if (strcmp(shapes[i].name, name) == 0)
		{
			*aggregate = (DpAggregate) i;
			return true;
		}
	}
	return false;
}

const char *
dp_call_name(DpAggregate aggregate)
{
	return shapes[aggregate].name;
}

int
dp_call_data_arguments(DpAggregate aggregate)
{
	return shapes[aggregate].data;
}

DpCall *
dp_call_get(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	FmgrInfo *flinfo = fcinfo->flinfo;

	if (flinfo->fn_extra == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(flinfo->fn_mcxt);
		DpCall *call = palloc0(sizeof(DpCall));
		DpParameters parameters;

		call->aggregate = aggregate;
		dp_parameters_read(fcinfo, 1, &parameters);
		dp_call_check(&parameters, call);
		MemoryContextSwitchTo(old);
		flinfo->fn_extra = call;
	}
	return flinfo->fn_extra;
}

void
dp_call_report(const DpCall *call, DpStatus status)
{
	if (status == DP_MECHANISM_NOT_APPLICABLE)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("mechanism %s cannot be used with %s",
						dp_mechanism_name(call->choice.mechanism),
						shapes[call->aggregate].name),
				 errhint("Available mechanisms: auto, laplace, geometric, "
						 "staircase, discrete_staircase, gaussian and the "
						 "truncated forms.")));
	dp_report_status(status);
}

Datum
dp_call_value_of(const DpCall *call, int64 point)
{
	const DpGrid *grid = &call->grid;

	switch (call->type)
	{
		case INT2OID:
			return Int16GetDatum((int16) point);
		case INT4OID:
			return Int32GetDatum((int32) point);
		case INT8OID:
			/* lower and upper were rounded inwards, so this cannot overflow */
			return Int64GetDatum(point * (INT64CONST(1) << grid->exponent));
		case FLOAT4OID:
			return Float4GetDatum(
				(float) dp_grid_to_double(grid, (double) point));
		case FLOAT8OID:
			return Float8GetDatum(dp_grid_to_double(grid, (double) point));
		default:
			return NumericGetDatum(
				dp_numeric_scale(int64_to_numeric(point), grid->exponent));
	}
}
