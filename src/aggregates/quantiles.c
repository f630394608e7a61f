/*
 * quantiles.c
 *		dp_quantiles_exp: several quantiles at once (mechanisms/quantiles.h).
 *
 * Rows are added as by the other quantiles (values.c); the answer is an array.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "aggregates/prepare.h"
#include "aggregates/values_state.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_quantiles_final);

/* Draws from the state, which is NULL when there was no row at all. */
Datum
dp_quantiles_final(PG_FUNCTION_ARGS)
{
	DpCall *call = dp_prepare_get(fcinfo, DP_AGGREGATE_QUANTILES);
	DpQuantiles *quantiles = ((DpPrepared *) call->prepared)->quantiles;
	DpValuesState *state = dp_values_argument(fcinfo, 0);
	Datum answers[DP_QUANTILES_MAX];
	int64 points[DP_QUANTILES_MAX];
	int16 length;
	bool by_value;
	char align;
	DpPoolPoints room;
	uint32 i;

	if (state != NULL)
		dp_values_require(state, 0, false);
	if (state != NULL && dp_pool_points(state, &room))
		dp_report_status(dp_quantiles_draw_refined(
			dp_report_random(), quantiles, &room.points, call->grid.lower,
			call->grid.upper, points));
	else
		dp_report_status(dp_quantiles_draw(
			dp_report_random(), quantiles, state == NULL ? NULL : state->points,
			state == NULL ? 0 : state->count, call->grid.lower,
			call->grid.upper, points));
	for (i = 0; i < call->fraction_count; i++)
		answers[i] = dp_call_value_of(call, points[i]);
	get_typlenbyvalalign(call->type, &length, &by_value, &align);
	PG_RETURN_ARRAYTYPE_P(construct_array(answers, (int) call->fraction_count,
										  call->type, length, by_value, align));
}
