/*
 * mode.c
 *		dp_mode: the most frequent of some public values.
 *
 * Rows are counted by value; the final function selects (mechanisms/
 * selection.h). Values outside the categories are skipped. Of units of several
 * rows a sample of each unit's values counts, made by
 * dp_noise.sample_categories.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/datum.h"

#include "aggregates/call.h"
#include "aggregates/counts_state.h"
#include "aggregates/categories.h"
#include "aggregates/prepare.h"
#include "aggregates/sample_state.h"
#include "server/report.h"

PG_FUNCTION_INFO_V1(dp_mode_transition);
PG_FUNCTION_INFO_V1(dp_mode_of_units_transition);
PG_FUNCTION_INFO_V1(dp_mode_final);

/* What is kept for one execution. */
typedef struct Prepared
{
	DpPrepared mechanism;
	uint32 *order; /* room for a permutation of the categories */
	int64 *none;   /* counts where there is no row at all */
} Prepared;

static DpCall *
prepare(FunctionCallInfo fcinfo)
{
	DpCall *call = dp_call_get(fcinfo, DP_AGGREGATE_MODE);
	MemoryContext context = fcinfo->flinfo->fn_mcxt;
	Prepared *prepared;

	if (call->prepared != NULL)
		return call;
	prepared = MemoryContextAlloc(context, sizeof(Prepared));
	prepared->order =
		MemoryContextAlloc(context, call->categories->count * sizeof(uint32));
	prepared->none = MemoryContextAllocZero(context, call->categories->count *
														 sizeof(int64));
	dp_prepare_call(call, &prepared->mechanism);
	call->prepared = prepared;
	return call;
}

/* (state internal, value, ...): counts one row. */
Datum
dp_mode_transition(PG_FUNCTION_ARGS)
{
	DpCall *call = fcinfo->flinfo->fn_extra;
	DpCountsState *state;

	if (unlikely(call == NULL || call->prepared == NULL))
		call = prepare(fcinfo);
	state = dp_counts_of(fcinfo, call->categories->count);
	if (!PG_ARGISNULL(1))
	{
		int64 index = dp_categories_find(call->categories, PG_GETARG_DATUM(1));

		if (index >= 0)
			dp_counts_add(state, index);
	}
	PG_RETURN_POINTER(state);
}

/* (state internal, ..., values of a unit sample_state) */
Datum
dp_mode_of_units_transition(PG_FUNCTION_ARGS)
{
	const DpCall *call = prepare(fcinfo);
	DpCountsState *state = dp_counts_of(fcinfo, call->categories->count);
	const DpSampleState *sample;
	uint64 i;

	if (PG_ARGISNULL(PG_NARGS() - 1))
		PG_RETURN_POINTER(state);
	sample = dp_sample_state_argument(fcinfo, call->contribution.rows);
	for (i = 0; i < dp_sample_state_kept(sample); i++)
	{
		int64 index = dp_categories_index(call->categories, sample->points[i]);

		if (index < 0)
			dp_counts_report_change();
		else
			dp_counts_add(state, (uint64) index);
	}
	PG_RETURN_POINTER(state);
}

/* (state internal, ...): the value selected, of the type of the values. */
Datum
dp_mode_final(PG_FUNCTION_ARGS)
{
	DpCall *call = prepare(fcinfo);
	Prepared *prepared = call->prepared;
	const DpCategories *categories = call->categories;
	DpCountsState *state = dp_counts_argument(fcinfo, 0, categories->count);
	size_t index;

	dp_report_status(
		dp_selection_draw(dp_report_random(), &prepared->mechanism.selection,
						  state == NULL ? prepared->none : state->counts,
						  categories->count, prepared->order, &index));
	PG_RETURN_DATUM(datumCopy(categories->values[index], categories->by_value,
							  categories->length));
}
