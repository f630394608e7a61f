/*
 * unit_batch.c
 *		Rows that are to be added to a table of units' groups, some at a time.
 *
 * Most of a large table is not in the processor's cache, and waiting for it would take
 * longer than all else: so rows are collected, and what they need of the table is
 * fetched for all of them at once.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "gate/run/unit_table_parts.h"
#include "server/compat.h"

void
dp_unit_batch_init(DpUnitTable *table)
{
	const AggState *states = table->states;
	TupleDesc columns = ExecGetResultType(outerPlanState(states));
	int i;

	table->needed = palloc((columns->natts + 1) * sizeof(int));
	for (i = 0; i < columns->natts; i++)
	{
		if (states->all_cols_needed ||
			bms_is_member(i + 1, states->colnos_needed))
			table->needed[table->needed_count++] = i;
	}
	for (i = 0; i < DP_UNIT_BATCH; i++)
		table->batch[i] = ExecInitExtraTupleSlot(states->ss.ps.state, columns,
												 &TTSOpsVirtual);
}

/* Copies the needed columns of a row, but not what they point to. */
static TupleTableSlot *
copy_needed(DpUnitTable *table, TupleTableSlot *copy, TupleTableSlot *row)
{
	int i;

	if (table->needed_count > 0)
		slot_getsomeattrs(row, table->needed[table->needed_count - 1] + 1);
	ExecClearTuple(copy);
	memset(copy->tts_isnull, true,
		   copy->tts_tupleDescriptor->natts * sizeof(bool));
	for (i = 0; i < table->needed_count; i++)
	{
		int column = table->needed[i];

		copy->tts_values[column] = row->tts_values[column];
		copy->tts_isnull[column] = row->tts_isnull[column];
	}
	return ExecStoreVirtualTuple(copy);
}

TupleTableSlot *
dp_unit_table_needed(DpUnitTable *table, TupleTableSlot *row)
{
	return copy_needed(table, table->record, row);
}

void
dp_unit_batch_add(DpUnitTable *table)
{
	uint64 mask = table->slot_count - 1;
	int i;

	for (i = 0; i < table->batch_count; i++)
		prefetch_group(table, table->slots[table->hashes[i].group & mask]);
	for (i = 0; i < table->batch_count; i++)
		dp_unit_table_advance(table, table->batch[i], table->hashes[i]);
	table->batch_count = 0;
	MemoryContextReset(table->batch_memory);
}

void
dp_unit_table_add(DpUnitTable *table, TupleTableSlot *row)
{
	int number = table->batch_count;
	TupleTableSlot *copy = table->batch[number];
	MemoryContext old;
	int i;

	table->hashes[number] = dp_unit_table_hash(table, row);
	__builtin_prefetch(
		&table->slots[table->hashes[number].group & (table->slot_count - 1)]);
	(void) copy_needed(table, copy, row);
	old = MemoryContextSwitchTo(table->batch_memory);
	for (i = 0; i < table->needed_count; i++)
	{
		int column = table->needed[i];
		Form_pg_attribute attribute =
			TupleDescAttr(copy->tts_tupleDescriptor, column);

		if (!attribute->attbyval && !copy->tts_isnull[column])
			copy->tts_values[column] =
				datumCopy(copy->tts_values[column], false, attribute->attlen);
	}
	MemoryContextSwitchTo(old);
	if (++table->batch_count == DP_UNIT_BATCH)
		dp_unit_batch_add(table);
}
