/*
 * empty_groups.c
 *		Groups of public keys that may have no rows, left out of what is shown.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "aggregates/noisy_sums.h"
#include "gate/bound/key.h"
#include "gate/relations/private_aggregates.h"
#include "gate/release/empty_groups.h"
#include "server/report.h"
#include "server/settings.h"

/* Of the intervals that must not have 0. */
#define LEVEL 0.95

static const DpAggregateTraits *
traits_of(const DpAnswerTable *table, int aggno)
{
	return dp_private_aggregates_traits(
		list_nth(table->outline->aggregates, aggno));
}

/* Whether some keys have values that were neither declared nor named. */
static bool
are_found(const DpOutline *outline)
{
	foreach_ptr (DpKey, key, outline->keys)
	{
		const DpKeyTuples *tuples =
			dp_key_tuples_of(outline->tuples, foreach_current_index(key));

		if (key->is_public &&
			(tuples == NULL ? key->is_found : tuples->is_found))
			return true;
	}
	return false;
}

/* Whether groups may be left out, should they have counts. */
static bool
hides(const DpAnswerTable *table)
{
	switch ((DpEmptyGroups) dp_setting_empty_groups)
	{
		case DP_EMPTY_GROUPS_AUTO:
			return are_found(table->outline);
		case DP_EMPTY_GROUPS_HIDE:
			return dp_groups_have_public_keys(table->groups);
		case DP_EMPTY_GROUPS_SHOW:
			break;
	}
	return false;
}

bool
dp_empty_groups_may_hide(const DpAnswerTable *table)
{
	int count = list_length(table->outline->aggregates);
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		if (traits_of(table, aggno)->has_count)
			return hides(table);
	}
	return false;
}

/* Whether a row's count can be told from 0; unknown ones can. */
static bool
is_above_zero(const DpAnswerTable *table, int64 row, int aggno,
			  const DpLaw *law, dp_uint128 width)
{
	const Datum *values = dp_row_table_values(table->rows, row);
	const bool *nulls = dp_row_table_nulls(table->rows, row);
	int answer = dp_answer_table_column(table, aggno);
	int sums_at = table->sums_columns[aggno];
	dp_int128 sums[DP_NOISY_SUMS_MAX] = {0};
	dp_int128 rows;

	if (nulls[answer] || (sums_at >= 0 && nulls[sums_at]) || law->has_threshold)
		return true;
	if (sums_at >= 0)
		dp_noisy_sums_read(values[sums_at], sums,
						   traits_of(table, aggno)->sums);
	rows = dp_law_rows(law, sums_at >= 0 ? 0 : DatumGetInt64(values[answer]),
					   sums);
	return rows > 0 && (dp_uint128) rows > width;
}

static void
find_above_zero(DpAnswerTable *table, int aggno)
{
	const DpLaw *law = dp_answer_table_law(table, aggno);
	int64 count = dp_row_table_count(table->rows);
	MemoryContext per_row;
	MemoryContext old;
	dp_uint128 width;
	DpStatus status = dp_law_known_width(law, LEVEL, true, &width);
	int64 row;

	if (status == DP_MECHANISM_NOT_APPLICABLE)
		return;
	dp_report_status(status);
	table->is_above_zero[aggno] = MemoryContextAllocHuge(
		table->node->state->es_query_cxt, (Size) Max(count, 1) * sizeof(bool));
	per_row = AllocSetContextCreate(CurrentMemoryContext, "count of a group",
									ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(per_row);
	for (row = 0; row < count; row++)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(per_row);
		table->is_above_zero[aggno][row] =
			is_above_zero(table, row, aggno, law, width);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(per_row);
}

void
dp_empty_groups_find(DpAnswerTable *table)
{
	int count = list_length(table->outline->aggregates);
	int aggno;

	if (table->outline->keys == NIL ||
		dp_setting_empty_groups == DP_EMPTY_GROUPS_SHOW)
		return;
	for (aggno = 0; aggno < count; aggno++)
	{
		if (traits_of(table, aggno)->has_count)
			find_above_zero(table, aggno);
	}
}

/* Divisors: the counts themselves, where they can be told from 0. */
static void
fill_divisors(DpAnswerTable *table)
{
	const DpEnds *ends = table->outline->ends;
	int column = dp_answer_table_end(table, 0);
	ListCell *cell;
	ListCell *side;

	forboth (cell, ends->aggnos, side, ends->sides)
	{
		int aggno = lfirst_int(cell);
		int answer = dp_answer_table_column(table, aggno);
		int64 row;

		for (row = 0; lfirst_int(side) == DP_ENDS_DIVISOR &&
					  row < dp_row_table_count(table->rows);
			 row++)
		{
			bool isnull = dp_row_table_nulls(table->rows, row)[answer] ||
						  (table->is_above_zero[aggno] != NULL &&
						   !table->is_above_zero[aggno][row]);

			CHECK_FOR_INTERRUPTS();
			dp_row_table_set(table->rows, row, column,
							 dp_row_table_values(table->rows, row)[answer],
							 isnull);
		}
		column++;
	}
}

/* Means and variances of no rows that can be told. */
static void
clear_near_zero(DpAnswerTable *table, int aggno)
{
	int64 row;

	if (table->is_above_zero[aggno] == NULL ||
		traits_of(table, aggno)->sums == 0)
		return;
	for (row = 0; row < dp_row_table_count(table->rows); row++)
	{
		if (!table->is_above_zero[aggno][row])
			dp_row_table_set(table->rows, row,
							 dp_answer_table_column(table, aggno), (Datum) 0,
							 true);
	}
}

/* Whether a group has a count, and none that is known can be told from 0. */
static bool
may_be_empty(const DpAnswerTable *table, int64 row)
{
	const bool *nulls = dp_row_table_nulls(table->rows, row);
	int count = list_length(table->outline->aggregates);
	bool is_known = false;
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		/* It has no answer where no bounds were found. */
		if (table->is_above_zero[aggno] == NULL ||
			nulls[dp_answer_table_column(table, aggno)])
			continue;
		if (table->is_above_zero[aggno][row])
			return false;
		is_known = true;
	}
	return is_known;
}

static void
mark_hidden(DpAnswerTable *table)
{
	int64 rows = dp_row_table_count(table->rows);
	int64 row;

	table->is_hidden = MemoryContextAllocHuge(
		table->node->state->es_query_cxt, (Size) Max(rows, 1) * sizeof(bool));
	for (row = 0; row < rows; row++)
		table->is_hidden[row] = may_be_empty(table, row);
}

void
dp_empty_groups_finish(DpAnswerTable *table)
{
	int count = list_length(table->outline->aggregates);
	int aggno;

	fill_divisors(table);
	if (hides(table))
		mark_hidden(table);
	for (aggno = 0; aggno < count; aggno++)
		clear_near_zero(table, aggno);
}

int64
dp_empty_groups_hidden(const DpAnswerTable *table)
{
	int64 hidden = 0;
	int64 row;

	for (row = 0;
		 table->is_hidden != NULL && row < dp_row_table_count(table->rows);
		 row++)
		hidden += table->is_hidden[row] ? 1 : 0;
	return hidden;
}

void
dp_empty_groups_report(int64 hidden)
{
	if (hidden > 0)
		ereport(NOTICE,
				(errmsg_plural("%lld group is left out, whose noisy counts "
							   "cannot be told from none",
							   "%lld groups are left out, whose noisy counts "
							   "cannot be told from none",
							   (unsigned long) hidden, (long long) hidden),
				 errhint("SET dp_noise.empty_groups = show shows all, free.")));
}
