/*
 * count_distinct.c
 *		dp_count_distinct: the number of different values.
 *
 * Like the built-in count(DISTINCT): values are sorted, on disk where they are
 * many, and counted once each. So it can neither be hashed nor divided among
 * workers. Over a protected relation the gate counts privacy units instead.
 *
 * Sensitivity 1: a row more or less changes the number by at most one.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "aggregates/call.h"
#include "aggregates/count.h"
#include "server/compat.h"

PG_FUNCTION_INFO_V1(dp_count_distinct_transition);
PG_FUNCTION_INFO_V1(dp_count_distinct_final);

typedef struct DistinctState
{
	Tuplesortstate *sort;
	TypeCacheEntry *type;
	Oid collation;
} DistinctState;

static void
end_sort(Datum state)
{
	DistinctState *distinct = (DistinctState *) DatumGetPointer(state);

	if (distinct->sort != NULL)
		tuplesort_end(distinct->sort);
	distinct->sort = NULL;
}

/* The state of the first value, in the aggregate's memory context. */
static DistinctState *
make_state(FunctionCallInfo fcinfo)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 1);
	MemoryContext context;
	MemoryContext old;
	DistinctState *state;

	(void) AggCheckCallContext(fcinfo, &context);
	old = MemoryContextSwitchTo(context);
	state = palloc0(sizeof(DistinctState));
	state->collation = PG_GET_COLLATION();
	state->type =
		lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_EQ_OPR_FINFO);
	if (!OidIsValid(state->type->lt_opr) || !OidIsValid(state->type->eq_opr))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("values of type %s cannot be sorted",
							   format_type_be(type)),
						errhint("Count values of a type that has an order.")));
	state->sort =
		tuplesort_begin_datum(type, state->type->lt_opr, state->collation,
							  false, work_mem, NULL, TUPLESORT_NONE);
	AggRegisterCallback(fcinfo, end_sort, PointerGetDatum(state));
	MemoryContextSwitchTo(old);
	return state;
}

/* (state internal, value, ...) */
Datum
dp_count_distinct_transition(PG_FUNCTION_ARGS)
{
	DistinctState *state;

	(void) dp_call_get(fcinfo, DP_AGGREGATE_COUNT_DISTINCT);
	state = PG_ARGISNULL(0) ? NULL : (DistinctState *) PG_GETARG_POINTER(0);
	if (PG_ARGISNULL(1))
	{
		if (state == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state);
	}
	if (state == NULL)
		state = make_state(fcinfo);
	tuplesort_putdatum(state->sort, PG_GETARG_DATUM(1), false);
	PG_RETURN_POINTER(state);
}

/* Sorts, and counts what differs from the one before. */
static int64
count_different(DistinctState *state)
{
	bool by_value = state->type->typbyval;
	int64 count = 0;
	Datum last = (Datum) 0;
	Datum value;

	tuplesort_performsort(state->sort);
	while (dp_compat_next_datum(state->sort, &value))
	{
		bool differs =
			count == 0 ||
			!DatumGetBool(FunctionCall2Coll(&state->type->eq_opr_finfo,
											state->collation, last, value));

		if (!by_value && count > 0)
			pfree(DatumGetPointer(last));
		last = value;
		count += differs;
	}
	return count;
}

/* (state internal, ...): the state is NULL when there was no value. */
Datum
dp_count_distinct_final(PG_FUNCTION_ARGS)
{
	DpCall *call = dp_call_get(fcinfo, DP_AGGREGATE_COUNT_DISTINCT);
	DistinctState *state =
		PG_ARGISNULL(0) ? NULL : (DistinctState *) PG_GETARG_POINTER(0);
	int64 count = 0;

	if (state != NULL)
	{
		count = count_different(state);
		end_sort(PointerGetDatum(state));
	}
	return dp_count_answer(fcinfo, call, count);
}
