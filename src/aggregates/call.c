/*
 * call.c
 *		Checks and prepares the parameters of an aggregate call.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "accounting/amount.h"
#include "aggregates/call.h"
#include "aggregates/call_grid.h"
#include "aggregates/categories.h"
#include "aggregates/numeric_value.h"
#include "aggregates/parameters.h"
#include "mechanisms/quantiles.h"
#include "server/report.h"
#include "server/settings.h"

PG_FUNCTION_INFO_V1(dp_refuse_money);

static void
set_epsilon(DpCall *call, double epsilon, const DpParameters *parameters,
			int argno)
{
	if (!dp_amount_epsilon_of(epsilon, &call->epsilon))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon is out of range"),
				 errdetail("Epsilon is %s; it must be between 2^-20 (about "
						   "9.54e-7) and 1000000.",
						   float8out_internal(epsilon)),
				 errhint("Write a value such as 0.1 or 1."),
				 argno < 0 ? 0 : dp_parameters_position(parameters, argno)));
	call->epsilon_asked = epsilon;
}

/* A delta is used as it is charged, and not the double next to that. */
static void
limit_delta(DpMechanismChoice *choice)
{
	DpAmount charged;

	if (dp_amount_from_double(choice->delta, &charged))
		choice->delta = Min(choice->delta, dp_amount_to_delta(charged));
}

void
dp_call_set_mechanism(DpCall *call, const char *mechanism)
{
	bool by_rho = call->choice.by_rho;

	dp_report_parse_mechanism(mechanism, &call->choice);
	limit_delta(&call->choice);
	call->choice.by_rho = by_rho;
}

/* The fraction of a quantile. */
static void
set_fraction(DpCall *call, const DpParameters *parameters)
{
	dp_parameters_check(parameters, 1, "fraction");
	call->fraction = DatumGetFloat8(parameters->values[1]);
	if (!(call->fraction >= 0 && call->fraction <= 1))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("fraction of dp_quantile_exp must be between 0 and 1"),
			 errhint("Write 0.5 for the median, 0.25 for the lower quartile."),
			 dp_parameters_position(parameters, 1)));
}

/* The fractions of several quantiles. */
static void
set_fractions(DpCall *call, const DpParameters *parameters)
{
	Datum *values;
	bool *nulls;
	int count;
	int i;

	dp_parameters_check(parameters, 1, "array of fractions");
	deconstruct_array(DatumGetArrayTypeP(parameters->values[1]), FLOAT8OID,
					  sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values,
					  &nulls, &count);
	if (count < 1 || count > DP_QUANTILES_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of fractions must be between 1 and %d",
						DP_QUANTILES_MAX),
				 errhint("Write ARRAY[0.25, 0.5, 0.75] for the quartiles."),
				 dp_parameters_position(parameters, 1)));
	call->fractions = palloc(count * sizeof(double));
	call->fraction_count = (uint32) count;
	for (i = 0; i < count; i++)
	{
		/* null is refused like a number that is no fraction */
		call->fractions[i] =
			nulls[i] ? get_float8_nan() : DatumGetFloat8(values[i]);
		if (!(call->fractions[i] >= 0 && call->fractions[i] <= 1))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("fractions of dp_quantiles_exp must be between 0 "
							"and 1, and not null"),
					 errhint("Write ARRAY[0.25, 0.5, 0.75] for the quartiles."),
					 dp_parameters_position(parameters, 1)));
	}
}

/*
 * The values of a mode: declared by an array, or known by the type. Returns
 * the index of what follows.
 */
static int
set_categories(DpCall *call, const DpParameters *parameters)
{
	call->type = getBaseType(parameters->types[0]);
	if (parameters->count < 2 ||
		!OidIsValid(get_base_element_type(parameters->types[1])))
	{
		call->categories = dp_categories_of_type(call->type);
		return 1;
	}
	dp_parameters_check(parameters, 1, "array of values");
	call->categories = dp_categories_of_array(call->type, parameters->collation,
											  parameters->values[1]);
	return 2;
}

/* The texts of a maximum or minimum: points of a grid are their indexes. */
static void
set_texts(DpCall *call, const DpParameters *parameters, int argno)
{
	dp_parameters_check(parameters, argno, "array of values");
	call->categories = dp_categories_of_texts(parameters->values[argno]);
	dp_report_status(dp_grid_for_integers(
		0, (int64) call->categories->count - 1, DP_GRID_SPAN, &call->grid));
}

static int32
read_cap(const DpParameters *parameters, int argno, int32 least,
		 const char *name)
{
	int32 cap;

	dp_parameters_check(parameters, argno, name);
	cap = DatumGetInt32(parameters->values[argno]);
	if (cap < least)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s must be at least %d", name, least),
						errhint("Write how many rows and groups of one privacy "
								"unit there may be.")));
	return cap;
}

/*
 * True for dp_count_distinct(value, epsilon, mechanism, values of a unit),
 * whose last three may be null, for their defaults.
 */
static bool
has_cap(const DpCall *call, const DpParameters *parameters)
{
	return dp_aggregate_get(call->aggregate)->takes_cap &&
		   parameters->count == DP_CALL_CAP + 1;
}

/* The last argument of dp_count_distinct. */
static void
read_values_cap(const DpParameters *parameters, DpCall *call)
{
	call->of_values = true;
	if (parameters->known[DP_CALL_CAP] && parameters->nulls[DP_CALL_CAP])
		return;
	dp_parameters_check(parameters, DP_CALL_CAP, "number of values");
	call->cap = (uint32) Max(DatumGetInt32(parameters->values[DP_CALL_CAP]), 0);
	if (call->cap == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of values must be at least 1"),
				 errhint("Write how many different values of one privacy unit "
						 "may count."),
				 dp_parameters_position(parameters, DP_CALL_CAP)));
}

/*
 * What the gate's forms take after the mechanism: ..._of_rows (groups,
 * substitute, by rho), ..._of_units (rows, groups, substitute, by rho, partial
 * result), ..._of_points (groups, substitute, by rho, number), ..._of_parts (rows, or
 * null where they are not those of units, groups, substitute, by rho, sum, number).
 */
static void
read_contribution(const DpParameters *parameters, int argno, DpCall *call)
{
	int count = parameters->count - argno;
	bool is_of_rows =
		count == 6 && parameters->known[argno] && parameters->nulls[argno];

	call->of_units = count >= 5 && !is_of_rows;
	argno += is_of_rows;
	if (call->of_units)
		call->contribution.rows =
			read_cap(parameters, argno++, 1, "number of rows");
	call->contribution.groups =
		read_cap(parameters, argno++, 0, "number of groups");
	dp_parameters_check(parameters, argno, "substitution");
	if (DatumGetBool(parameters->values[argno]))
		call->contribution.neighbours = DP_SUBSTITUTE;
	dp_parameters_check(parameters, ++argno, "choice by rho");
	call->choice.by_rho = DatumGetBool(parameters->values[argno]);
}

/* Whether a parameter is given; some forms have null for a default. */
static bool
is_given(const DpParameters *parameters, int argno, bool may_be_null)
{
	return parameters->count > argno &&
		   !(may_be_null && parameters->known[argno] &&
			 parameters->nulls[argno]);
}

/*
 * What an aggregate takes before the bounds. Returns the index of what
 * follows.
 */
static int
read_own_argument(const DpAggregateTraits *traits,
				  const DpParameters *parameters, DpCall *call)
{
	switch (traits->own)
	{
		case DP_OWN_NONE:
		case DP_OWN_VALUE:
			break;
		case DP_OWN_FRACTION:
			set_fraction(call, parameters);
			break;
		case DP_OWN_FRACTIONS:
			set_fractions(call, parameters);
			break;
		case DP_OWN_CATEGORIES:
			return set_categories(call, parameters);
	}
	return dp_aggregate_data_arguments(traits);
}

void
dp_call_check(const DpParameters *given, DpCall *call)
{
	const DpAggregateTraits *traits = dp_aggregate_get(call->aggregate);
	DpParameters parameters = *given;
	int argno;
	bool gate_form;
	bool may_be_null; /* what stands for a default */

	call->type = traits->takes_bounds || traits->needs_type
					 ? parameters.types[0]
					 : InvalidOid;
	call->ordered = dp_ordered_type(call->type);
	call->fraction = 0.5;
	call->contribution = dp_contribution_of_row(DP_ADD_REMOVE);
	argno = read_own_argument(traits, &parameters, call);
	if (traits->takes_bounds)
	{
		if (parameters.count <= argno)
		{
			DpWrittenCall written = {.aggregate = call->aggregate};

			if (call->type == TEXTOID)
				dp_call_refuse_without_texts(written, "");
			dp_call_refuse_without_bounds(written, "");
		}
		if (call->type == TEXTOID)
			set_texts(call, &parameters, argno);
		else
			dp_call_set_grid(call, &parameters, argno);
		argno += dp_aggregate_bounding_arguments(traits, call->type);
	}
	gate_form = parameters.count > argno + 2 && !has_cap(call, &parameters);
	may_be_null = gate_form || has_cap(call, &parameters);
	call->is_bounded = gate_form;
	call->of_values = traits->takes_cap && gate_form;
	if (has_cap(call, &parameters))
		read_values_cap(&parameters, call);
	call->names_epsilon = is_given(&parameters, argno, may_be_null);
	if (call->names_epsilon)
	{
		dp_parameters_check(&parameters, argno, "epsilon");
		set_epsilon(call, DatumGetFloat8(parameters.values[argno]), &parameters,
					argno);
	}
	else
		set_epsilon(call, dp_setting_epsilon_or(call->epsilon_default),
					&parameters, -1);
	argno++;
	if (traits->mechanisms != NULL && is_given(&parameters, argno, may_be_null))
	{
		dp_parameters_check(&parameters, argno, "mechanism");
		dp_report_parse_mechanism(TextDatumGetCString(parameters.values[argno]),
								  &call->choice);
	}
	else if (traits->mechanisms != NULL)
		dp_report_parse_mechanism(dp_setting_mechanism, &call->choice);
	else
		call->choice =
			(DpMechanismChoice){.mechanism = DP_EXPONENTIAL, .rank = -1};
	limit_delta(&call->choice);
	if (traits->takes_bounds)
		dp_call_set_quantum(call);
	if (gate_form)
		read_contribution(&parameters, argno + 1, call);
}

void
dp_call_refuse_without_bounds(DpWrittenCall call, const char *otherwise)
{
	const DpAggregateTraits *traits = dp_aggregate_get(call.aggregate);

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s needs bounds",
					call.name != NULL ? call.name : traits->name),
			 errdetail("The bounds decide how much noise hides one row."),
			 errhint("Write %s(%s)%s.", traits->name,
					 traits->own == DP_OWN_FRACTION
						 ? "value, fraction, lower, upper"
					 : traits->own == DP_OWN_FRACTIONS
						 ? "value, fractions, lower, upper"
					 : traits->own == DP_OWN_VALUE
						 ? "y, x, lower_y, upper_y, lower_x, upper_x"
						 : "value, lower, upper",
					 otherwise),
			 errposition(call.cursor)));
}

void
dp_call_refuse_money(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("private aggregates do not take values of type money"),
			 errdetail("What an amount is worth depends on the setting "
					   "lc_monetary."),
			 errhint("Make the column numeric, with ALTER TABLE ... ALTER "
					 "COLUMN ... TYPE numeric.")));
}

/*
 * The transition function of aggregates of money, which exist only for their
 * hint.
 */
Datum
dp_refuse_money(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	dp_call_refuse_money();
}

bool
dp_call_text_point(const DpCall *call, Datum value, int64 *point)
{
	*point = dp_categories_find(call->categories, value);
	return *point >= 0;
}

void
dp_call_refuse_without_texts(DpWrittenCall call, const char *otherwise)
{
	const char *name = dp_aggregate_name(call.aggregate);

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s of texts needs declared values",
					call.name != NULL ? call.name : name),
			 errdetail("The text of a single row must not be released: the "
					   "answer is one of values that are public."),
			 errhint("Write %s(value, ARRAY['a', 'b'])%s.", name, otherwise),
			 errposition(call.cursor)));
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

bool
dp_call_key(const DpCall *call, DpCall *key)
{
	memcpy(key, call, sizeof(*key)); /* gaps as well */
	memset(&key->pools, 0, sizeof(key->pools));
	memset(key->bounds, 0, sizeof(key->bounds)); /* which the grids stand for */
	key->prepared = NULL;
	return call->fractions == NULL && call->categories == NULL;
}

void
dp_call_report(const DpCall *call, DpStatus status)
{
	const DpAggregateTraits *traits = dp_aggregate_get(call->aggregate);

	if (status == DP_MECHANISM_NOT_APPLICABLE)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("mechanism %s cannot be used with %s",
					dp_mechanism_name(call->choice.mechanism), traits->name),
			 errhint("Available mechanisms: %s.", traits->mechanisms)));
	dp_report_status(status);
}
