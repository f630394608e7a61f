/*
 * intervals.c
 *		Intervals around released answers.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "aggregates/noisy_sums.h"
#include "gate/facts/fill.h"
#include "gate/relations/private_aggregates.h"
#include "gate/release/intervals.h"
#include "server/report.h"

void
dp_intervals_find_levels(DpAnswerTable *table)
{
	List *levels = table->outline->ends->levels;

	if (levels == NIL)
		return;
	table->levels = MemoryContextAlloc(table->node->state->es_query_cxt,
									   list_length(levels) * sizeof(double));
	foreach_ptr (Node, node, levels)
	{
		Node *level = eval_const_expressions(
			NULL, dp_fill_params(node, table->node->state->es_param_list_info));
		double value = 0;

		if (!IsA(level, Const))
			elog(ERROR, "the level of an interval is not constant");
		if (!((Const *) level)->constisnull)
			value = DatumGetFloat8(((Const *) level)->constvalue);
		dp_ends_check_level(value, exprLocation(node));
		table->levels[foreach_current_index(node)] = value;
	}
}

/* Fills in one end, in all rows. number: of the end. */
static void
fill_end(DpAnswerTable *table, int number)
{
	const DpOutline *outline = table->outline;
	int aggno = list_nth_int(outline->ends->aggnos, number);
	Aggref *aggref = list_nth(outline->aggregates, aggno);
	int answers = dp_answer_table_column(table, aggno);
	int sums_at = table->sums_columns[aggno];
	int sums_number = dp_private_aggregates_traits(aggref)->sums;
	int column = dp_answer_table_end(table, number);
	DpEnd end = {.law = dp_answer_table_law(table, aggno),
				 .type = getBaseType(aggref->aggtype),
				 .is_high = list_nth_int(outline->ends->sides, number) != 0,
				 .level = table->levels[number],
				 .call = dp_terms_call(table->terms, aggno)};
	MemoryContext per_row = AllocSetContextCreate(
		CurrentMemoryContext, "interval of an answer", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(per_row);
	int64 row;

	dp_report_status(dp_law_known_width(end.law, end.level, false, &end.width));
	for (row = 0; row < dp_row_table_count(table->rows); row++)
	{
		const Datum *values = dp_row_table_values(table->rows, row);
		const bool *nulls = dp_row_table_nulls(table->rows, row);
		dp_int128 sums[DP_NOISY_SUMS_MAX] = {0};
		Datum value = (Datum) 0;
		bool is_known = !nulls[answers] && (sums_at < 0 || !nulls[sums_at]);

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(per_row);
		if (is_known && sums_at >= 0)
			dp_noisy_sums_read(values[sums_at], sums, sums_number);
		if (is_known)
			is_known = dp_law_end(&end, values[answers], sums, &value);
		dp_row_table_set(table->rows, row, column, value, !is_known);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(per_row);
}

void
dp_intervals_fill(DpAnswerTable *table)
{
	int count = list_length(table->outline->ends->aggnos);
	int number;

	for (number = 0; number < count; number++)
	{
		if (list_nth_int(table->outline->ends->sides, number) !=
			DP_ENDS_DIVISOR)
			fill_end(table, number);
	}
}
