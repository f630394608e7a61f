/*
 * agreeing_tables.c
 *		Answers of groupings that agree with each other.
 *
 * Answers are counted in steps of a power of two, as the mechanism draws them.
 * They are summed and rounded in these steps, so that nothing is lost to
 * decimals. The tables contain the rows that the answers have; those of a
 * stored answer may differ from today's.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "fmgr.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "aggregates/noisy_sums.h"
#include "aggregates/number.h"
#include "core/nested_tables.h"
#include "gate/bound/key.h"
#include "gate/release/agreeing_ends.h"
#include "gate/release/agreeing_tables.h"
#include "gate/release/agreement.h"
#include "gate/release/nested_groupings.h"
#include "server/report.h"

/* Doubles represent all integers up to this. */
#define STEPS_MAX 0x1p52

/* Keys that are found together; with more, tables are not made to agree. */
#define MOST_KEYS 32

/* The tables of one aggregate. */
typedef struct Tables
{
	const DpGroupings *groupings;
	int aggno;			/* of the aggregate */
	const DpCall *call; /* the first grouping's, as that of all */
	int exponent;		/* a step is 2^exponent */
	List *keys; /* of all groupings: lists of expressions, of one or of several
				 * that are found together */
	List *values; /* beside: DpRowTable, the values or tuples that occur */
	/* by table and key: where its values are in rows; NULL: the table lacks it */
	const DpKeyValues *places[DP_MARGINALS_MAX][DP_MARGINAL_KEYS_MAX];
	DpMarginals marginals;
	double *cells[DP_MARGINALS_MAX];
	double *exact[DP_MARGINALS_MAX];  /* before they are rounded */
	int64 *cell_of[DP_MARGINALS_MAX]; /* of the rows, among the cells */
	int64 counts[DP_MARGINALS_MAX];	  /* of cells */
	double slack;					  /* what exact cells may err by */
} Tables;

/* The index of a key among those of all groupings; it is added if need be. */
static int
find_key(Tables *tables, List *key)
{
	int number = dp_agreement_key(key, &tables->keys);

	if (number == list_length(tables->values))
		tables->values =
			lappend(tables->values, dp_row_table_make(key, list_length(key)));
	return number;
}

/* The values of some of a row's keys, in a key's order. */
static void
read_key(DpReleaseState *state, int64 row, const DpKeyValues *of, Datum *values,
		 bool *nulls)
{
	ListCell *cell;

	foreach (cell, of->keys)
	{
		int i = foreach_current_index(cell);

		values[i] =
			dp_row_table_values(state->answers.rows, row)[lfirst_int(cell)];
		nulls[i] =
			dp_row_table_nulls(state->answers.rows, row)[lfirst_int(cell)];
	}
}

/* False for rows whose keys a stored answer does not have. */
static bool
has_answer(const Tables *tables, DpReleaseState *state, int64 row)
{
	int column = dp_answer_table_column(&state->answers, tables->aggno);

	return !dp_row_table_nulls(state->answers.rows, row)[column];
}

/* Finds the keys' values, in the order in which the rows have them. */
static bool
find_values(Tables *tables)
{
	DpMarginals *marginals = &tables->marginals;
	Datum values[MOST_KEYS];
	bool nulls[MOST_KEYS];

	marginals->tables = list_length(tables->groupings->states);
	foreach_ptr (DpReleaseState, state, tables->groupings->states)
	{
		int64 row;

		foreach_ptr (DpKeyValues, one, state->groups.values)
		{
			int number = find_key(tables, dp_agreement_key_of(state, one));

			if (number >= DP_MARGINAL_KEYS_MAX ||
				list_length(one->keys) > MOST_KEYS)
				return false;
			tables->places[foreach_current_index(state)][number] = one;
			marginals->members[foreach_current_index(state)] |= UINT64CONST(1)
																<< number;
			for (row = 0; row < dp_row_table_count(state->answers.rows); row++)
			{
				if (!has_answer(tables, state, row))
					continue;
				read_key(state, row, one, values, nulls);
				(void) dp_row_table_add(list_nth(tables->values, number),
										values, nulls);
			}
		}
	}
	foreach_ptr (DpRowTable, those, tables->values)
		marginals->sizes[foreach_current_index(those)] =
			dp_row_table_count(those);
	marginals->keys = list_length(tables->keys);
	return true;
}

/* An answer in steps. */
static double
steps_of(const Tables *tables, Oid type, Datum answer)
{
	int64 integer = 0;
	double number = 0;

	if (dp_number_read(type, answer, &integer, &number) == DP_NUMBER_INTEGER)
		number = (double) integer;
	return rint(ldexp(number, -tables->exponent));
}

/* Where a row's cell is: its keys' values in the order of all keys. */
static int64
cell_of(const Tables *tables, int number, int64 row)
{
	DpReleaseState *state = list_nth(tables->groupings->states, number);
	Datum values[MOST_KEYS];
	bool nulls[MOST_KEYS];
	int64 result = 0;

	foreach_ptr (DpRowTable, all, tables->values)
	{
		const DpKeyValues *key =
			tables->places[number][foreach_current_index(all)];

		if (key == NULL)
			continue;
		read_key(state, row, key, values, nulls);
		result = result * dp_row_table_count(all) +
				 dp_row_table_find(all, values, nulls);
	}
	return result;
}

/* Reads the table of a grouping; false where cells are missing. */
static bool
read_table(Tables *tables, int number)
{
	DpReleaseState *state = list_nth(tables->groupings->states, number);
	Aggref *aggref = list_nth(state->outline->aggregates, tables->aggno);
	int column = dp_answer_table_column(&state->answers, tables->aggno);
	Oid type = getBaseType(aggref->aggtype);
	int64 count = dp_row_table_count(state->answers.rows);
	int64 answers = 0;
	int64 row;

	for (row = 0; row < count; row++)
		answers += has_answer(tables, state, row) ? 1 : 0;
	tables->counts[number] = answers;
	if (answers == 0 ||
		(double) answers != dp_marginals_cells(&tables->marginals, number))
		return false;
	tables->cells[number] =
		palloc_extended(count * sizeof(double), MCXT_ALLOC_HUGE);
	tables->cell_of[number] =
		palloc_extended(count * sizeof(int64), MCXT_ALLOC_HUGE);
	for (row = 0; row < count; row++)
	{
		int64 cell;
		double steps;

		CHECK_FOR_INTERRUPTS();
		if (!has_answer(tables, state, row))
			continue;
		cell = cell_of(tables, number, row);
		steps = steps_of(tables, type,
						 dp_row_table_values(state->answers.rows, row)[column]);
		if (!(fabs(steps) <= STEPS_MAX))
			return false;
		tables->cell_of[number][row] = cell;
		tables->cells[number][cell] = steps;
	}
	return true;
}

static Datum
answer_of(const Tables *tables, double steps)
{
	if (tables->call->aggregate == DP_AGGREGATE_COUNT)
		return Int64GetDatum((int64) steps);
	return dp_sum_answer(tables->call, (dp_int128) steps, tables->exponent);
}

/* Writes the table of a grouping back to its rows. */
static void
write_table(const Tables *tables, DpReleaseState *state, int number)
{
	int column = dp_answer_table_column(&state->answers, tables->aggno);
	MemoryContext per_row = AllocSetContextCreate(
		CurrentMemoryContext, "agreeing answer", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(per_row);
	int64 row;

	for (row = 0; row < dp_row_table_count(state->answers.rows); row++)
	{
		Datum answer;

		CHECK_FOR_INTERRUPTS();
		if (!has_answer(tables, state, row))
			continue;
		MemoryContextReset(per_row);
		answer = answer_of(tables,
						   tables->cells[number][tables->cell_of[number][row]]);
		dp_row_table_set(state->answers.rows, row, column, answer, false);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(per_row);
}

/*
 * The most that least squares in doubles err by: the sums of whole numbers are exact,
 * and what follows errs by less than these times the greatest sum of a table. The
 * children of one cell are added up one by one.
 */
static void
find_slack(Tables *tables, double additions)
{
	double most = 0;
	int number;

	for (number = 0; number < tables->marginals.tables; number++)
	{
		double sum = 0;
		int64 i;

		for (i = 0; i < tables->counts[number]; i++)
			sum += fabs(tables->cells[number][i]);
		most = fmax(most, sum);
	}
	tables->slack = ldexp(most * tables->marginals.tables * additions, -52);
}

/* Keeps the cells as they are before they are rounded. */
static void
keep_exact(Tables *tables)
{
	int number;

	for (number = 0; number < tables->marginals.tables; number++)
	{
		Size size = (Size) tables->counts[number] * sizeof(double);

		tables->exact[number] = palloc_extended(size + 1, MCXT_ALLOC_HUGE);
		memcpy(tables->exact[number], tables->cells[number], size);
	}
}

/* Writes all tables back, and sets their ends. variances, greatest: or NULL. */
static void
show_tables(const Tables *tables, double **variances, double **greatest)
{
	int number;

	for (number = 0; number < tables->marginals.tables; number++)
	{
		DpAgreeingAnswers answers = {
			.groupings = tables->groupings,
			.number = number,
			.aggno = tables->aggno,
			.marginals = &tables->marginals,
			.cell_of = tables->cell_of[number],
			.exact = tables->exact[number],
			.shown = tables->cells[number],
			.slack = tables->slack,
			.variances = variances == NULL ? NULL : variances[number],
			.greatest = greatest == NULL ? NULL : greatest[number]};

		write_table(tables, list_nth(tables->groupings->states, number),
					number);
		dp_agreeing_ends_set(&answers);
	}
}

/* Nested groupings as tables (nested_groupings.h). */
typedef struct Nested
{
	int count;
	int order[DP_MARGINALS_MAX]; /* of the groupings, the coarsest first */
	DpNestedTable tables[DP_MARGINALS_MAX];
} Nested;

/* Whether some keys are found together, and by themselves in another grouping. */
static bool
are_parted(const Tables *tables)
{
	ListCell *one;
	ListCell *other;

	foreach (one, tables->keys)
	{
		foreach (other, tables->keys)
		{
			if (one != other &&
				list_intersection(lfirst(one), lfirst(other)) != NIL)
				return true;
		}
	}
	return false;
}

/* Reads a grouping's answers; false where some are missing, or too large. */
static bool
read_nested(Tables *tables, Nested *nested, int number)
{
	int grouping = nested->order[number];
	DpReleaseState *state = list_nth(tables->groupings->states, grouping);
	DpReleaseState *coarser = number == 0 ? NULL
										  : list_nth(tables->groupings->states,
													 nested->order[number - 1]);
	Aggref *aggref = list_nth(state->outline->aggregates, tables->aggno);
	int column = dp_answer_table_column(&state->answers, tables->aggno);
	int64 count = dp_row_table_count(state->answers.rows);
	int *places =
		number == 0 ? NULL : dp_nested_groupings_places(coarser, state);
	double *cells =
		palloc_extended((count + 1) * sizeof(double), MCXT_ALLOC_HUGE);
	int64 *parents =
		palloc_extended((count + 1) * sizeof(int64), MCXT_ALLOC_HUGE);
	int64 row;

	for (row = 0; row < count; row++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!has_answer(tables, state, row))
			return false;
		cells[row] =
			steps_of(tables, getBaseType(aggref->aggtype),
					 dp_row_table_values(state->answers.rows, row)[column]);
		parents[row] = number == 0 ? 0
								   : dp_nested_groupings_parent(coarser, state,
																places, row);
		if (!(fabs(cells[row]) <= STEPS_MAX) || parents[row] < 0)
			return false;
	}
	tables->cells[grouping] = cells;
	tables->counts[grouping] = count;
	nested->tables[number] = (DpNestedTable){
		count, parents, cells, tables->marginals.variances[grouping]};
	return true;
}

/* Makes nested groupings agree. Each row is a cell of its own. */
static void
agree_nested(Tables *tables, Nested *nested)
{
	double *variances[DP_MARGINALS_MAX];
	double *greatest[DP_MARGINALS_MAX];
	double *in_order[2][DP_MARGINALS_MAX];
	double most = 0;
	int number;
	int64 row;

	for (number = 0; number < nested->count; number++)
	{
		int grouping = nested->order[number];
		Size count;

		if (!read_nested(tables, nested, number))
			return;
		count = (Size) nested->tables[number].count + 1;
		variances[grouping] = in_order[0][number] =
			palloc_extended(count * sizeof(double), MCXT_ALLOC_HUGE);
		greatest[grouping] = in_order[1][number] =
			palloc_extended(count * sizeof(double), MCXT_ALLOC_HUGE);
		tables->cell_of[grouping] =
			palloc_extended(count * sizeof(int64), MCXT_ALLOC_HUGE);
		for (row = 0; row < nested->tables[number].count; row++)
			tables->cell_of[grouping][row] = row;
		most = fmax(most, (double) count);
	}
	find_slack(tables, 64 + most);
	dp_report_status(dp_nested_tables_errors(nested->tables, nested->count,
											 in_order[0], in_order[1]));
	dp_report_status(dp_nested_tables_agree(nested->tables, nested->count));
	keep_exact(tables);
	dp_report_status(dp_nested_tables_round(nested->tables, nested->count));
	show_tables(tables, variances, greatest);
}

static void
agree(const DpGroupings *groupings, int aggno)
{
	DpReleaseState *first = linitial(groupings->states);
	Tables tables = {.groupings = groupings,
					 .aggno = aggno,
					 .call = dp_terms_call(&first->terms, aggno)};
	Nested nested;
	int number;

	if (!dp_agreement_applies(groupings, aggno, &tables.marginals,
							  &tables.exponent) ||
		!find_values(&tables))
		return;
	nested.count = list_length(groupings->states);
	if (are_parted(&tables) &&
		dp_nested_groupings_order(groupings->states, nested.order))
	{
		agree_nested(&tables, &nested);
		return;
	}
	if (!dp_marginals_are_few(&tables.marginals))
		return;
	for (number = 0; number < tables.marginals.tables; number++)
	{
		if (!read_table(&tables, number))
			return;
	}
	find_slack(&tables, 64);
	dp_report_status(dp_marginals_agree(&tables.marginals, tables.cells));
	keep_exact(&tables);
	dp_report_status(dp_marginals_round(&tables.marginals, tables.cells));
	show_tables(&tables, NULL, NULL);
}

void
dp_agreeing_tables_show(DpReleaseState *state)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "agreeing answers", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	int count = list_length(state->outline->aggregates);
	int aggno;

	for (aggno = 0; aggno < count; aggno++)
	{
		MemoryContextReset(context);
		agree(state->groupings, aggno);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
