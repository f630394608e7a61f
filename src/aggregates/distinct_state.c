/*
 * distinct_state.c
 *		dp_noise.different_values: those of a privacy unit; and
 *		dp_noise.sum_distinct_points and mean_distinct_points: the same of the grid
 *		points that sums and means of different values have.
 *
 * Images are appended. Once there is no more room, they are sorted and
 * duplicates removed; if that frees little room, it is doubled.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "aggregates/call.h"
#include "aggregates/distinct_state.h"
#include "aggregates/support.h"
#include "server/compat.h"

PG_FUNCTION_INFO_V1(dp_different_values_transition);
PG_FUNCTION_INFO_V1(dp_distinct_combine);
PG_FUNCTION_INFO_V1(dp_distinct_state_in);
PG_FUNCTION_INFO_V1(dp_distinct_state_out);

/*
 * Images for which a new set has room. Smaller sets are not searched for
 * duplicates.
 */
#define INITIAL_IMAGES 16
#define FEW_IMAGES 16

Oid
dp_distinct_state_kind(FunctionCallInfo fcinfo)
{
	Oid type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, 1));
	Oid kind = dp_image_kind(type);

	if (!OidIsValid(kind))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("different values of type %s cannot be counted",
						format_type_be(type)),
				 errhint("Count a number, a text, a date or a time made of "
						 "them.")));
	return kind;
}

static uint64
room_of(const DpDistinctState *set)
{
	return (VARSIZE(set) - dp_distinct_state_size(0)) / sizeof(DpImage);
}

/* The set in a datum. Error: data_corrupted (it cannot be one). */
static DpDistinctState *
set_of(Datum datum)
{
	DpDistinctState *set = (DpDistinctState *) PG_DETOAST_DATUM(datum);

	if (VARSIZE(set) < dp_distinct_state_size(0) || set->count > room_of(set))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("invalid value of type %s",
							   "dp_noise.distinct_state")));
	return set;
}

/* A set with room for this many; others are zero, not garbage. */
static DpDistinctState *
make_set(uint64 room)
{
	Size size = dp_distinct_state_size(room);
	DpDistinctState *set = palloc0(size);

	SET_VARSIZE(set, size);
	return set;
}

static int
compare_images(const void *a, const void *b)
{
	uint64 left = dp_image_hash(a);
	uint64 right = dp_image_hash(b);

	if (left != right)
		return left < right ? -1 : 1;
	return memcmp(a, b, sizeof(DpImage));
}

/* Removes duplicates, and images beyond those that may be kept. */
static void
tidy(DpDistinctState *set)
{
	uint32 kept = 0;
	uint32 i;

	qsort(set->images, set->count, sizeof(DpImage), compare_images);
	for (i = 0; i < set->count && kept < DP_DISTINCT_STATE_MAX; i++)
	{
		if (kept == 0 ||
			!dp_image_equal(&set->images[i], &set->images[kept - 1]))
			set->images[kept++] = set->images[i];
	}
	set->count = kept;
}

const DpDistinctState *
dp_distinct_state_argument(FunctionCallInfo fcinfo)
{
	DpDistinctState *set = set_of(PG_GETARG_DATUM(PG_NARGS() - 1));

	if (set->count <= DP_DISTINCT_STATE_MAX)
		return set;
	set = memcpy(palloc(VARSIZE(set)), set, VARSIZE(set));
	tidy(set);
	return set;
}

/* The set, with room for one more: in place, or the double of it. */
static DpDistinctState *
reserve(DpDistinctState *set)
{
	uint64 room = room_of(set);
	DpDistinctState *larger;

	if (set->count < room)
		return set;
	if (room >= FEW_IMAGES)
		tidy(set);
	if (set->count <= room / 2)
		return set;
	larger = make_set(2 * room);
	larger->count = set->count;
	memcpy(larger->images, set->images, set->count * sizeof(DpImage));
	return larger;
}

/* The state that is a function's first argument, with one image more. */
static Datum
add_image(FunctionCallInfo fcinfo, DpImage image)
{
	DpDistinctState *set = PG_ARGISNULL(0)
							   ? make_set(INITIAL_IMAGES)
							   : reserve(set_of(PG_GETARG_DATUM(0)));

	set->images[set->count] = image;
	set->count++;
	return PointerGetDatum(set);
}

/* The state as it is. */
static Datum
skip_value(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return PG_GETARG_DATUM(0);
}

/*
 * (state, value) not strict: most states begin with NULL. The server copies a
 * new state.
 */
Datum
dp_different_values_transition(PG_FUNCTION_ARGS)
{
	Oid *kind = fcinfo->flinfo->fn_extra;

	if (kind == NULL)
	{
		(void) dp_support_aggref(fcinfo);
		kind = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(Oid));
		*kind = dp_distinct_state_kind(fcinfo);
		fcinfo->flinfo->fn_extra = kind;
	}
	if (PG_ARGISNULL(1))
		return skip_value(fcinfo);
	return add_image(fcinfo, dp_image_of(*kind, PG_GETARG_DATUM(1)));
}

/* (state, value, lower, upper) not strict: the same of grid points. */
static inline Datum
add_point(FunctionCallInfo fcinfo, DpAggregate aggregate)
{
	const DpCall *call = dp_call_of_row(fcinfo, aggregate);
	int64 point;

	if (!dp_call_row_point(fcinfo, call, &point))
		return skip_value(fcinfo);
	return add_image(fcinfo, dp_image_of_point(point));
}

DP_CALL_FUNCTION(dp_sum_distinct_points_transition, add_point,
				 DP_AGGREGATE_SUM_DISTINCT)
DP_CALL_FUNCTION(dp_mean_distinct_points_transition, add_point,
				 DP_AGGREGATE_MEAN_DISTINCT)

/* (state, state) strict. */
Datum
dp_distinct_combine(PG_FUNCTION_ARGS)
{
	const DpDistinctState *sets[2];
	DpDistinctState *joined;
	int i;

	dp_support_check(fcinfo);
	for (i = 0; i < 2; i++)
		sets[i] = set_of(PG_GETARG_DATUM(i));
	joined =
		make_set(Max((uint64) sets[0]->count + sets[1]->count, INITIAL_IMAGES));
	for (i = 0; i < 2; i++)
	{
		memcpy(joined->images + joined->count, sets[i]->images,
			   sets[i]->count * sizeof(DpImage));
		joined->count += sets[i]->count;
	}
	if (joined->count > FEW_IMAGES)
		tidy(joined);
	PG_RETURN_POINTER(joined);
}

Datum
dp_distinct_state_in(PG_FUNCTION_ARGS)
{
	(void) fcinfo;
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("values of type %s cannot be read", "dp_noise.distinct_state"),
		 errhint("The aggregate dp_noise.different_values makes them.")));
	PG_RETURN_NULL();
}

/* {image,image,...} in hexadecimal digits, in order. */
Datum
dp_distinct_state_out(PG_FUNCTION_ARGS)
{
	const DpDistinctState *given = set_of(PG_GETARG_DATUM(0));
	DpDistinctState *set =
		memcpy(palloc(VARSIZE(given)), given, VARSIZE(given));
	StringInfoData text;
	uint32 i;
	int w;

	tidy(set);
	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	for (i = 0; i < set->count; i++)
	{
		if (i > 0)
			appendStringInfoChar(&text, ',');
		for (w = 0; w < DP_IMAGE_WORDS; w++)
			appendStringInfo(&text, "%08x", set->images[i].words[w]);
	}
	appendStringInfoChar(&text, '}');
	PG_RETURN_CSTRING(text.data);
}
