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
	TupleDesc input = ExecGetResultType(state->input);
	TupleDesc sorted = CreateTemplateTupleDesc(input->natts + 1);
	int number;

	for (number = 1; number <= input->natts; number++)
		TupleDescCopyEntry(sorted, (AttrNumber) number, input,
						   (AttrNumber) number);
	TupleDescInitEntry(sorted, (AttrNumber) number, "hash", INT4OID, -1, 0);
	dp_compat_finish_columns(sorted);
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
	int i;

	for (i = 0; i < parts; i++)
		part[i] = dp_unit_file_make(depth + 1);
	while ((row = dp_unit_rows_next(state, file)) != NULL)
	{
		uint32 hash = dp_unit_table_hash(&state->table, row).unit;

		dp_unit_file_write(part[dp_unit_file_part(hash, depth, parts)],
						   dp_unit_table_needed(&state->table, row));
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

/* Copies a row to one that has the hash of its group, too. */
static TupleTableSlot *
with_hash(DpUnitGroupsState *state, TupleTableSlot *row)
{
	int count = row->tts_tupleDescriptor->natts;
	TupleTableSlot *put = state->put;
	uint32 hash = dp_unit_table_hash(&state->table, row).group;

	ResetExprContext(state->states->tmpcontext);
	slot_getallattrs(row);
	ExecClearTuple(put);
	memcpy(put->tts_values, row->tts_values, count * sizeof(Datum));
	memcpy(put->tts_isnull, row->tts_isnull, count * sizeof(bool));
	put->tts_values[count] = Int32GetDatum((int32) hash);
	put->tts_isnull[count] = false;
	return ExecStoreVirtualTuple(put);
}

/* The next row of the sort, as one of the input. */
static TupleTableSlot *
without_hash(DpUnitGroupsState *state)
{
	TupleTableSlot *row = state->row;
	int count = row->tts_tupleDescriptor->natts;

	slot_getallattrs(state->next);
	ExecClearTuple(row);
	memcpy(row->tts_values, state->next->tts_values, count * sizeof(Datum));
	memcpy(row->tts_isnull, state->next->tts_isnull, count * sizeof(bool));
	return ExecStoreVirtualTuple(row);
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
	operators[count] = Int4LessOperator;
	collations[count++] = InvalidOid;
	return tuplesort_begin_heap(columns, count, numbers, operators, collations,
								nulls_first, work_mem, NULL,
								TUPLESORT_RANDOMACCESS);
}

static void
sort_rows(DpUnitGroupsState *state, DpUnitFile *file)
{
	state->sort = begin_sort((const Agg *) state->states->ss.ps.plan,
							 state->next->tts_tupleDescriptor, &state->plan);
	while (dp_unit_rows_next(state, file) != NULL)
		tuplesort_puttupleslot(state->sort, with_hash(state, state->row));
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

	return slot_getattr(row, number, &isnull) ==
		   slot_getattr(state->next, number, &isnull);
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
		if (with_states)
			dp_unit_table_add(&state->table, without_hash(state));
		else
			dp_unit_table_note(&state->table, without_hash(state));
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
 * Reads rows into the table, from their beginning. False where they do not fit; then
 * the table is empty, and rows are to be read again. read: gets how many were read.
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
		dp_unit_table_add(&state->table, row);
		(*read)++;
	}
	if (!state->table.is_full)
		dp_unit_table_finish(&state->table);
	if (!state->table.is_full)
		return true;
	dp_unit_table_reset(&state->table, true);
	dp_unit_rows_again(state, file);
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
