/*
 * unit_spill.c
 *		DP Unit Groups: rows whose groups may not fit into memory, in files and in a sort.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/tuplesort.h"

#include "gate/run/unit_groups_parts.h"
#include "gate/run/unit_table_parts.h"
#include "server/compat.h"

/* Files are divided no further than so, but sorted. */
#define DEPTH_MAX 3

#define PARTS_MIN 4
#define PARTS_MAX 256

void
dp_unit_spill_init(DpUnitGroupsState *state, EState *estate)
{
	TupleDesc columns = dp_unit_record_columns(ExecGetResultType(state->input));
	TupleDesc sorted = CreateTemplateTupleDesc(columns->natts + 1);
	int number;

	for (number = 1; number <= columns->natts; number++)
		TupleDescCopyEntry(sorted, (AttrNumber) number, columns,
						   (AttrNumber) number);
	TupleDescInitEntry(sorted, (AttrNumber) number, "hash", INT8OID, -1, 0);
	dp_compat_finish_columns(sorted);
	state->row = ExecInitExtraTupleSlot(estate, columns, &TTSOpsMinimalTuple);
	state->put = ExecInitExtraTupleSlot(estate, sorted, &TTSOpsVirtual);
	state->next = ExecInitExtraTupleSlot(estate, sorted, &TTSOpsMinimalTuple);
	state->first = ExecInitExtraTupleSlot(estate, sorted, &TTSOpsMinimalTuple);
	state->marked = ExecInitExtraTupleSlot(estate, sorted, &TTSOpsMinimalTuple);
}

/* The following functions are for rows in files. */

TupleTableSlot *
dp_unit_rows_next(DpUnitGroupsState *state, DpUnitFile *file)
{
	TupleTableSlot *row = state->ahead;

	CHECK_FOR_INTERRUPTS();
	if (file != NULL)
		return dp_unit_file_read(file, state->row) ? state->row : NULL;
	state->ahead = NULL;
	if (row == NULL && !state->is_at_end)
		row = ExecProcNode(state->input);
	state->is_at_end = TupIsNull(row);
	return state->is_at_end ? NULL : row;
}

void
dp_unit_rows_again(DpUnitGroupsState *state, DpUnitFile *file)
{
	if (file != NULL)
		dp_unit_file_rewind(file);
	else
	{
		state->is_at_end = false;
		ExecReScan(state->input);
	}
}

void
dp_unit_rows_divide(DpUnitGroupsState *state, DpUnitFile *file, double share)
{
	double most = Min(PARTS_MAX, (double) state->table.limit / BLCKSZ / 8);
	int parts = (int) Max(PARTS_MIN, Min(most, 1.5 * share));
	int depth = file == NULL ? 0 : file->depth;
	DpUnitFile **part = palloc(parts * sizeof(DpUnitFile *));
	TupleTableSlot *row;
	uint32 number;
	uint32 unit;
	int i;

	for (i = 0; i < parts; i++)
		part[i] = dp_unit_file_make(depth + 1);
	for (number = 0; number < state->table.group_count; number++)
	{
		CHECK_FOR_INTERRUPTS();
		row = dp_unit_table_write(&state->table, number, &unit);
		dp_unit_file_write(part[dp_unit_file_part(unit, depth, parts)], row);
		ResetExprContext(state->states->tmpcontext);
	}
	dp_unit_table_reset(&state->table, true);
	while ((row = dp_unit_rows_next(state, file)) != NULL)
	{
		unit = dp_unit_table_hash(&state->table, row).unit;
		if (file == NULL)
			row = dp_unit_table_needed(&state->table, row);
		dp_unit_file_write(part[dp_unit_file_part(unit, depth, parts)], row);
		ResetExprContext(state->states->tmpcontext);
	}
	for (i = 0; i < parts; i++)
		state->files = lcons(part[i], state->files);
	pfree(part);
}

/* The following functions are for files whose groups do not fit into memory. */

static void
fetch_next(DpUnitGroupsState *state)
{
	CHECK_FOR_INTERRUPTS();
	(void) tuplesort_gettupleslot(state->sort, true, true, state->next, NULL);
}

/*
 * Copies a row to one that has the hash of its group, too, and below that a bit, which
 * is 0 for records: they come before the group's other rows.
 */
static TupleTableSlot *
with_hash(DpUnitGroupsState *state, TupleTableSlot *row)
{
	int count = row->tts_tupleDescriptor->natts;
	TupleTableSlot *put = state->put;
	uint32 hash = dp_unit_table_hash(&state->table, row).group;

	slot_getallattrs(row);
	ExecClearTuple(put);
	memcpy(put->tts_values, row->tts_values, count * sizeof(Datum));
	memcpy(put->tts_isnull, row->tts_isnull, count * sizeof(bool));
	put->tts_values[count] =
		Int64GetDatum((int64) hash << 1 |
					  (dp_unit_table_is_record(&state->table, row) ? 0 : 1));
	put->tts_isnull[count] = false;
	return ExecStoreVirtualTuple(put);
}

/*
 * Begins a sort by the unit and the hash of the group, the last of the columns.
 * agg: the aggregation that would be the server's, whose columns the plan tells.
 */
static Tuplesortstate *
begin_sort(const Agg *agg, TupleDesc columns, const DpUnitGroupsPlan *plan)
{
	AttrNumber *numbers = palloc((agg->numCols + 1) * sizeof(AttrNumber));
	Oid *operators = palloc((agg->numCols + 1) * sizeof(Oid));
	Oid *collations = palloc((agg->numCols + 1) * sizeof(Oid));
	bool *nulls_first = palloc0((agg->numCols + 1) * sizeof(bool));
	int count = 0;
	int i;

	for (i = 0; i < agg->numCols; i++)
	{
		if (list_nth_int(plan->are_units, i) == 0)
			continue;
		numbers[count] = agg->grpColIdx[i];
		operators[count] = list_nth_oid(plan->operators, i);
		collations[count++] = list_nth_oid(plan->collations, i);
	}
	numbers[count] = (AttrNumber) columns->natts;
	operators[count] = Int8LessOperator;
	collations[count++] = InvalidOid;
	return tuplesort_begin_heap(columns, count, numbers, operators, collations,
								nulls_first, work_mem, NULL,
								TUPLESORT_RANDOMACCESS);
}

static void
put(DpUnitGroupsState *state, TupleTableSlot *row)
{
	CHECK_FOR_INTERRUPTS();
	tuplesort_puttupleslot(state->sort, with_hash(state, row));
	ResetExprContext(state->states->tmpcontext);
}

static void
sort_rows(DpUnitGroupsState *state, DpUnitFile *file)
{
	uint32 number;
	uint32 unit;

	state->sort = begin_sort((const Agg *) state->states->ss.ps.plan,
							 state->next->tts_tupleDescriptor, &state->plan);
	for (number = 0; number < state->table.group_count; number++)
		put(state, dp_unit_table_write(&state->table, number, &unit));
	dp_unit_table_reset(&state->table, true);
	while (dp_unit_rows_next(state, file) != NULL)
		put(state, state->row);
	tuplesort_performsort(state->sort);
	fetch_next(state);
}

static bool
is_of_unit(DpUnitGroupsState *state, TupleTableSlot *row)
{
	return !TupIsNull(state->next) &&
		   dp_unit_table_same_unit(&state->table, row, state->next);
}

static bool
has_hash_of(const DpUnitGroupsState *state, TupleTableSlot *row)
{
	bool isnull;
	int number = row->tts_tupleDescriptor->natts;

	return DatumGetInt64(slot_getattr(row, number, &isnull)) >> 1 ==
		   DatumGetInt64(slot_getattr(state->next, number, &isnull)) >> 1;
}

/* Adds a row to its group, or makes that of a record. */
static void
add(DpUnitGroupsState *state, TupleTableSlot *row)
{
	if (dp_unit_table_is_record(&state->table, row))
		dp_unit_table_read(&state->table, row);
	else
		dp_unit_table_add(&state->table, row);
}

/*
 * Puts the rows that come next, of one unit and one hash, into the table; or their
 * groups alone.
 */
static void
make_groups_of_hash(DpUnitGroupsState *state, bool with_states)
{
	dp_unit_table_reset(&state->table, true);
	ExecCopySlot(state->first, state->next);
	do
	{
		if (!with_states)
			dp_unit_table_note(&state->table, state->next);
		else
			add(state, state->next);
		fetch_next(state);
	} while (is_of_unit(state, state->first) &&
			 has_hash_of(state, state->first));
}

uint64
dp_unit_spill_count(DpUnitGroupsState *state)
{
	uint64 count = 0;

	ExecCopySlot(state->marked, state->next);
	tuplesort_markpos(state->sort);
	do
	{
		make_groups_of_hash(state, false);
		count += state->table.group_count;
	} while (is_of_unit(state, state->marked));
	tuplesort_restorepos(state->sort);
	ExecCopySlot(state->next, state->marked);
	return count;
}

void
dp_unit_spill_fill(DpUnitGroupsState *state)
{
	make_groups_of_hash(state, true);
	dp_unit_batch_add(&state->table);
}

/*
 * Reads rows into the table, from their beginning. False where they do not fit. Then
 * the table has groups of the rows that were read, to be written before the others are;
 * or none, and all rows are to be read again. read: gets how many were read.
 */
static bool
fill_table(DpUnitGroupsState *state, DpUnitFile *file, uint64 *read)
{
	TupleTableSlot *row;

	*read = 0;
	dp_unit_table_reset(&state->table, false);
	while (!state->table.is_full &&
		   (row = dp_unit_rows_next(state, file)) != NULL)
	{
		add(state, row);
		(*read)++;
	}
	if (!state->table.is_full)
		dp_unit_table_finish(&state->table);
	if (!state->table.is_full)
		return true;
	if (!dp_unit_table_can_write(&state->table))
	{
		dp_unit_table_reset(&state->table, true);
		dp_unit_rows_again(state, file);
	}
	return false;
}

void
dp_unit_spill_begin(DpUnitGroupsState *state)
{
	double share = dp_unit_table_share(&state->table,
									   state->states->ss.ps.plan->plan_rows);
	uint64 read;

	if (share > 2)
		dp_unit_rows_divide(state, NULL, share);
	else if (!fill_table(state, NULL, &read))
		dp_unit_rows_divide(
			state, NULL, state->input->plan->plan_rows / (double) Max(read, 1));
}

void
dp_unit_spill_read(DpUnitGroupsState *state, DpUnitFile *file)
{
	uint64 read;

	dp_unit_file_rewind(file);
	if (fill_table(state, file, &read))
		;
	else if (file->depth == DEPTH_MAX)
		sort_rows(state, file);
	else
		dp_unit_rows_divide(state, file,
							(double) file->rows / (double) Max(read, 1));
	dp_unit_file_close(file);
}
