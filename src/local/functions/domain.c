/*
 * domain.c
 *		Checks of the parameters of local noise.
 *
 * No error depends on a true value, only on parameters.
 */
#include "postgres.h"

#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "local/functions/domain.h"
#include "server/compat.h"
#include "server/report.h"

void
dp_local_check_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name),
				 errhint("Only the value to be randomized may be null.")));
}

/* The array without its null, if it has one. */
static ArrayType *
without_null(DpLocalDomain *domain, ArrayType *array)
{
	Oid type = ARR_ELEMTYPE(array);
	Datum *values;
	bool *nulls;
	int count;
	int kept = 0;
	int i;
	int16 length;
	bool by_value;
	char align;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(array, type, length, by_value, align, &values, &nulls,
					  &count);
	domain->null_index = domain->count;
	for (i = 0; i < count; i++)
	{
		if (nulls[i])
			domain->null_index = Min(domain->null_index, (uint32) i);
		else
			values[kept++] = values[i];
	}
	return kept == count
			   ? array
			   : construct_array(values, kept, type, length, by_value, align);
}

void
dp_domain_init(DpLocalDomain *domain, ArrayType *array, Oid collation)
{
	uint32 named;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("domain must have one dimension"),
						errhint("List the values that are possible, as in "
								"ARRAY['yes', 'no', 'other'].")));
	domain->count = (uint32) ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (domain->count < 2 || domain->count > DP_LOCAL_VALUES_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("domain must have between 2 and %d values",
							   DP_LOCAL_VALUES_MAX),
						errhint("List the values that are possible, as in "
								"ARRAY['yes', 'no', 'other'].")));
	array = without_null(domain, array);
	named = (uint32) ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	domain->categories =
		named == 0 ? NULL
				   : dp_categories_of_array(ARR_ELEMTYPE(array), collation,
											PointerGetDatum(array));
	if (domain->categories == NULL || domain->categories->count != named ||
		domain->count - named > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("domain has a value more than once"),
						errhint("List each value once; NULL may be one.")));
}

uint32
dp_domain_find(const DpLocalDomain *domain, Datum value, bool isnull)
{
	int64 index;

	if (isnull)
		return domain->null_index;
	index = dp_categories_find(domain->categories, value);
	if (index < 0)
		return domain->count;
	return (uint32) index + (index >= domain->null_index ? 1 : 0);
}

Datum
dp_domain_value(const DpLocalDomain *domain, uint32 index, bool *isnull)
{
	*isnull = index == domain->null_index;
	if (*isnull)
		return (Datum) 0;
	return domain->categories
		->values[index - (index > domain->null_index ? 1 : 0)];
}

/* True if the prepared parameters are these. */
static bool
is_prepared(const DpLocalCall *call, const ArrayType *array, float8 epsilon)
{
	return call->array != NULL && call->asked == epsilon &&
		   VARSIZE(call->array) == VARSIZE(array) &&
		   memcmp(call->array, array, VARSIZE(array)) == 0;
}

DpLocalCall *
dp_local_call(FunctionCallInfo fcinfo)
{
	DpLocalCall *call = fcinfo->flinfo->fn_extra;
	MemoryContext caller;
	ArrayType *array;
	float8 epsilon;

	dp_local_check_argument(fcinfo, 1, "domain");
	dp_local_check_argument(fcinfo, 2, "epsilon");
	array = PG_GETARG_ARRAYTYPE_P(1);
	epsilon = PG_GETARG_FLOAT8(2);
	if (call == NULL)
	{
		call = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt,
									  sizeof(DpLocalCall));
		call->context = AllocSetContextCreate(
			fcinfo->flinfo->fn_mcxt, "dp_noise domain", ALLOCSET_DEFAULT_SIZES);
		fcinfo->flinfo->fn_extra = call;
	}
	if (is_prepared(call, array, epsilon))
		return call;

	call->array = NULL;
	call->response.values = 0;
	MemoryContextReset(call->context);
	dp_report_status(dp_epsilon_from_double(epsilon, &call->epsilon));
	caller = MemoryContextSwitchTo(call->context);
	array = (ArrayType *) DatumGetPointer(
		datumCopy(PointerGetDatum(array), false, -1));
	dp_domain_init(&call->domain, array, PG_GET_COLLATION());
	MemoryContextSwitchTo(caller);
	call->asked = epsilon;
	call->array = array;
	return call;
}

DpEncoding
dp_local_encoding(FunctionCallInfo fcinfo, int argument)
{
	char *name;

	dp_local_check_argument(fcinfo, argument, "encoding");
	name = text_to_cstring(PG_GETARG_TEXT_PP(argument));
	if (strcmp(name, "optimal") == 0)
		return DP_ENCODING_OPTIMAL;
	if (strcmp(name, "symmetric") == 0)
		return DP_ENCODING_SYMMETRIC;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown encoding \"%s\"", name),
			 errhint("Write optimal, or symmetric for responses that are "
					 "stored and reported by dp_report_bits.")));
}

DpUnaryReport
dp_local_report(DpEpsilon epsilon, float8 report_epsilon)
{
	DpEpsilon rounded;
	DpUnaryReport report;

	dp_report_status(dp_epsilon_from_double(report_epsilon, &rounded));
	if (rounded.ticks >= epsilon.ticks)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("report_epsilon must be less than epsilon"),
				 errhint("epsilon is that of the stored response, which bounds "
						 "all reports of it; one report tells less.")));
	dp_report_status(dp_unary_report_init(&report, epsilon, rounded));
	return report;
}
