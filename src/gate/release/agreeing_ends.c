/*
 * agreeing_ends.c
 *		Ends of intervals around answers of groupings that agree.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "aggregates/noisy_sums.h"
#include "core/marginal_weights.h"
#include "gate/read/ends.h"
#include "gate/release/agreeing_ends.h"
#include "mechanisms/combination.h"
#include "server/report.h"

/* An end of all rows. */
typedef struct End
{
	const DpAgreeingAnswers *answers;
	DpAnswerTable *table;
	DpEnd of;		   /* its width: of the grouping's own answer */
	int column;		   /* of the rows */
	FmgrInfo *compare; /* of answers */
	bool is_by_cell;   /* cells have widths of their own */
	double variance;   /* of the cell that the width is of */
	double greatest;
	double width; /* of the least-squares solution; infinite: not known */
} End;

static const DpNoise *
noise_of(const DpAgreeingAnswers *answers, int number)
{
	DpReleaseState *state = list_nth(answers->groupings->states, number);

	return &dp_answer_table_law(&state->answers, answers->aggno)->noise;
}

/* Without a bound where noise has none. */
static void
check(End *end, DpStatus status)
{
	if (status == DP_MECHANISM_NOT_APPLICABLE)
		end->width = INFINITY;
	else
		dp_report_status(status);
}

/* Finds the width that all cells have. */
static void
find_width(End *end)
{
	const DpAgreeingAnswers *answers = end->answers;
	DpMarginalWeight *weights =
		palloc(DP_MARGINAL_WEIGHTS_MAX * sizeof(DpMarginalWeight));
	DpCombined *parts = palloc(DP_MARGINAL_WEIGHTS_MAX * sizeof(DpCombined));
	int count =
		dp_marginals_weights(answers->marginals, answers->number, weights);
	int i;

	for (i = 0; i < count; i++)
		parts[i] = (DpCombined){noise_of(answers, weights[i].table),
								weights[i].weight, weights[i].cells};
	if (count > 0)
		check(end, dp_combination_width(
					   parts, count, dp_law_tail(end->of.level), &end->width));
	pfree(parts);
	pfree(weights);
}

/* Finds the width of a cell, if it is another one's than the last. */
static void
find_width_of(End *end, int64 cell)
{
	const DpAgreeingAnswers *answers = end->answers;
	const DpNoise *laws[DP_MARGINALS_MAX];
	double variance = answers->variances[cell];
	double greatest = answers->greatest[cell];
	int count = list_length(answers->groupings->states);
	int i;

	if (variance == end->variance && greatest == end->greatest)
		return;
	end->variance = variance;
	end->greatest = greatest;
	for (i = 0; i < count; i++)
		laws[i] = noise_of(answers, i);
	check(end, dp_combination_bound(laws, count, sqrt(variance),
									Min(greatest / variance, 1),
									dp_law_tail(end->of.level), &end->width));
}

/* Around the least-squares solution: whole steps, no less far than what is shown. */
static Datum
end_around(const End *end, int64 cell, Datum answer)
{
	const DpAgreeingAnswers *answers = end->answers;
	double distance = end->width + answers->slack;
	double exact = answers->exact[cell];
	double shown = answers->shown[cell];
	double width = end->of.is_high ? floor(exact + distance) - shown
								   : shown - ceil(exact - distance);
	const dp_int128 none[DP_NOISY_SUMS_MAX] = {0};
	DpEnd of = end->of;
	Datum value = (Datum) 0;

	of.width = (dp_uint128) Max(width, 0);
	(void) dp_law_end(&of, answer, none, &value);
	return value;
}

static void
set_row(End *end, int64 row, int64 cell, Datum answer)
{
	DpRowTable *rows = end->table->rows;
	Datum value = dp_row_table_values(rows, row)[end->column];

	if (end->is_by_cell)
		find_width_of(end, cell);
	if (end->width < (double) end->of.width) /* of what is public alone */
		value = end_around(end, cell, answer);
	else
	{
		int side = DatumGetInt32(FunctionCall2(end->compare, value, answer));

		if (end->of.is_high ? side >= 0 : side <= 0)
			return;
		value = answer;
	}
	dp_row_table_set(rows, row, end->column, value, false);
}

/* Both widths of a level, as far as all cells have them in common. */
static void
find_widths(End *end)
{
	dp_report_status(
		dp_law_known_width(end->of.law, end->of.level, false, &end->of.width));
	end->width = INFINITY;
	end->variance = end->greatest = 0;
	if (end->of.type == FLOAT4OID) /* rounded by more than noise may be */
		return;
	end->is_by_cell = end->answers->variances != NULL;
	if (!end->is_by_cell)
		find_width(end);
}

/* Sets one end of all rows. */
static void
set_end(End *end)
{
	DpRowTable *rows = end->table->rows;
	int column = dp_answer_table_column(end->table, end->answers->aggno);
	MemoryContext per_row = AllocSetContextCreate(
		CurrentMemoryContext, "end around an agreeing answer",
		ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(per_row);
	int64 row;

	for (row = 0; row < dp_row_table_count(rows); row++)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(per_row);
		if (!dp_row_table_nulls(rows, row)[column] &&
			!dp_row_table_nulls(rows, row)[end->column])
			set_row(end, row, end->answers->cell_of[row],
					dp_row_table_values(rows, row)[column]);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(per_row);
}

void
dp_agreeing_ends_set(const DpAgreeingAnswers *answers)
{
	DpReleaseState *state =
		list_nth(answers->groupings->states, answers->number);
	const DpOutline *outline = state->outline;
	Aggref *aggref = list_nth(outline->aggregates, answers->aggno);
	Oid type = getBaseType(aggref->aggtype);
	ListCell *aggno;
	ListCell *side;

	End end = {
		.answers = answers,
		.table = &state->answers,
		.of = {.law = dp_answer_table_law(&state->answers, answers->aggno),
			   .type = type}};

	forboth (aggno, outline->ends->aggnos, side, outline->ends->sides)
	{
		int number = foreach_current_index(aggno);
		TypeCacheEntry *entry;
		double level;

		if (lfirst_int(aggno) != answers->aggno ||
			lfirst_int(side) == DP_ENDS_DIVISOR)
			continue;
		entry = lookup_type_cache(type, TYPECACHE_CMP_PROC_FINFO);
		level = state->answers.levels[number];
		end.compare = &entry->cmp_proc_finfo;
		end.column = dp_answer_table_end(&state->answers, number);
		end.of.is_high = lfirst_int(side) == DP_ENDS_HIGH;
		if (level != end.of.level)
		{
			end.of.level = level;
			find_widths(&end);
		}
		set_end(&end);
	}
}
