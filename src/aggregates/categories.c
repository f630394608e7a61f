/*
 * categories.c
 *		Making sets of values and looking values up in them.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "aggregates/categories.h"
#include "server/compat.h"

/* One label of an enum. */
typedef struct Label
{
	Oid oid;
	float4 order;
} Label;

static uint32
hash_of(const DpCategories *categories, Datum value)
{
	if (!OidIsValid(categories->hash.fn_oid))
		return 0; /* all in one row of the table */
	return DatumGetUInt32(
		FunctionCall1Coll(unconstify(FmgrInfo *, &categories->hash),
						  categories->collation, value));
}

/* The cell of the table that holds the value, or the free one for it. */
static uint32
cell_of(const DpCategories *categories, Datum value)
{
	uint32 cell = hash_of(categories, value) & categories->mask;

	for (; categories->cells[cell] != 0; cell = (cell + 1) & categories->mask)
	{
		if (DatumGetBool(FunctionCall2Coll(
				unconstify(FmgrInfo *, &categories->equal),
				categories->collation,
				categories->values[categories->cells[cell] - 1], value)))
			break;
	}
	return cell;
}

int64
dp_categories_find(const DpCategories *categories, Datum value)
{
	return (int64) categories->cells[cell_of(categories, value)] - 1;
}

/* An empty set with room for this many values. */
static DpCategories *
create(Oid type, Oid collation, uint32 room)
{
	DpCategories *categories = palloc0(sizeof(DpCategories));
	TypeCacheEntry *cache =
		lookup_type_cache(type, TYPECACHE_EQ_OPR_FINFO | TYPECACHE_HASH_PROC);
	uint32 size = 4;

	if (!OidIsValid(cache->eq_opr_finfo.fn_oid))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("type %s has no equality operator",
							   format_type_be(type)),
						errhint("Cast the values to a type whose values can be "
								"compared.")));
	categories->type = type;
	categories->collation = collation;
	get_typlenbyval(type, &categories->length, &categories->by_value);
	categories->values = palloc(room * sizeof(Datum));
	fmgr_info(cache->eq_opr_finfo.fn_oid, &categories->equal);
	if (OidIsValid(cache->hash_proc))
		fmgr_info(cache->hash_proc, &categories->hash);
	while (size < 2 * room)
		size *= 2;
	categories->mask = size - 1;
	categories->cells = palloc0(size * sizeof(uint32));
	return categories;
}

static void
add(DpCategories *categories, Datum value)
{
	uint32 cell = cell_of(categories, value);

	if (categories->cells[cell] != 0)
		return;
	categories->values[categories->count++] = value;
	categories->cells[cell] = categories->count;
}

static int
compare_labels(const void *a, const void *b)
{
	float4 left = ((const Label *) a)->order;
	float4 right = ((const Label *) b)->order;

	return (left > right) - (left < right);
}

static DpCategories *
of_enum(Oid type)
{
	CatCList *list =
		SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
	Label *labels = palloc((list->n_members + 1) * sizeof(Label));
	int count = list->n_members;
	DpCategories *categories;
	int i;

	for (i = 0; i < count; i++)
	{
		Form_pg_enum label = (Form_pg_enum) GETSTRUCT(&list->members[i]->tuple);

		labels[i] = (Label){label->oid, label->enumsortorder};
	}
	ReleaseSysCacheList(list);
	if (count == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("type %s has no values", format_type_be(type)),
						errhint("Add a value to the type.")));
	qsort(labels, count, sizeof(Label), compare_labels);
	categories = create(type, InvalidOid, count);
	for (i = 0; i < count; i++)
		add(categories, ObjectIdGetDatum(labels[i].oid));
	pfree(labels);
	return categories;
}

DpCategories *
dp_categories_of_type(Oid type)
{
	DpCategories *categories;

	if (type != BOOLOID)
		return of_enum(type);
	categories = create(type, InvalidOid, 2);
	add(categories, BoolGetDatum(false));
	add(categories, BoolGetDatum(true));
	return categories;
}

DpCategories *
dp_categories_of_array(Oid type, Oid collation, Datum array)
{
	ArrayType *elements = DatumGetArrayTypeP(array);
	DpCategories *categories;
	Datum *values;
	bool *nulls;
	int count;
	int i;
	int16 length;
	bool by_value;
	char align;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(elements, type, length, by_value, align, &values, &nulls,
					  &count);
	if (count < 1 || count > DP_CATEGORIES_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of declared values must be between 1 and %d",
						DP_CATEGORIES_MAX),
				 errhint("Declare the values that a row can sensibly have, as "
						 "in ARRAY['a', 'b'].")));
	categories = create(type, collation, count);
	for (i = 0; i < count; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("declared values must not be null"),
							errhint("Leave the null out of the array.")));
		add(categories, values[i]);
	}
	return categories;
}

static int
compare_texts(const void *a, const void *b)
{
	return DatumGetInt32(DirectFunctionCall2Coll(
		bttextcmp, C_COLLATION_OID, *(const Datum *) a, *(const Datum *) b));
}

DpCategories *
dp_categories_of_texts(Datum array)
{
	Datum *texts;
	bool *nulls;
	int count;
	int i;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false,
					  TYPALIGN_INT, &texts, &nulls, &count);
	for (i = 0; i < count && !nulls[i]; i++)
		;
	if (i == count && count <= DP_CATEGORIES_MAX)
	{
		qsort(texts, count, sizeof(Datum), compare_texts);
		array = PointerGetDatum(
			construct_array(texts, count, TEXTOID, -1, false, TYPALIGN_INT));
	}
	return dp_categories_of_array(TEXTOID, C_COLLATION_OID, array);
}

bool
dp_categories_is_total(Oid type, bool (*is_total)(Oid function))
{
	TypeCacheEntry *cache =
		lookup_type_cache(type, TYPECACHE_EQ_OPR_FINFO | TYPECACHE_HASH_PROC);

	return OidIsValid(cache->eq_opr_finfo.fn_oid) &&
		   is_total(cache->eq_opr_finfo.fn_oid) &&
		   cache->hash_proc < FirstNormalObjectId;
}
