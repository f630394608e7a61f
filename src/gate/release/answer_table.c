/*
 * answer_table.c
 *		The answers of a release: its rows, and the laws of their noise.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/memutils.h"

#include "aggregates/noisy_sums.h"
#include "aggregates/prepare.h"
#include "gate/bound/key.h"
#include "gate/relations/private_aggregates.h"
#include "gate/release/answer_table.h"

static int
sums_count(const Aggref *aggref)
{
	return dp_private_aggregates_traits(aggref)->sums;
}

static Node *
bytes_column(void)
{
	return (Node *) makeNullConst(BYTEAOID, -1, InvalidOid);
}

List *
dp_answer_table_shown(const DpReleasePlan *plan)
{
	return list_concat(
		dp_key_release_columns(plan->outline.keys, plan->outline.aggregates),
		plan->outline.ends->types);
}

/* The columns that are kept: those that are shown, and the noisy sums. */
static List *
kept_columns(const DpReleasePlan *plan)
{
	List *columns = dp_answer_table_shown(plan);

	foreach_ptr (Aggref, aggref, plan->outline.aggregates)
	{
		if (sums_count(aggref) > 0)
			columns = lappend(columns, bytes_column());
	}
	return columns;
}

List *
dp_answer_table_computed(List *keys, List *aggregates)
{
	List *columns = dp_key_release_columns(keys, NIL);

	foreach_ptr (Aggref, aggref, aggregates)
		columns = lappend(columns, sums_count(aggref) > 0 ? bytes_column()
														  : (Node *) aggref);
	return columns;
}

/*
 * The columns of the aggregates' noisy sums, by aggno; -1 for those that have
 * none.
 */
static int *
columns_of_sums(const DpReleasePlan *plan)
{
	int count = list_length(plan->outline.aggregates);
	int column = list_length(plan->outline.keys) + count +
				 list_length(plan->outline.ends->aggnos);
	int *columns = palloc(Max(count, 1) * sizeof(int));

	foreach_ptr (Aggref, aggref, plan->outline.aggregates)
		columns[foreach_current_index(aggref)] =
			sums_count(aggref) > 0 ? column++ : -1;
	return columns;
}

void
dp_answer_table_init(DpAnswerTable *table, const DpReleasePlan *plan,
					 DpTerms *terms, DpGroups *groups)
{
	int count = list_length(terms->outline->aggregates);

	*table = (DpAnswerTable){.plan = plan,
							 .outline = &plan->outline,
							 .node = terms->node,
							 .terms = terms,
							 .groups = groups};
	table->sums_columns = columns_of_sums(plan);
	table->laws = palloc0(count * sizeof(DpLaw *));
	table->prepared = palloc0(count * sizeof(DpPrepared *));
	table->is_above_zero = palloc0(count * sizeof(bool *));
}

void
dp_answer_table_begin(DpAnswerTable *table)
{
	List *keys = table->outline->keys;
	MemoryContext old = MemoryContextSwitchTo(table->node->state->es_query_cxt);

	if (table->rows == NULL)
		table->rows =
			dp_row_table_make(kept_columns(table->plan), list_length(keys));
	if (keys == NIL)
		(void) dp_row_table_add(table->rows, NULL, NULL);
	MemoryContextSwitchTo(old);
}

int
dp_answer_table_column(const DpAnswerTable *table, int aggno)
{
	return list_length(table->outline->keys) + aggno;
}

int
dp_answer_table_end(const DpAnswerTable *table, int number)
{
	return list_length(table->outline->keys) +
		   list_length(table->outline->aggregates) + number;
}

/* The answer that is computed from an aggregate's noisy sums. */
static Datum
answer_of(DpAnswerTable *table, int aggno, Datum bytes)
{
	const DpCall *call = dp_terms_call(table->terms, aggno);
	const DpAggregateTraits *traits = dp_aggregate_get(call->aggregate);
	dp_int128 sums[DP_NOISY_SUMS_MAX];

	if (table->prepared[aggno] == NULL)
	{
		MemoryContext old =
			MemoryContextSwitchTo(table->node->state->es_query_cxt);

		table->prepared[aggno] = palloc(sizeof(DpPrepared));
		dp_prepare_call(call, table->prepared[aggno]);
		MemoryContextSwitchTo(old);
	}
	dp_noisy_sums_read(bytes, sums, traits->sums);
	return traits->answer(call, table->prepared[aggno], sums);
}

void
dp_answer_table_set(DpAnswerTable *table, int64 row, const Datum *values,
					const bool *nulls)
{
	int count = list_length(table->outline->aggregates);
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		Datum value = values[aggno];
		int column = table->sums_columns[aggno];
		bool is_null = nulls[aggno] || table->terms->chosen[aggno].are_none;

		if (column >= 0 && !is_null)
		{
			dp_row_table_set(table->rows, row, column, value, false);
			value = answer_of(table, aggno, value);
		}
		dp_row_table_set(table->rows, row, dp_answer_table_column(table, aggno),
						 is_null ? (Datum) 0 : value, is_null);
	}
}

void
dp_answer_table_set_law(DpAnswerTable *table, int aggno, const DpLaw *law)
{
	DpLaw *copy =
		MemoryContextAlloc(table->node->state->es_query_cxt, sizeof(DpLaw));

	*copy = *law;
	table->laws[aggno] = copy;
}

void
dp_answer_table_set_bounds(DpAnswerTable *table, int aggno, DpEdge lower,
						   DpEdge upper)
{
	dp_terms_set_bounds(table->terms, aggno, lower, upper);
	table->laws[aggno] = NULL;
	table->prepared[aggno] = NULL;
}

void
dp_answer_table_set_cap(DpAnswerTable *table, int aggno, uint32 cap)
{
	dp_terms_set_cap(table->terms, aggno, cap);
	table->laws[aggno] = NULL;
	table->prepared[aggno] = NULL;
}

void
dp_answer_table_forget_law(DpAnswerTable *table, int aggno)
{
	table->laws[aggno] = NULL;
}

const DpLaw *
dp_answer_table_law(DpAnswerTable *table, int aggno)
{
	const DpGroupSelection *selection = table->groups->selection;
	DpLaw law;

	if (table->laws[aggno] != NULL)
		return table->laws[aggno];
	dp_law_of_call(dp_terms_call(table->terms, aggno), &law);
	if (selection != NULL && selection->aggno == aggno)
	{
		/*
		 * An answer that is shown has reached the threshold, which its law
		 * must say.
		 */
		law.has_threshold = true;
		law.threshold = selection->threshold;
	}
	dp_answer_table_set_law(table, aggno, &law);
	return table->laws[aggno];
}
