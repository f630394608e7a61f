/*
 * quantiles.c
 *		dp_quantiles_exp: several quantiles at once (mechanisms/quantiles.h).
 *
 * The state is that of the other quantiles; the answer is an array.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "aggregates/prepare.h"
#include "aggregates/values.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_quantiles_transition);
PG_FUNCTION_INFO_V1(dp_quantiles_of_units_transition);
PG_FUNCTION_INFO_V1(dp_quantiles_final);

/* The call, and once per execution its mechanism. */
static DpCall *
prepare(FunctionCallInfo fcinfo)
{
	DpCall *call = dp_call_get(fcinfo, DP_AGGREGATE_QUANTILES);

	if (call->prepared == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);

		call->prepared = dp_prepare_quantiles(call);
		MemoryContextSwitchTo(old);
	}
	return call;
}

/* The state that is the first argument, made where it is not there yet. */
static DpValuesState *
state_of(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	/* The call is of an aggregate of ours, whose state is of our kind. */
	if (likely(!PG_ARGISNULL(0)))
		return (DpValuesState *) PG_GETARG_POINTER(0);
	(void) AggCheckCallContext(fcinfo, &context);
	return dp_values_create(context, 0, false);
}

/* (state internal, value, ...): adds one row. */
Datum
dp_quantiles_transition(PG_FUNCTION_ARGS)
{
	DpCall *call = fcinfo->flinfo->fn_extra;
	DpValuesState *state;
	int64 point;

	if (unlikely(call == NULL || call->prepared == NULL))
		call = prepare(fcinfo);
	state = state_of(fcinfo);
	if (!PG_ARGISNULL(1) &&
		dp_call_grid_point(call, PG_GETARG_DATUM(1), &point))
		dp_values_add(state, point);
	PG_RETURN_POINTER(state);
}

/* (state internal, ..., points of a unit sample_state) */
Datum
dp_quantiles_of_units_transition(PG_FUNCTION_ARGS)
{
	const DpCall *call = prepare(fcinfo);
	DpValuesState *state = state_of(fcinfo);

	dp_values_add_sample(fcinfo, call, state);
	PG_RETURN_POINTER(state);
}

/* Draws from the state, which is NULL when there was no row at all. */
Datum
dp_quantiles_final(PG_FUNCTION_ARGS)
{
	DpCall *call = prepare(fcinfo);
	DpValuesState *state = dp_values_argument(fcinfo, 0);
	Datum answers[DP_QUANTILES_MAX];
	int64 points[DP_QUANTILES_MAX];
	int16 length;
	bool by_value;
	char align;
	uint32 i;

	if (state != NULL)
		dp_values_require(state, 0, false);
	dp_report_status(dp_quantiles_draw(
		dp_report_random(), call->prepared,
		state == NULL ? NULL : state->points, state == NULL ? 0 : state->count,
		call->grid.lower, call->grid.upper, points));
	for (i = 0; i < call->fraction_count; i++)
		answers[i] = dp_call_value_of(call, points[i]);
	get_typlenbyvalalign(call->type, &length, &by_value, &align);
	PG_RETURN_ARRAYTYPE_P(construct_array(answers, (int) call->fraction_count,
										  call->type, length, by_value, align));
}
