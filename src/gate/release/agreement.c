/*
 * agreement.c
 *		Answers of groupings that agree with each other.
 *
 * Answers are counted in steps of a power of two, as the mechanism draws them.
 * They are summed and rounded in these steps, so that nothing is lost to
 * decimals. The tables contain the rows that the answers have; those of a
 * stored answer may differ from today's.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "aggregates/noisy_sums.h"
#include "aggregates/numeric_value.h"
#include "gate/question/keys/key.h"
#include "gate/release/agreement.h"
#include "gate/release/charges.h"
#include "mechanisms/expected_error.h"
#include "server/report.h"

/* Doubles represent all integers up to this. */
#define STEPS_MAX 0x1p52

/* The tables of one aggregate. */
typedef struct Tables
{
	const DpGroupings *groupings;
	int aggno; /* of the aggregate */
	DpCall call;
	int exponent; /* a step is 2^exponent */
	List *keys;	  /* of all groupings, expressions */
	List *values; /* beside: DpRows of one column, the values that occur */
	DpMarginals marginals;
	double *cells[DP_MARGINALS_MAX];
	int64 *cell_of[DP_MARGINALS_MAX]; /* of the rows, among the cells */
} Tables;

static bool
is_sum(const DpCall *call, Oid type)
{
	if (call->aggregate == DP_AGGREGATE_COUNT)
		return true;
	return call->aggregate == DP_AGGREGATE_SUM && call->ordered == NULL &&
		   (type == INT8OID || type == NUMERICOID || type == FLOAT4OID ||
			type == FLOAT8OID);
}

/*
 * Sets the variances of an aggregate's answers; false where these cannot be
 * made to agree.
 */
static bool
find_variances(const DpGroupings *groupings, int aggno, DpCall *call,
			   DpMarginals *marginals, int *exponent)
{
	DpReleaseState *first = linitial(groupings->states);
	Aggref *aggref = list_nth(first->release->outline.aggregates, aggno);
	ListCell *cell;

	(void) dp_gate_read_call(first, aggref, call);
	if (!dp_gate_are_of_one(groupings) ||
		!is_sum(call, getBaseType(aggref->aggtype)))
		return false;
	foreach (cell, groupings->states)
	{
		const DpLaw *law = dp_gate_law(lfirst(cell), aggno);

		if (law->kind != DP_LAW_NOISE || law->has_least || law->has_greatest ||
			law->has_threshold ||
			(foreach_current_index(cell) > 0 && law->exponent != *exponent))
			return false;
		*exponent = law->exponent;
		marginals->variances[foreach_current_index(cell)] =
			pow(dp_noise_deviation(&law->noise), 2);
	}
	return true;
}

/* The index of a key among those of all groupings; it is added if need be. */
static int
find_key(Tables *tables, Node *expression)
{
	ListCell *cell;

	foreach (cell, tables->keys)
	{
		if (equal(lfirst(cell), expression))
			return foreach_current_index(cell);
	}
	tables->keys = lappend(tables->keys, expression);
	tables->values =
		lappend(tables->values, dp_gate_rows_make(list_make1(expression), 1));
	return list_length(tables->keys) - 1;
}

/* False for rows whose keys a stored answer does not have. */
static bool
has_answer(const Tables *tables, DpReleaseState *state, int64 row)
{
	int column = list_length(state->release->outline.keys) + tables->aggno;

	return !dp_gate_rows_nulls(state->rows, row)[column];
}

/* Finds the keys' values, in the order in which the rows have them. */
static bool
find_values(Tables *tables)
{
	DpMarginals *marginals = &tables->marginals;
	ListCell *cell;
	ListCell *key;

	marginals->tables = list_length(tables->groupings->states);
	foreach (cell, tables->groupings->states)
	{
		DpReleaseState *state = lfirst(cell);
		int64 row;

		foreach (key, state->release->outline.keys)
		{
			int column = foreach_current_index(key);
			int number = find_key(tables, ((DpKey *) lfirst(key))->expression);

			if (number >= DP_MARGINAL_KEYS_MAX)
				return false;
			marginals->members[foreach_current_index(cell)] |= UINT64CONST(1)
															   << number;
			for (row = 0; row < dp_gate_rows_count(state->rows); row++)
			{
				if (has_answer(tables, state, row))
					(void) dp_gate_rows_add(
						list_nth(tables->values, number),
						&dp_gate_rows_values(state->rows, row)[column],
						&dp_gate_rows_nulls(state->rows, row)[column]);
			}
		}
	}
	foreach (cell, tables->values)
		marginals->sizes[foreach_current_index(cell)] =
			dp_gate_rows_count(lfirst(cell));
	marginals->keys = list_length(tables->keys);
	return true;
}

/* An answer in steps. */
static double
steps_of(const Tables *tables, Oid type, Datum answer)
{
	double value;

	switch (type)
	{
		case INT8OID:
			value = (double) DatumGetInt64(answer);
			break;
		case FLOAT4OID:
			value = DatumGetFloat4(answer);
			break;
		case FLOAT8OID:
			value = DatumGetFloat8(answer);
			break;
		default:
			value = dp_numeric_to_double(answer);
			break;
	}
	return rint(ldexp(value, -tables->exponent));
}

/* Where a row's cell is: its keys' values in the order of all keys. */
static int64
cell_of(const Tables *tables, DpReleaseState *state, int64 row)
{
	const Datum *values = dp_gate_rows_values(state->rows, row);
	const bool *nulls = dp_gate_rows_nulls(state->rows, row);
	int64 result = 0;
	ListCell *cell;
	ListCell *key;

	foreach (cell, tables->keys)
	{
		foreach (key, state->release->outline.keys)
		{
			int column = foreach_current_index(key);
			DpRows *all = list_nth(tables->values, foreach_current_index(cell));

			if (equal(((DpKey *) lfirst(key))->expression, lfirst(cell)))
				result =
					result * dp_gate_rows_count(all) +
					dp_gate_rows_find(all, &values[column], &nulls[column]);
		}
	}
	return result;
}

/* Reads the table of a grouping; false where cells are missing. */
static bool
read_table(Tables *tables, int number)
{
	DpReleaseState *state = list_nth(tables->groupings->states, number);
	Aggref *aggref =
		list_nth(state->release->outline.aggregates, tables->aggno);
	int column = list_length(state->release->outline.keys) + tables->aggno;
	Oid type = getBaseType(aggref->aggtype);
	int64 count = dp_gate_rows_count(state->rows);
	int64 answers = 0;
	int64 row;

	for (row = 0; row < count; row++)
		answers += has_answer(tables, state, row) ? 1 : 0;
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
		cell = cell_of(tables, state, row);
		steps = steps_of(tables, type,
						 dp_gate_rows_values(state->rows, row)[column]);
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
	if (tables->call.aggregate == DP_AGGREGATE_COUNT)
		return Int64GetDatum((int64) steps);
	return dp_sum_answer(&tables->call, (dp_int128) steps, tables->exponent);
}

/*
 * An end of an interval, moved to the answer if it was on the wrong side of
 * it.
 */
static Datum
moved_end(Oid type, Datum end, Datum answer, bool is_high)
{
	switch (type)
	{
		case INT8OID:
			return is_high ? Int64GetDatum(
								 Max(DatumGetInt64(end), DatumGetInt64(answer)))
						   : Int64GetDatum(Min(DatumGetInt64(end),
											   DatumGetInt64(answer)));
		case FLOAT4OID:
			return DirectFunctionCall2(is_high ? float4larger : float4smaller,
									   end, answer);
		case FLOAT8OID:
			return DirectFunctionCall2(is_high ? float8larger : float8smaller,
									   end, answer);
		default:
			return DirectFunctionCall2(
				is_high ? numeric_larger : numeric_smaller, end, answer);
	}
}

/* Moves the ends of a row's intervals around an answer. */
static void
move_ends(const Tables *tables, DpReleaseState *state, int64 row, Oid type,
		  Datum answer)
{
	const DpRelease *release = state->release;
	int first = list_length(release->outline.keys) +
				list_length(release->outline.aggregates);
	ListCell *cell;

	foreach (cell, release->outline.ends->aggnos)
	{
		int number = foreach_current_index(cell);
		Datum end;

		if (lfirst_int(cell) != tables->aggno ||
			dp_gate_rows_nulls(state->rows, row)[first + number])
			continue;
		end = moved_end(
			type, dp_gate_rows_values(state->rows, row)[first + number], answer,
			list_nth_int(release->outline.ends->sides, number) != 0);
		dp_gate_rows_set(state->rows, row, first + number, end, false);
	}
}

/* Writes the table of a grouping back to its rows. */
static void
write_table(const Tables *tables, DpReleaseState *state, int number)
{
	Aggref *aggref =
		list_nth(state->release->outline.aggregates, tables->aggno);
	int column = list_length(state->release->outline.keys) + tables->aggno;
	Oid type = getBaseType(aggref->aggtype);
	MemoryContext per_row = AllocSetContextCreate(
		CurrentMemoryContext, "agreeing answer", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(per_row);
	int64 row;

	for (row = 0; row < dp_gate_rows_count(state->rows); row++)
	{
		Datum answer;

		CHECK_FOR_INTERRUPTS();
		if (!has_answer(tables, state, row))
			continue;
		MemoryContextReset(per_row);
		answer = answer_of(tables,
						   tables->cells[number][tables->cell_of[number][row]]);
		dp_gate_rows_set(state->rows, row, column, answer, false);
		move_ends(tables, state, row, type, answer);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(per_row);
}

static void
agree(const DpGroupings *groupings, int aggno)
{
	Tables tables = {.groupings = groupings, .aggno = aggno};
	int number;

	if (!find_variances(groupings, aggno, &tables.call, &tables.marginals,
						&tables.exponent) ||
		!find_values(&tables) || !dp_marginals_are_few(&tables.marginals))
		return;
	for (number = 0; number < tables.marginals.tables; number++)
	{
		if (!read_table(&tables, number))
			return;
	}
	dp_report_status(dp_marginals_agree(&tables.marginals, tables.cells));
	dp_report_status(dp_marginals_round(&tables.marginals, tables.cells));
	for (number = 0; number < tables.marginals.tables; number++)
		write_table(&tables, list_nth(groupings->states, number), number);
}

/*
 * Copies rows to groupings that are repeated from those that they repeat. Their keys
 * may be written in another way, and in another order, so they are not looked up:
 * the rows were made as those of a stored answer (dp_gate_repeat_groupings), and so
 * are in the order of the others.
 */
static void
follow_originals(const DpGroupings *groupings)
{
	ListCell *repeated;
	ListCell *original;

	forboth (repeated, groupings->repeated, original, groupings->originals)
	{
		DpReleaseState *from = lfirst(original);
		DpReleaseState *to = lfirst(repeated);
		int from_first = list_length(from->release->outline.keys);
		int first = list_length(to->release->outline.keys);
		int count = list_length(to->release->outline.aggregates) +
					list_length(to->release->outline.ends->aggnos);
		int64 row;
		int i;

		if (!equal(from->release->outline.ends->aggnos,
				   to->release->outline.ends->aggnos) ||
			!equal(from->release->outline.ends->sides,
				   to->release->outline.ends->sides) ||
			!equal(from->release->outline.ends->levels,
				   to->release->outline.ends->levels) ||
			dp_gate_rows_count(from->rows) != dp_gate_rows_count(to->rows))
			elog(ERROR, "groupings of one question differ");
		for (row = 0; row < dp_gate_rows_count(to->rows); row++)
		{
			const Datum *values = dp_gate_rows_values(from->rows, row);
			const bool *nulls = dp_gate_rows_nulls(from->rows, row);

			for (i = 0; i < count; i++)
				dp_gate_rows_set(to->rows, row, first + i,
								 values[from_first + i], nulls[from_first + i]);
		}
	}
}

void
dp_gate_agree(List *states)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "agreeing answers", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	ListCell *cell;

	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);
		int aggno;

		if (state->groupings == NULL || dp_gate_is_asked_by_other(state))
			continue;
		for (aggno = 0; aggno < list_length(state->release->outline.aggregates);
			 aggno++)
		{
			MemoryContextReset(context);
			agree(state->groupings, aggno);
		}
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	foreach (cell, states)
	{
		DpReleaseState *state = lfirst(cell);

		if (state->groupings != NULL && !dp_gate_is_asked_by_other(state))
			follow_originals(state->groupings);
	}
}

bool
dp_gate_will_agree(DpReleaseState *state, int aggno, double *deviation)
{
	DpMarginals marginals;
	DpCall call;
	int exponent;
	ListCell *cell;

	if (state->groupings == NULL || !state->groupings->have_sizes)
		return false;
	marginals = state->groupings->tables;
	if (!find_variances(state->groupings, aggno, &call, &marginals,
						&exponent) ||
		!dp_marginals_are_few(&marginals))
		return false;
	foreach (cell, state->groupings->states)
	{
		if (lfirst(cell) == state)
			*deviation = ldexp(sqrt(dp_marginals_variance(
								   &marginals, foreach_current_index(cell))),
							   exponent);
	}
	return true;
}
