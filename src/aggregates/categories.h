/*
 * categories.h
 *		The public values that dp_mode chooses from, and dp_max and dp_min of
 *		texts.
 *
 * Those of boolean and of an enum follow from the type; others are declared in
 * an array. Rows never add to them: a value that is not among them is skipped,
 * like NULL. Equal values are one.
 */
#ifndef DP_AGGREGATES_CATEGORIES_H
#define DP_AGGREGATES_CATEGORIES_H

#include "fmgr.h"

/* The most values that may be declared. */
#define DP_CATEGORIES_MAX 100000

typedef struct DpCategories
{
	Oid type; /* of the values: a base type */
	Oid collation;
	int16 length; /* of the type, as in pg_type */
	bool by_value;
	uint32 count; /* of the values: at least 1 */
	Datum *values;
	FmgrInfo equal;
	FmgrInfo hash; /* fn_oid is InvalidOid where the type has none */
	uint32 *cells; /* open hash table of indexes + 1; 0: free */
	uint32 mask;   /* its size - 1, a power of two less one */
} DpCategories;

/*
 * The categories of boolean or an enum. It lives in the current memory context.
 * Errors: invalid_parameter_value (an enum without values).
 */
extern DpCategories *dp_categories_of_type(Oid type);

/*
 * The categories that an array declares, whose elements are of this type.
 * Errors: invalid_parameter_value (no elements, or too many),
 * null_value_not_allowed, undefined_function (the type has no equality).
 */
extern DpCategories *dp_categories_of_array(Oid type, Oid collation,
											Datum array);

/*
 * The same of texts, in the order of their bytes: of two the greater one has
 * the greater index.
 */
extern DpCategories *dp_categories_of_texts(Datum array);

/* The index of a value; -1 for one outside. */
extern int64 dp_categories_find(const DpCategories *categories, Datum value);

/*
 * An index as a point of a sample (aggregates/sample_state.h). The point also
 * contains the number of categories, so that it is not taken for one of other
 * categories.
 */
static inline int64
dp_categories_point(const DpCategories *categories, int64 index)
{
	return (int64) categories->count << 32 | index;
}

/*
 * The index that a point stands for; -1 where it is none of these categories.
 */
static inline int64
dp_categories_index(const DpCategories *categories, int64 point)
{
	int64 index = point & PG_UINT32_MAX;

	return point >> 32 == categories->count && index < categories->count ? index
																		 : -1;
}

/*
 * True when look-ups call functions that pass for all values and quote none:
 * equality from the list of total functions, and the server's own hash.
 */
extern bool dp_categories_is_total(Oid type, bool (*is_total)(Oid function));

#endif
