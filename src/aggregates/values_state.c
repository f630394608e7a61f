/*
 * values_state.c
 *		Growing and trimming arrays of grid points; their wire form.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "aggregates/values_state.h"
#include "core/select.h"
#include "server/compat.h"

PG_FUNCTION_INFO_V1(dp_values_combine);
PG_FUNCTION_INFO_V1(dp_values_serialize);
PG_FUNCTION_INFO_V1(dp_values_deserialize);

/* The start of the wire form; the points follow. Same server on both ends. */
typedef struct WireHeader
{
	uint64 limit;
	uint64 count;
	uint64 mirrored;
} WireHeader;

/* An arbitrary number. */
#define MAGIC UINT64CONST(0x64705F76616C7565)

DpValuesState *
dp_values_argument(FunctionCallInfo fcinfo, int argno)
{
	return dp_internal_state_argument(fcinfo, argno, MAGIC);
}

DpValuesState *
dp_values_create(MemoryContext context, DpValuesPool *pool, uint64 limit,
				 bool mirrored)
{
	DpValuesState *state =
		MemoryContextAllocZero(context, sizeof(DpValuesState));

	state->kind.magic = MAGIC;
	state->context = context;
	state->mirrored = mirrored;
	state->limit = limit;
	if (pool != NULL)
	{
		dp_pool_add(pool, state);
		dp_pool_reserve(state, DP_VALUES_AT_FIRST);
		return state;
	}
	state->capacity = DP_VALUES_AT_FIRST;
	state->points =
		MemoryContextAlloc(context, DP_VALUES_AT_FIRST * sizeof(int64));
	return state;
}

void
dp_values_require(const DpValuesState *state, uint64 limit, bool mirrored)
{
	if (state->limit != limit || state->mirrored != mirrored)
		ereport(ERROR, /* as dp_counts_report_change, which says why */
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("parameters of a private aggregate changed while the "
						"query ran"),
				 errhint("Set dp_noise.epsilon and dp_noise.mechanism before "
						 "the query.")));
}

static void
reserve(DpValuesState *state, uint64 capacity)
{
	Size size;

	if (capacity <= state->capacity)
		return;
	capacity = Max(capacity, 2 * state->capacity);
	if (state->pool != NULL)
	{
		dp_pool_reserve(state, capacity);
		return;
	}
	if (capacity > MaxAllocHugeSize / sizeof(int64))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many values for a private quantile")));
	size = (Size) capacity * sizeof(int64);
	state->points = repalloc_huge(state->points, size);
	state->capacity = capacity;
}

void
dp_values_trim(DpValuesState *state)
{
	uint64 surplus;

	if (state->limit == 0 || state->count <= state->limit)
		return;
	surplus = state->count - state->limit;
	dp_select_window(state->points, state->count, surplus, surplus);
	state->floor = state->points[surplus];
	memmove(state->points, state->points + surplus,
			state->limit * sizeof(int64));
	state->count = state->limit;
	state->trimmed = true;
}

void
dp_values_add(DpValuesState *state, int64 point)
{
	if (state->trimmed && point <= state->floor)
		return;
	if (state->count == state->capacity)
	{
		/* Trimming pays once half of the points go. */
		if (state->limit > 0 && state->count >= 2 * state->limit)
			dp_values_trim(state);
		else
			reserve(state, state->count + 1);
	}
	state->points[state->count++] = point;
}

void
dp_values_merge(DpValuesState *into, const DpValuesState *from)
{
	Assert(into->pool == NULL && from->pool == NULL);
	reserve(into, into->count + from->count);
	memcpy(into->points + into->count, from->points,
		   from->count * sizeof(int64));
	into->count += from->count;
	dp_values_trim(into);
}

DpPoints *
dp_values_points(DpValuesState *state, DpPoolPoints *room)
{
	if (!dp_pool_points(state, room))
	{
		dp_values_trim(state);
		room->points = dp_points_of_array(state->points, state->count);
	}
	return &room->points;
}

/* (state internal, state internal): either may be NULL. */
Datum
dp_values_combine(PG_FUNCTION_ARGS)
{
	DpValuesState *into = dp_values_argument(fcinfo, 0);
	DpValuesState *from = dp_values_argument(fcinfo, 1);

	if (from == NULL)
	{
		if (into == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(into);
	}
	if (into == NULL)
		into = dp_values_create(dp_internal_state_context(fcinfo), NULL,
								from->limit, from->mirrored);
	dp_values_require(from, into->limit, into->mirrored);
	dp_values_merge(into, from);
	PG_RETURN_POINTER(into);
}

Datum
dp_values_serialize(PG_FUNCTION_ARGS)
{
	DpValuesState *state = dp_values_argument(fcinfo, 0);
	WireHeader header;
	Size size;
	bytea *wire;

	dp_values_trim(state);
	if (state->count >
		(MaxAllocSize - VARHDRSZ - sizeof(header)) / sizeof(int64))
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg(
				 "too many values for a private quantile in a parallel plan"),
			 errhint("Set max_parallel_workers_per_gather to 0.")));
	size = VARHDRSZ + sizeof(header) + state->count * sizeof(int64);
	wire = palloc(size);
	SET_VARSIZE(wire, size);
	header.limit = state->limit;
	header.count = state->count;
	header.mirrored = state->mirrored;
	memcpy(VARDATA(wire), &header, sizeof(header));
	memcpy(VARDATA(wire) + sizeof(header), state->points,
		   state->count * sizeof(int64));
	PG_RETURN_BYTEA_P(wire);
}

Datum
dp_values_deserialize(PG_FUNCTION_ARGS)
{
	bytea *wire = PG_GETARG_BYTEA_PP(0);
	Size size = VARSIZE_ANY_EXHDR(wire);
	WireHeader header = {0};
	DpValuesState *state;

	(void) dp_internal_state_context(fcinfo);
	if (size >= sizeof(header))
		memcpy(&header, VARDATA_ANY(wire), sizeof(header));
	if (size < sizeof(header) ||
		header.count != (size - sizeof(header)) / sizeof(int64) ||
		header.mirrored > 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
						errmsg("invalid state of a private quantile")));
	state = dp_values_create(CurrentMemoryContext, NULL, header.limit,
							 header.mirrored != 0);
	reserve(state, header.count);
	memcpy(state->points, VARDATA_ANY(wire) + sizeof(header),
		   header.count * sizeof(int64));
	state->count = header.count;
	PG_RETURN_POINTER(state);
}
