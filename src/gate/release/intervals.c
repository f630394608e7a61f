/*
 * intervals.c
 *		Columns that are computed from answers and the public facts about their
 *		noise.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "aggregates/noisy_sums.h"
#include "gate/question/fingerprint.h"
#include "gate/question/keys/key.h"
#include "gate/question/relations/private_aggregates.h"
#include "gate/release/charges.h"
#include "gate/release/intervals.h"
#include "server/report.h"

/* An aggregate whose answers are made of noisy sums. */
typedef struct DpSplit
{
	DpCall call;
	DpPrepared prepared;
} DpSplit;

static int
sums_count(const Aggref *aggref)
{
	return dp_gate_traits_of(aggref)->sums;
}

static Node *
bytes_column(void)
{
	return (Node *) makeNullConst(BYTEAOID, -1, InvalidOid);
}

List *
dp_gate_shown_columns(const DpRelease *release)
{
	return list_concat(dp_gate_release_columns(release->outline.keys,
											   release->outline.aggregates),
					   release->outline.ends->types);
}

List *
dp_gate_kept_columns(const DpRelease *release)
{
	List *columns = dp_gate_shown_columns(release);
	ListCell *cell;

	foreach (cell, release->outline.aggregates)
	{
		if (sums_count(lfirst(cell)) > 0)
			columns = lappend(columns, bytes_column());
	}
	return columns;
}

List *
dp_gate_computed_columns(List *keys, List *aggregates)
{
	List *columns = dp_gate_release_columns(keys, NIL);
	ListCell *cell;

	foreach (cell, aggregates)
		columns = lappend(columns, sums_count(lfirst(cell)) > 0 ? bytes_column()
																: lfirst(cell));
	return columns;
}

int *
dp_gate_sums_columns(const DpRelease *release)
{
	int count = list_length(release->outline.aggregates);
	int column = list_length(release->outline.keys) + count +
				 list_length(release->outline.ends->aggnos);
	int *columns = palloc(Max(count, 1) * sizeof(int));
	ListCell *cell;

	foreach (cell, release->outline.aggregates)
		columns[foreach_current_index(cell)] =
			sums_count(lfirst(cell)) > 0 ? column++ : -1;
	return columns;
}

/* The answer that is computed from an aggregate's noisy sums. */
static Datum
answer_of(DpReleaseState *state, int aggno, Datum bytes)
{
	DpSplit *split = state->splits[aggno];
	const DpAggregateTraits *traits;
	dp_int128 sums[DP_NOISY_SUMS_MAX];

	if (split == NULL)
	{
		MemoryContext old =
			MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);

		split = palloc(sizeof(DpSplit));
		(void) dp_gate_read_call(
			state, list_nth(state->release->outline.aggregates, aggno),
			&split->call);
		dp_prepare_call(&split->call, &split->prepared);
		state->splits[aggno] = split;
		MemoryContextSwitchTo(old);
	}
	traits = dp_aggregate_get(split->call.aggregate);
	dp_noisy_sums_read(bytes, sums, traits->sums);
	return traits->answer(&split->call, &split->prepared, sums);
}

void
dp_gate_set_answers(DpReleaseState *state, int64 row, const Datum *values,
					const bool *nulls)
{
	int keys = list_length(state->release->outline.keys);
	int count = list_length(state->release->outline.aggregates);
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		Datum value = values[aggno];
		int column = state->sums_columns[aggno];

		if (column >= 0 && !nulls[aggno])
		{
			dp_gate_rows_set(state->rows, row, column, value, false);
			value = answer_of(state, aggno, value);
		}
		dp_gate_rows_set(state->rows, row, keys + aggno, value, nulls[aggno]);
	}
}

/* The following functions find laws. */

void
dp_gate_set_law(DpReleaseState *state, int aggno, const DpLaw *law)
{
	DpLaw *copy =
		MemoryContextAlloc(state->css.ss.ps.state->es_query_cxt, sizeof(DpLaw));

	*copy = *law;
	state->laws[aggno] = copy;
}

void
dp_gate_forget_law(DpReleaseState *state, int aggno)
{
	state->laws[aggno] = NULL;
}

const DpLaw *
dp_gate_law(DpReleaseState *state, int aggno)
{
	DpCall call;
	DpLaw law;

	if (state->laws[aggno] != NULL)
		return state->laws[aggno];
	(void) dp_gate_read_call(
		state, list_nth(state->release->outline.aggregates, aggno), &call);
	dp_law_of_call(&call, &law);
	if (state->selection != NULL && state->selection->aggno == aggno)
	{
		/*
		 * An answer that is shown has reached the threshold, which its law
		 * must say.
		 */
		law.has_threshold = true;
		law.threshold = state->selection->threshold;
	}
	dp_gate_set_law(state, aggno, &law);
	return state->laws[aggno];
}

/* The following functions find ends. */

void
dp_gate_find_levels(DpReleaseState *state)
{
	List *levels = state->release->outline.ends->levels;
	ListCell *cell;

	if (levels == NIL)
		return;
	state->levels = MemoryContextAlloc(state->css.ss.ps.state->es_query_cxt,
									   list_length(levels) * sizeof(double));
	foreach (cell, levels)
	{
		Node *level = eval_const_expressions(
			NULL,
			dp_gate_replace_params(lfirst(cell),
								   state->css.ss.ps.state->es_param_list_info));
		double value = 0;

		if (!IsA(level, Const))
			elog(ERROR, "the level of an interval is not constant");
		if (!((Const *) level)->constisnull)
			value = DatumGetFloat8(((Const *) level)->constvalue);
		dp_gate_check_level(value, exprLocation(lfirst(cell)));
		state->levels[foreach_current_index(cell)] = value;
	}
}

/* Fills in one end, in all rows. number: of the end. */
static void
fill_end(DpReleaseState *state, int number)
{
	const DpRelease *release = state->release;
	int aggno = list_nth_int(release->outline.ends->aggnos, number);
	Aggref *aggref = list_nth(release->outline.aggregates, aggno);
	int answers = list_length(release->outline.keys) + aggno;
	int sums_at = state->sums_columns[aggno];
	int sums_number = sums_count(aggref);
	int column = list_length(release->outline.keys) +
				 list_length(release->outline.aggregates) + number;
	DpEnd end = {.law = dp_gate_law(state, aggno),
				 .type = getBaseType(aggref->aggtype),
				 .is_high =
					 list_nth_int(release->outline.ends->sides, number) != 0,
				 .level = state->levels[number]};
	MemoryContext per_row = AllocSetContextCreate(
		CurrentMemoryContext, "interval of an answer", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(per_row);
	int64 row;

	dp_report_status(dp_law_width(end.law, end.level, &end.width));
	for (row = 0; row < dp_gate_rows_count(state->rows); row++)
	{
		const Datum *values = dp_gate_rows_values(state->rows, row);
		const bool *nulls = dp_gate_rows_nulls(state->rows, row);
		dp_int128 sums[DP_NOISY_SUMS_MAX] = {0};
		Datum value = (Datum) 0;
		bool is_known = !nulls[answers] && (sums_at < 0 || !nulls[sums_at]);

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(per_row);
		if (is_known && sums_at >= 0)
			dp_noisy_sums_read(values[sums_at], sums, sums_number);
		if (is_known)
			is_known = dp_law_end(&end, values[answers], sums, &value);
		dp_gate_rows_set(state->rows, row, column, value, !is_known);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(per_row);
}

void
dp_gate_fill_ends(DpReleaseState *state)
{
	int count = list_length(state->release->outline.ends->aggnos);
	int number;

	for (number = 0; number < count; number++)
		fill_end(state, number);
}
