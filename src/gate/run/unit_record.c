/*
 * unit_record.c
 *		A group of a unit as a row: its columns, and its states as bytes.
 *
 * So groups that do not fit into memory go on elsewhere from where they are, and rows
 * are read and computed once. Only states that are values can be written; those of
 * type internal are known to their functions alone.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "gate/run/unit_table_parts.h"
#include "server/compat.h"

/* States of one group that are larger are not written. */
#define STATES_MAX (64 * 1024 * 1024)

static bool
are_values(const AggState *states)
{
	int i;

	for (i = 0; i < states->numtrans; i++)
	{
		if (states->pertrans[i].aggtranstype == INTERNALOID)
			return false;
	}
	return true;
}

/* For the states; and for a hash, in a sort. */
static bool
has_room(TupleDesc input)
{
	return input->natts + 2 <= MaxTupleAttributeNumber;
}

TupleDesc
dp_unit_record_columns(TupleDesc input)
{
	TupleDesc columns;
	int number;

	if (!has_room(input))
		return input;
	columns = CreateTemplateTupleDesc(input->natts + 1);
	for (number = 1; number <= input->natts; number++)
		TupleDescCopyEntry(columns, (AttrNumber) number, input,
						   (AttrNumber) number);
	TupleDescInitEntry(columns, (AttrNumber) number, "states", BYTEAOID, -1, 0);
	dp_compat_finish_columns(columns);
	return columns;
}

void
dp_unit_record_init(DpUnitTable *table)
{
	const AggState *states = table->states;
	TupleDesc input = ExecGetResultType(outerPlanState(states));

	table->input_columns = input->natts;
	table->has_records = are_values(states) && has_room(input);
	table->record = ExecInitExtraTupleSlot(
		states->ss.ps.state, dp_unit_record_columns(input), &TTSOpsVirtual);
}

/* What the states of a group take as bytes. */
static Size
size_of_states(const DpUnitTable *table, const DpUnitGroup *group)
{
	const AggStatePerGroupData *states = states_of(table, group);
	Size size = VARHDRSZ;
	int i;

	for (i = 0; i < table->states->numtrans; i++)
	{
		const AggStatePerTransData *transition = &table->states->pertrans[i];

		size += sizeof(bool) + datumEstimateSpace(states[i].transValue,
												  states[i].transValueIsNull,
												  transition->transtypeByVal,
												  transition->transtypeLen);
	}
	return size;
}

bool
dp_unit_table_can_write(const DpUnitTable *table)
{
	uint32 number;

	for (number = 0; table->has_records && number < table->group_count;
		 number++)
	{
		if (size_of_states(table, group_of(table, number)) > STATES_MAX)
			return false;
	}
	return table->has_records;
}

static bytea *
write_states(const DpUnitTable *table, const DpUnitGroup *group)
{
	const AggStatePerGroupData *states = states_of(table, group);
	Size size = size_of_states(table, group);
	bytea *bytes = palloc(size);
	char *end = VARDATA(bytes);
	int i;

	SET_VARSIZE(bytes, size);
	for (i = 0; i < table->states->numtrans; i++)
	{
		const AggStatePerTransData *transition = &table->states->pertrans[i];

		*end++ = (char) states[i].noTransValue;
		datumSerialize(states[i].transValue, states[i].transValueIsNull,
					   transition->transtypeByVal, transition->transtypeLen,
					   &end);
	}
	return bytes;
}

TupleTableSlot *
dp_unit_table_write(DpUnitTable *table, uint32 number, uint32 *unit)
{
	const DpUnitGroup *group = group_of(table, number);
	TupleTableSlot *record = table->record;
	MemoryContext old =
		MemoryContextSwitchTo(table->states->tmpcontext->ecxt_per_tuple_memory);
	int i;

	ExecStoreAllNullTuple(record);
	for (i = 0; i < table->column_count; i++)
	{
		int column = table->columns[i].number - 1;

		record->tts_values[column] = values_of(group)[i];
		record->tts_isnull[column] = is_null(group, i);
	}
	record->tts_values[table->input_columns] =
		PointerGetDatum(write_states(table, group));
	record->tts_isnull[table->input_columns] = false;
	MemoryContextSwitchTo(old);
	*unit = group->unit;
	return record;
}

bool
dp_unit_table_is_record(const DpUnitTable *table, TupleTableSlot *row)
{
	return table->has_records &&
		   row->tts_tupleDescriptor->natts > table->input_columns &&
		   !slot_attisnull(row, table->input_columns + 1);
}

/* Gives a group the states that are in bytes, in place of those it begins with. */
static void
read_states(const DpUnitTable *table, const DpUnitGroup *group, bytea *bytes)
{
	AggStatePerGroup states = states_of(table, group);
	char *end = VARDATA_ANY(bytes);
	int i;

	for (i = 0; i < table->states->numtrans; i++)
	{
		const AggStatePerTransData *transition = &table->states->pertrans[i];
		AggStatePerGroup state = &states[i];
		Datum begun = state->transValue;
		Datum value;

		if (!transition->transtypeByVal && !state->transValueIsNull &&
			!table->are_inside[i])
			pfree(DatumGetPointer(begun));
		state->noTransValue = *end++ != 0;
		value = datumRestore(&end, &state->transValueIsNull);
		if (table->are_inside[i])
		{
			memcpy(DatumGetPointer(begun), DatumGetPointer(value),
				   transition->transtypeLen);
			pfree(DatumGetPointer(value));
		}
		else
			state->transValue = value;
	}
}

void
dp_unit_table_read(DpUnitTable *table, TupleTableSlot *record)
{
	const DpUnitGroup *group = dp_unit_table_find(table, record);
	MemoryContext old = MemoryContextSwitchTo(table->values);
	bool isnull;
	Datum states = slot_getattr(record, table->input_columns + 1, &isnull);

	read_states(table, group, DatumGetByteaPP(states));
	MemoryContextSwitchTo(old);
	ResetExprContext(table->states->tmpcontext);
}
