/*
 * counts_state.c
 *		Counts by category: merging, and their wire form.
 */
#include "postgres.h"

#include "common/int.h"
#include "utils/memutils.h"

#include "aggregates/counts_state.h"
#include "server/compat.h"

PG_FUNCTION_INFO_V1(dp_counts_combine);
PG_FUNCTION_INFO_V1(dp_counts_serialize);
PG_FUNCTION_INFO_V1(dp_counts_deserialize);
PG_FUNCTION_INFO_V1(dp_counts_state_final);

/* An arbitrary number. */
#define MAGIC UINT64CONST(0x64705F636F756E74)

/* Of any number of categories. */
#define ANY_NUMBER PG_UINT64_MAX

DpCountsState *
dp_counts_create(MemoryContext context, uint64 number)
{
	DpCountsState *state = MemoryContextAllocZero(
		context, offsetof(DpCountsState, counts) + number * sizeof(int64));

	state->kind.magic = MAGIC;
	state->number = number;
	return state;
}

DpCountsState *
dp_counts_argument(FunctionCallInfo fcinfo, int argno, uint64 number)
{
	DpCountsState *state = dp_internal_state_argument(fcinfo, argno, MAGIC);

	if (state != NULL && number != ANY_NUMBER && state->number != number)
		dp_counts_report_change();
	return state;
}

void
dp_counts_report_change(void)
{
	/* Not of the statement alone: only a group with rows has a state. */
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("parameters of a private aggregate changed while "
						   "the query ran"),
					errhint("Add values to the type before the query.")));
}

/* (state internal, state internal): either may be NULL. */
Datum
dp_counts_combine(PG_FUNCTION_ARGS)
{
	DpCountsState *into = dp_counts_argument(fcinfo, 0, ANY_NUMBER);
	DpCountsState *from;
	uint64 i;

	from =
		dp_counts_argument(fcinfo, 1, into == NULL ? ANY_NUMBER : into->number);
	if (from == NULL)
	{
		if (into == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(into);
	}
	if (into == NULL)
		into =
			dp_counts_create(dp_internal_state_context(fcinfo), from->number);

	/* Where sums saturate, a row still changes them by no more than 1. */
	for (i = 0; i < into->number; i++)
	{
		if (pg_add_s64_overflow(into->counts[i], from->counts[i],
								&into->counts[i]))
			into->counts[i] = PG_INT64_MAX;
	}
	PG_RETURN_POINTER(into);
}

Datum
dp_counts_serialize(PG_FUNCTION_ARGS)
{
	DpCountsState *state = dp_counts_argument(fcinfo, 0, ANY_NUMBER);
	Size size = VARHDRSZ + state->number * sizeof(int64);
	bytea *wire = palloc(size);

	SET_VARSIZE(wire, size);
	memcpy(VARDATA(wire), state->counts, state->number * sizeof(int64));
	PG_RETURN_BYTEA_P(wire);
}

Datum
dp_counts_deserialize(PG_FUNCTION_ARGS)
{
	bytea *wire = PG_GETARG_BYTEA_PP(0);
	Size size = VARSIZE_ANY_EXHDR(wire);
	DpCountsState *state;
	uint64 i;

	(void) dp_internal_state_context(fcinfo);
	state = dp_counts_create(CurrentMemoryContext, size / sizeof(int64));
	memcpy(state->counts, VARDATA_ANY(wire), state->number * sizeof(int64));
	for (i = 0; i < state->number; i++)
	{
		if (state->counts[i] < 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
							errmsg("invalid state of a private aggregate")));
	}
	PG_RETURN_POINTER(state);
}

/* The true counts, without noise: 8 bytes each. */
Datum
dp_counts_state_final(PG_FUNCTION_ARGS)
{
	DpCountsState *state = dp_counts_argument(fcinfo, 0, ANY_NUMBER);
	bytea *result;

	if (state != NULL)
		return dp_counts_serialize(fcinfo);
	result = palloc(VARHDRSZ);
	SET_VARSIZE(result, VARHDRSZ);
	PG_RETURN_BYTEA_P(result);
}
