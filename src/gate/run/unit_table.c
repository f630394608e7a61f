/*
 * unit_table.c
 *		The states of units' groups, in memory.
 *
 * Groups are numbered, and lie one behind the other in blocks, each with its columns
 * and states. Beside them is a table of slots by the hash of unit and key, of eight
 * bytes: a hash and a number. So a row costs a look at a slot and one at a group. In
 * the end the groups' numbers are sorted by the hash of the unit (unit_order.c). Values of
 * one hash cost time, as in the server's tables, but no memory.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "gate/run/unit_table.h"
#include "gate/run/unit_table_parts.h"
#include "server/compat.h"

#define SLOTS_MIN 1024
#define SLOTS_OF_FEW 32
#define BLOCK_SIZE (64 * 1024)

/* Types of the server whose values are equal when their bits are. */
static bool
compares_bits(Oid equality)
{
	switch (equality)
	{
		case F_BOOLEQ:
		case F_CHAREQ:
		case F_INT2EQ:
		case F_INT4EQ:
		case F_INT8EQ:
		case F_OIDEQ:
		case F_ENUM_EQ:
		case F_DATE_EQ:
		case F_TIME_EQ:
		case F_TIMESTAMP_EQ:
		case F_TIMESTAMPTZ_EQ:
			return true;
		default:
			return false;
	}
}

static void
set_column(DpUnitColumn *column, AggState *states, int i, List *are_units)
{
	AggStatePerHash table = &states->perhash[0];
	Form_pg_attribute attribute;

	column->number = table->hashGrpColIdxInput[i];
	attribute = TupleDescAttr(ExecGetResultType(outerPlanState(states)),
							  column->number - 1);
	column->by_value = attribute->attbyval;
	column->length = attribute->attlen;
	if (i >= table->numCols)
		return;
	column->is_unit = list_nth_int(are_units, i) != 0;
	column->is_bits =
		attribute->attbyval && compares_bits(table->eqfuncoids[i]);
	column->collation = table->aggnode->grpCollations[i];
	column->hash = &table->hashfunctions[i];
	fmgr_info(table->eqfuncoids[i], &column->equal);
}

static void
make_slots(DpUnitTable *table, uint64 count)
{
	table->slot_count = count;
	table->slots =
		MemoryContextAllocExtended(table->memory, count * sizeof(uint64),
								   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/*
 * States of a fixed size, of functions of the extension: these change them where
 * they are, so the server never frees them.
 */
static bool
is_inside(const AggStatePerTrans transition)
{
	return !transition->transtypeByVal && transition->transtypeLen > 0 &&
		   !transition->initValueIsNull &&
		   get_func_namespace(transition->transfn_oid) ==
			   get_namespace_oid("dp_noise", true);
}

/* Where the parts of a group are. */
static void
lay_out(DpUnitTable *table)
{
	const AggState *states = table->states;
	int i;

	table->states_at =
		sizeof(DpUnitGroup) + (Size) table->column_count * sizeof(Datum);
	table->group_size = table->states_at +
						(Size) states->numtrans * sizeof(AggStatePerGroupData);
	table->are_inside = palloc0((states->numtrans + 1) * sizeof(bool));
	for (i = 0; i < states->numtrans; i++)
	{
		table->are_inside[i] = is_inside(&states->pertrans[i]);
		if (table->are_inside[i])
			table->group_size += MAXALIGN(states->pertrans[i].transtypeLen);
	}
	while ((table->group_size << (table->block_shift + 1)) <= BLOCK_SIZE)
		table->block_shift++;
}

void
dp_unit_table_init(DpUnitTable *table, AggState *states, List *are_units)
{
	AggStatePerHash hash = &states->perhash[0];
	int i;

	table->states = states;
	table->key_count = hash->numCols;
	if (hash->numhashGrpCols > DP_UNIT_COLUMNS_MAX)
		elog(ERROR, "groups of units have too many columns");
	table->column_count = hash->numhashGrpCols;
	table->columns = palloc0(table->column_count * sizeof(DpUnitColumn));
	for (i = 0; i < table->column_count; i++)
	{
		set_column(&table->columns[i], states, i, are_units);
		table->last = Max(table->last, table->columns[i].number);
	}
	lay_out(table);
	table->limit = get_hash_memory_limit();
	table->memory = AllocSetContextCreate(
		CurrentMemoryContext, "groups of units", ALLOCSET_DEFAULT_SIZES);
	table->values = AllocSetContextCreate(table->memory, "values of groups",
										  ALLOCSET_DEFAULT_SIZES);
	table->batch_memory = AllocSetContextCreate(
		CurrentMemoryContext, "rows of units", ALLOCSET_DEFAULT_SIZES);
	make_slots(table, SLOTS_MIN);
}

double
dp_unit_table_share(const DpUnitTable *table, double groups)
{
	return groups * ((double) table->group_size + 4 * sizeof(uint64)) /
		   (double) table->limit;
}

void
dp_unit_table_reset(DpUnitTable *table, bool is_small)
{
	MemoryContextReset(table->values);
	ReScanExprContext(table->states->hashcontext);
	while (table->block_count > 1)
		pfree(table->blocks[--table->block_count]);
	if (is_small && table->slot_count > SLOTS_OF_FEW)
	{
		pfree(table->slots);
		make_slots(table, SLOTS_OF_FEW);
	}
	memset(table->slots, 0, table->slot_count * sizeof(uint64));
	table->is_full = false;
	table->group_count = 0;
	table->batch_count = 0;
	MemoryContextReset(table->batch_memory);
	table->next = 0;
	table->rest = NULL;
	if (table->sorted != NULL)
		pfree(table->sorted);
	table->sorted = NULL;
}

/* Room for a further group, the last one. */
static DpUnitGroup *
add_group(DpUnitTable *table)
{
	uint32 number = table->group_count++;

	if (number >> table->block_shift < table->block_count)
		return group_of(table, number);
	if (table->block_count == table->block_room)
	{
		table->block_room = Max(64, table->block_room * 2);
		table->blocks =
			table->blocks == NULL
				? MemoryContextAlloc(table->memory,
									 table->block_room * sizeof(char *))
				: repalloc_huge(table->blocks,
								table->block_room * sizeof(char *));
	}
	table->blocks[table->block_count++] = MemoryContextAlloc(
		table->memory,
		(table->group_size << table->block_shift) + DP_CACHE_LINE);
	return group_of(table, number);
}

DpUnitHash
dp_unit_table_hash(DpUnitTable *table, TupleTableSlot *row)
{
	MemoryContext old =
		MemoryContextSwitchTo(table->states->tmpcontext->ecxt_per_tuple_memory);
	uint64 unit = 1;
	uint64 key = 2;
	int i;

	slot_getsomeattrs(row, table->last);
	for (i = 0; i < table->key_count; i++)
	{
		DpUnitColumn *column = &table->columns[i];
		Datum value = row->tts_values[column->number - 1];
		uint64 *hash = column->is_unit ? &unit : &key;

		if (row->tts_isnull[column->number - 1])
			*hash = mix(*hash + 1, 0);
		else if (column->is_bits)
			*hash = mix(*hash, bits_of(column, value));
		else
			*hash = mix(*hash, DatumGetUInt32(FunctionCall1Coll(
								   column->hash, column->collation, value)));
	}
	MemoryContextSwitchTo(old);
	return (DpUnitHash){(uint32) (unit >> 32), (uint32) (mix(unit, key) >> 32)};
}

/* Whether a row is of a group; or, by the unit alone, of the group's unit. */
static bool
is_of(DpUnitTable *table, const DpUnitGroup *group, TupleTableSlot *row,
	  bool by_unit)
{
	const Datum *values = values_of(group);
	MemoryContext old =
		MemoryContextSwitchTo(table->states->tmpcontext->ecxt_per_tuple_memory);
	bool result = true;
	int i;

	for (i = 0; i < table->key_count && result; i++)
	{
		int number = table->columns[i].number - 1;

		if (!by_unit || table->columns[i].is_unit)
			result = is_equal(&table->columns[i], values[i], is_null(group, i),
							  row->tts_values[number], row->tts_isnull[number]);
	}
	MemoryContextSwitchTo(old);
	return result;
}

bool
dp_unit_table_same_unit(DpUnitTable *table, TupleTableSlot *one,
						TupleTableSlot *other)
{
	MemoryContext old =
		MemoryContextSwitchTo(table->states->tmpcontext->ecxt_per_tuple_memory);
	bool result = true;
	int i;

	slot_getsomeattrs(one, table->last);
	slot_getsomeattrs(other, table->last);
	for (i = 0; i < table->key_count && result; i++)
	{
		int number = table->columns[i].number - 1;

		if (table->columns[i].is_unit)
			result =
				is_equal(&table->columns[i], one->tts_values[number],
						 one->tts_isnull[number], other->tts_values[number],
						 other->tts_isnull[number]);
	}
	MemoryContextSwitchTo(old);
	return result;
}

/* The states that the server begins with. */
static void
begin_states(DpUnitTable *table, AggStatePerGroup states)
{
	char *inside = (char *) (states + table->states->numtrans);
	int i;

	for (i = 0; i < table->states->numtrans; i++)
	{
		AggStatePerTrans transition = &table->states->pertrans[i];

		states[i].transValueIsNull = transition->initValueIsNull;
		states[i].noTransValue = transition->initValueIsNull;
		states[i].transValue = transition->initValue;
		if (table->are_inside[i])
		{
			memcpy(inside, DatumGetPointer(transition->initValue),
				   transition->transtypeLen);
			states[i].transValue = PointerGetDatum(inside);
			inside += MAXALIGN(transition->transtypeLen);
		}
		else if (!transition->initValueIsNull)
			states[i].transValue =
				datumCopy(transition->initValue, transition->transtypeByVal,
						  transition->transtypeLen);
	}
}

static DpUnitGroup *
make_group(DpUnitTable *table, TupleTableSlot *row, uint32 unit)
{
	DpUnitGroup *group = add_group(table);
	MemoryContext old = MemoryContextSwitchTo(table->values);
	int i;

	group->unit = unit;
	group->nulls = 0;
	for (i = 0; i < table->column_count; i++)
	{
		const DpUnitColumn *column = &table->columns[i];
		bool isnull = row->tts_isnull[column->number - 1];

		group->nulls |= (uint32) isnull << i;
		values_of(group)[i] =
			isnull ? (Datum) 0
				   : datumCopy(row->tts_values[column->number - 1],
							   column->by_value, column->length);
	}
	begin_states(table, states_of(table, group));
	MemoryContextSwitchTo(old);
	return group;
}

/* Makes twice as many slots. */
static void
grow(DpUnitTable *table)
{
	uint64 *old = table->slots;
	uint64 old_count = table->slot_count;
	uint64 i;

	make_slots(table, old_count * 2);
	for (i = 0; i < old_count; i++)
	{
		uint64 place = hash_in(old[i]);

		if (old[i] == 0)
			continue;
		while (table->slots[place & (table->slot_count - 1)] != 0)
			place++;
		table->slots[place & (table->slot_count - 1)] = old[i];
	}
	pfree(old);
}

/* Whether there is room to sort the groups, too. */
static bool
is_within_limit(DpUnitTable *table)
{
	return MemoryContextMemAllocated(table->memory, true) +
				   MemoryContextMemAllocated(
					   table->states->hashcontext->ecxt_per_tuple_memory,
					   true) +
				   table->group_count * sizeof(uint64) <=
			   table->limit &&
		   table->group_count < PG_UINT32_MAX / 2;
}

/* The group of a row, which is made where there is none. */
static DpUnitGroup *
find_or_make(DpUnitTable *table, TupleTableSlot *row, DpUnitHash hash)
{
	uint64 place = hash.group;
	uint64 *slot;
	DpUnitGroup *group;

	while (*(slot = &table->slots[place & (table->slot_count - 1)]) != 0)
	{
		if (hash_in(*slot) == hash.group)
		{
			group = group_of(table, number_in(*slot));
			if (group->unit == hash.unit && is_of(table, group, row, false))
				return group;
		}
		place++;
	}
	*slot = slot_for(hash.group, table->group_count);
	group = make_group(table, row, hash.unit);
	if (table->group_count > table->slot_count / 8 * 5)
		grow(table);
	table->is_full = !is_within_limit(table);
	return group;
}

/* Adds a row to the states of its group. */
static void
advance_group(DpUnitTable *table, DpUnitGroup *group, TupleTableSlot *row)
{
	AggState *states = table->states;
	bool isnull;

	states->hash_pergroup[0] = states_of(table, group);
	states->tmpcontext->ecxt_outertuple = row;
	(void) ExecEvalExprSwitchContext(states->phase->evaltrans,
									 states->tmpcontext, &isnull);
	ResetExprContext(states->tmpcontext);
}

void
dp_unit_table_advance(DpUnitTable *table, TupleTableSlot *row, DpUnitHash hash)
{
	advance_group(table, find_or_make(table, row, hash), row);
}

bool
dp_unit_table_add_of_unit(DpUnitTable *table, TupleTableSlot *row)
{
	if (table->group_count > 0)
	{
		DpUnitGroup *last = group_of(table, table->group_count - 1);

		slot_getsomeattrs(row, table->last);
		if (!is_of(table, last, row, true))
			return false;
		if (is_of(table, last, row, false))
		{
			advance_group(table, last, row);
			return true;
		}
	}
	dp_unit_table_advance(table, row, dp_unit_table_hash(table, row));
	return true;
}

DpUnitGroup *
dp_unit_table_find(DpUnitTable *table, TupleTableSlot *row)
{
	return find_or_make(table, row, dp_unit_table_hash(table, row));
}

void
dp_unit_table_note(DpUnitTable *table, TupleTableSlot *row)
{
	(void) dp_unit_table_find(table, row);
	ResetExprContext(table->states->tmpcontext);
}

/* As the server shows a group of its table. */
TupleTableSlot *
dp_unit_table_project(DpUnitTable *table, const DpUnitGroup *group)
{
	AggState *node = table->states;
	ExprContext *context = node->ss.ps.ps_ExprContext;
	TupleTableSlot *row = node->ss.ss_ScanTupleSlot;
	AggStatePerGroup states = states_of(table, group);
	int i;

	ResetExprContext(context);
	ExecStoreAllNullTuple(row);
	for (i = 0; i < table->column_count; i++)
	{
		int number = table->columns[i].number - 1;

		row->tts_values[number] = values_of(group)[i];
		row->tts_isnull[number] = is_null(group, i);
	}
	context->ecxt_outertuple = row;
	for (i = 0; i < node->numaggs; i++)
	{
		int transition = node->peragg[i].transno;

		context->ecxt_aggvalues[i] = states[transition].transValue;
		context->ecxt_aggnulls[i] = states[transition].transValueIsNull;
	}
	return ExecProject(node->ss.ps.ps_ProjInfo);
}
