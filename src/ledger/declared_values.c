/*
 * declared_values.c
 *		Checks the values that an owner declares for a column.
 *
 * It runs with the extension's rights, and the owner chooses the column's
 * type. So types are identified by their oids, and only those are accepted
 * whose functions are the server's own: no cast is looked up, since the owner
 * of an enum can create one from text, and no check of a domain is run. A
 * value that a domain refuses does no harm, since no row has it.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "ledger/declared_values.h"
#include "server/plain_type.h"

#define MAX_VALUES 1000000

PG_FUNCTION_INFO_V1(dp_plain_values);

bool
dp_values_can_be_declared(Oid type)
{
	return dp_plain_type_is(type, DP_PLAIN_DECLARED) || type_is_enum(type);
}

/* The label of an enum, which is a value of it as it is. */
static void
check_label(Oid type, const char *label)
{
	if (strlen(label) >= NAMEDATALEN ||
		!SearchSysCacheExists2(ENUMTYPOIDNAME, ObjectIdGetDatum(type),
							   CStringGetDatum(label)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
						errmsg("invalid input value for enum %s: \"%s\"",
							   format_type_be(type), label),
						errhint("Write labels of the enum.")));
}

/* The values, of an enum their labels. */
static Datum *
read_values(Oid type, int32 typmod, const Datum *texts, int count)
{
	bool is_enum = type_is_enum(type);
	Datum *values = palloc(count * sizeof(Datum));
	Oid input;
	Oid io_param;
	int i;

	getTypeInputInfo(type, &input, &io_param);
	for (i = 0; i < count; i++)
	{
		char *written = TextDatumGetCString(texts[i]);

		if (is_enum)
			check_label(type, written);
		values[i] =
			is_enum ? texts[i]
					: OidInputFunctionCall(input, written, io_param, typmod);
	}
	return values;
}

static int
compare_values(const void *a, const void *b, void *function)
{
	return DatumGetInt32(FunctionCall2Coll((FmgrInfo *) function,
										   C_COLLATION_OID, *(const Datum *) a,
										   *(const Datum *) b));
}

/* True when no two of them are equal. Labels are compared as the texts they are. */
static bool
are_different(Oid type, const Datum *values, int count)
{
	TypeCacheEntry *cache = lookup_type_cache(
		type_is_enum(type) ? TEXTOID : type, TYPECACHE_CMP_PROC_FINFO);
	Datum *sorted = palloc(count * sizeof(Datum));
	int i;

	memcpy(sorted, values, count * sizeof(Datum));
	qsort_arg(sorted, count, sizeof(Datum), compare_values,
			  &cache->cmp_proc_finfo);
	for (i = 1; i < count; i++)
	{
		if (compare_values(&sorted[i - 1], &sorted[i],
						   &cache->cmp_proc_finfo) == 0)
			return false;
	}
	return true;
}

/* As the type writes them. */
static ArrayType *
write_values(Oid type, const Datum *values, int count)
{
	Datum *texts = palloc(count * sizeof(Datum));
	Oid output;
	bool is_varlena;
	int i;

	getTypeOutputInfo(type, &output, &is_varlena);
	for (i = 0; i < count; i++)
		texts[i] =
			type_is_enum(type)
				? values[i]
				: CStringGetTextDatum(OidOutputFunctionCall(output, values[i]));
	return construct_array(texts, count, TEXTOID, -1, false, TYPALIGN_INT);
}

/*
 * (relation oid, column smallint, values text[]): the values of the column's
 * type, as it writes them. Errors: feature_not_supported (type),
 * invalid_text_representation and the like (no value of it),
 * invalid_parameter_value (none, too many, null, equal ones).
 */
Datum
dp_plain_values(PG_FUNCTION_ARGS)
{
	int32 typmod;
	Oid type;
	Oid collation;
	Datum *texts;
	Datum *values = NULL;
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(2);
	int count;

	get_atttypetypmodcoll(PG_GETARG_OID(0), PG_GETARG_INT16(1), &type, &typmod,
						  &collation);
	type = getBaseTypeAndTypmod(type, &typmod);
	if (!dp_values_can_be_declared(type))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("values of type %s cannot be declared",
							   format_type_be(type)),
						errhint("The column must be boolean, an integer, "
								"numeric, text, a date or time, uuid or an "
								"enum.")));
	count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (count > 0 && count <= MAX_VALUES && !array_contains_nulls(array))
	{
		deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &texts, NULL,
						  &count);
		values = read_values(type, typmod, texts, count);
	}
	if (values == NULL || !are_different(type, values, count))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("declared values must be one to a million, different, "
						"and not null"),
				 errhint("In a column that can be null, null is one more "
						 "value; a null array removes the declared values.")));
	PG_RETURN_ARRAYTYPE_P(write_values(type, values, count));
}
