/*
 * kept_results.c
 *		A table of arguments and results, each argument in its one place.
 */
#include "postgres.h"

#include "pgtime.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "expressions/kept_results.h"

#define PLACE_BITS 10
#define PLACES (1 << PLACE_BITS)

/* Bytes of a result that is passed by reference; longer ones are not kept. */
#define RESULT_MAX 16

/* After so many calls it is looked whether half of them were found. */
#define CALLS_TRIED (4 * PLACES)

typedef struct Place
{
	Datum argument;
	union
	{
		Datum value;
		char bytes[RESULT_MAX]; /* of a result passed by reference */
	} result;
	bool is_used;
	bool is_null;
	uint8 size; /* bytes of it */
} Place;

struct DpKeptResults
{
	MemoryContext context; /* its own */
	MemoryContextCallback end;
	const pg_tz *zone; /* of the results */
	bool is_by_value;  /* the result's type */
	int16 length;	   /* and its length */
	int calls;		   /* since it was looked last, */
	int found;		   /* and those that found their result */
	Place places[PLACES];
};

/* Tables of this process. */
static int tables = 0;

static void
count_out(void *kept)
{
	(void) kept;
	tables--;
}

DpKeptResults *
dp_kept_results_make(MemoryContext parent, Oid result_type)
{
	MemoryContext context;
	DpKeptResults *kept;

	if (tables >= DP_KEPT_RESULTS_MOST)
		return NULL;
	context = AllocSetContextCreate(parent, DP_KEPT_RESULTS_NAME,
									ALLOCSET_SMALL_SIZES);
	kept = MemoryContextAllocZero(context, sizeof(DpKeptResults));
	kept->context = context;
	kept->zone = session_timezone;
	get_typlenbyval(result_type, &kept->length, &kept->is_by_value);
	kept->end.func = count_out;
	MemoryContextRegisterResetCallback(context, &kept->end);
	tables++;
	return kept;
}

static Place *
place_of(DpKeptResults *kept, Datum argument)
{
	uint64 mixed = (uint64) argument * UINT64CONST(0x9E3779B97F4A7C15);

	return &kept->places[mixed >> (64 - PLACE_BITS)];
}

static Datum
copy_of(const Place *place)
{
	char *copy = palloc(place->size);

	memcpy(copy, place->result.bytes, place->size);
	return PointerGetDatum(copy);
}

bool
dp_kept_results_find(DpKeptResults *kept, Datum argument, NullableDatum *result)
{
	const Place *place = place_of(kept, argument);

	kept->calls++;
	if (kept->zone != session_timezone)
	{
		memset(kept->places, 0, sizeof(kept->places));
		kept->zone = session_timezone;
	}
	if (!place->is_used || place->argument != argument)
		return false;
	kept->found++;
	result->isnull = place->is_null;
	result->value = place->is_null || kept->is_by_value ? place->result.value
														: copy_of(place);
	return true;
}

static bool
is_given_up(DpKeptResults *kept)
{
	if (kept->calls < CALLS_TRIED)
		return false;
	if (kept->found < kept->calls / 2)
	{
		MemoryContextDelete(kept->context);
		return true;
	}
	kept->calls = kept->found = 0;
	return false;
}

bool
dp_kept_results_keep(DpKeptResults *kept, Datum argument, NullableDatum result)
{
	Place *place = place_of(kept, argument);
	bool is_by_reference = !result.isnull && !kept->is_by_value;
	Size size = is_by_reference
					? datumGetSize(result.value, false, kept->length)
					: sizeof(Datum);

	if (is_given_up(kept))
		return false;
	if (size > RESULT_MAX)
		return true;
	place->is_used = true;
	place->argument = argument;
	place->is_null = result.isnull;
	place->size = (uint8) size;
	if (is_by_reference)
		memcpy(place->result.bytes, DatumGetPointer(result.value), size);
	else
		place->result.value = result.isnull ? (Datum) 0 : result.value;
	return true;
}
