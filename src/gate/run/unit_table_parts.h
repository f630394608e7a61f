/*
 * unit_table_parts.h
 *		What a table of units' groups is made of, for the files that keep it.
 */
#ifndef DP_GATE_RUN_UNIT_TABLE_PARTS_H
#define DP_GATE_RUN_UNIT_TABLE_PARTS_H

#include "gate/run/unit_table.h"

#define DP_CACHE_LINE 64

struct DpUnitColumn
{
	AttrNumber number; /* in a row */
	bool is_unit;
	bool is_bits; /* equal values have the same bits; no function is called */
	bool by_value;
	int16 length;
	Oid collation;
	FmgrInfo *hash;
	FmgrInfo equal;
};

/* Behind it: values, what the server has of a state, states. */
struct DpUnitGroup
{
	DpUnitGroup *next; /* of the unit's hash, and then of the unit */
	uint32 unit;	   /* its hash */
	uint32 nulls;	   /* one bit a column */
};

StaticAssertDecl(DP_UNIT_COLUMNS_MAX <= 32, "nulls are bits");

static inline Datum *
values_of(const DpUnitGroup *group)
{
	return (Datum *) (group + 1);
}

static inline bool
is_null(const DpUnitGroup *group, int column)
{
	return (group->nulls >> column & 1) != 0;
}

static inline AggStatePerGroup
states_of(const DpUnitTable *table, const DpUnitGroup *group)
{
	return (AggStatePerGroup) ((char *) group + table->states_at);
}

/* A value without what may be above its bytes in a Datum. */
static inline uint64
bits_of(const DpUnitColumn *column, Datum value)
{
	switch (column->length)
	{
		case 1:
			return (uint8) value;
		case 2:
			return (uint16) value;
		case 4:
			return (uint32) value;
		default:
			return (uint64) value;
	}
}

/* Half of its steps are those of MurmurHash3's finalizer. */
static inline uint64
mix(uint64 hash, uint64 value)
{
	hash = (hash ^ value) * UINT64CONST(0xff51afd7ed558ccd);
	hash ^= hash >> 33;
	hash *= UINT64CONST(0xc4ceb9fe1a85ec53);
	return hash ^ (hash >> 29);
}

/* Groups begin where a line of the processor's cache does. */
static inline DpUnitGroup *
group_of(const DpUnitTable *table, uint32 number)
{
	char *block = table->blocks[number >> table->block_shift];
	Size place = number & ((1U << table->block_shift) - 1);

	block += -(uintptr_t) block & (DP_CACHE_LINE - 1);
	return (DpUnitGroup *) (block + place * table->group_size);
}

static inline bool
is_equal(DpUnitColumn *column, Datum one, bool one_isnull, Datum other,
		 bool other_isnull)
{
	if (one_isnull || other_isnull)
		return one_isnull && other_isnull;
	if (column->is_bits)
		return bits_of(column, one) == bits_of(column, other);
	return DatumGetBool(
		FunctionCall2Coll(&column->equal, column->collation, one, other));
}

static inline uint64
slot_for(uint32 hash, uint32 number)
{
	return (uint64) hash << 32 | (number + 1);
}

static inline uint32
hash_in(uint64 slot)
{
	return (uint32) (slot >> 32);
}

static inline uint32
number_in(uint64 slot)
{
	return (uint32) slot - 1;
}

/* Has the processor fetch a group, which may not be complete yet. */
static inline void
prefetch_group(const DpUnitTable *table, uint64 slot)
{
	const char *group;

	if (slot == 0)
		return;
	group = (const char *) group_of(table, number_in(slot));
	__builtin_prefetch(group);
	__builtin_prefetch(group + 64);
}

/* unit_table.c: adds a row to the states of its group, which it makes if need be. */
extern void dp_unit_table_advance(DpUnitTable *table, TupleTableSlot *row,
								  DpUnitHash hash);

/* unit_table.c: the group of a row, which is made where there is none. */
extern DpUnitGroup *dp_unit_table_find(DpUnitTable *table, TupleTableSlot *row);

/* unit_record.c: room for a record. */
extern void dp_unit_record_init(DpUnitTable *table);

/* unit_batch.c: which columns rows must have, and room for some rows. */
extern void dp_unit_batch_init(DpUnitTable *table);

/* unit_batch.c: adds the rows that were collected. */
extern void dp_unit_batch_add(DpUnitTable *table);

#endif
